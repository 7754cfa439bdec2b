"""One guest from START to the pack: the tablet's calls to the API, and the guest's phone in the simulator. Prints the job's number.

    guest.py http://127.0.0.1:8000 http://127.0.0.1:8081 BOT_ID KIOSK_KEY PHOTO [BEFORE]

With BEFORE it stops right after the photo was taken. Status 1 when something is not as it should be; every wait has a bound.
"""

import json
import sys
import time
import urllib.error
import urllib.request

API, TELEGRAM, BOT, KEY, PHOTO = sys.argv[1:6]
BOT = int(BOT)
WAIT_S = 180


def call(url, body=None, headers=(), raw=None, kind="application/json"):
    data = raw if raw is not None else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": kind, **dict(headers)})
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def tablet(path, body=None, **more):
    return call(API + path, body, {"X-Kiosk-Key": KEY}, **more)


def phone(path, body=None):
    return call(TELEGRAM + "/sim" + path, body)


def wait(what, look):
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"guest.py: {what} did not come within {WAIT_S} s")


def session():
    try:
        return tablet("/session", {})
    except urllib.error.HTTPError as error:
        if error.code == 503:  # The bot has not introduced itself yet.
            return None
        raise


token = wait("a session", session)["token"]
person = phone("/people", {"first_name": "Гость", "language_code": "ru"})["id"]
phone("/start", {"person": person, "bot": BOT, "payload": token})


def status(wanted):
    return lambda: tablet(f"/session/{token}")["status"] == wanted


def consent():
    chat = phone(f"/chat?person={person}&chat={BOT}")
    asked = [m for m in chat["messages"] if m.get("buttons") and m["buttons"][0][0].get("callback")]
    return asked[-1]["id"] if asked else None


wait("the link", status("linked"))
message = wait("the consent text", consent)
phone("/press", {"person": person, "chat": BOT, "message_id": message, "row": 0, "col": 0})
wait("consent", status("consented"))
outfit = tablet("/templates")["templates"][0]["id"]
tablet(f"/session/{token}/template", {"template_id": outfit})
with open(PHOTO, "rb") as file:
    picture = file.read()
edge = "----a-form-of-the-guest"
form = f'--{edge}\r\nContent-Disposition: form-data; name="photo"; filename="selfie.png"\r\n\r\n'.encode()
form += picture + f"\r\n--{edge}--\r\n".encode()
job = tablet(f"/session/{token}/photo", raw=form, kind=f"multipart/form-data; boundary={edge}")["job_id"]
if len(sys.argv) > 6:
    print(job)
    sys.exit(0)
wait("the pack", lambda: tablet(f"/session/{token}")["pack_link"])
made = tablet(f"/session/{token}")
if (made["job"] or {}).get("status") not in (None, "done"):
    sys.exit(f"guest.py: there is a link, and the job is {made['job']}")
print(job)
