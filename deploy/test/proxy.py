"""What Caddy lets through and writes down: proxy.py KIOSK_KEY, where the proxy serves both hosts on port 80. Prints the token it used."""

import http.client
import json
import sys

KEY = sys.argv[1]
KIOSK, LANDING = "kiosk.example.org", "landing.example.org"


def ask(method, path, host=KIOSK, body=None, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", 80, timeout=20)
    connection.request(method, path, body, {"Host": host, "X-Kiosk-Key": KEY, **dict(headers)})
    return connection.getresponse()


def want(what, fine):
    if not fine:
        sys.exit(f"proxy.py: {what}")


made = ask("POST", "/session", body="{}", headers={"Content-Type": "application/json"})
want(f"POST /session is {made.status}", made.status == 201)
want("the name of the proxy is told", made.headers["Server"] is None)
want("no HSTS", made.headers["Strict-Transport-Security"] == "max-age=31536000")
token = json.load(made)["token"]

# A browser says that it can unpack; the first event must come while the answer is still open, and the next one with the change.
events = ask("GET", f"/session/{token}/events", headers={"Accept-Encoding": "gzip", "Accept": "text/event-stream"})
want("the stream is packed", events.headers["Content-Encoding"] is None)


def event():
    while True:
        line = events.readline().decode()
        want("the stream ended", line != "")
        if line.startswith("data:"):
            return json.loads(line[5:])


want("the first event", event()["status"] == "idle")
want("expire", ask("POST", f"/session/{token}/expire?reason=cancel").status == 200)
want("the event of the change", event()["status"] == "expired")

want("figures are shown to the world", ask("GET", "/metrics").status == 404)
want("a page is packed", ask("GET", "/kiosk", headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] == "gzip")
page = ask("GET", "/ru?utm_source=a-name-behind-the-mark", LANDING)
want(f"the landing site is {page.status}", page.status == 200 and b"requestId" in page.read())
large = ask("POST", f"/session/{token}/photo", body=b"x" * (12 << 20), headers={"Content-Type": "multipart/form-data; boundary=x"})
want(f"12 MiB are {large.status}", large.status in (409, 413))
print(token)
