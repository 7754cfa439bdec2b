"""Starts by hand what compose.yaml describes, where no container engine is: its commands and variables, service by service.

    compose.py STICKERS SIMULATOR     inside tests/with-postgres.sh

In the place of the images: the PostgreSQL of with-postgres.sh, moto's S3 server, curl of the system, the built program. Host names of the file become
addresses of this machine, and Telegram is the simulator. Then a guest goes from START to the pack, whose files must be in the bucket.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import yaml

STICKERS, SIMULATOR = sys.argv[1:3]
HERE = pathlib.Path(__file__).resolve().parent
POSTGRES = os.environ["STICKERS_TEST_POSTGRES_URL"]
TOKEN = "123456:TEST"
GIVEN = {
    "POSTGRES_PASSWORD": "a-password-for-one-run", "S3_SECRET": "a-secret-for-one-run", "BOT_TOKEN": TOKEN,
    "PUBLIC_URL": "http://localhost:8000", "KIOSK_KEY": "a-key-for-one-run", "LEADS_SECRET": "leads-for-one-run",
    "LEADS_IP_SALT": "salt-for-one-run", "EVENT_NAME": "Compose",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def filled(text):
    """${NAME:?} and ${NAME:-default}, as compose fills them; $$ is a dollar."""

    def value(found):
        name, kind, default = found.group(1), found.group(2), found.group(3)
        given = GIVEN.get(name, "")
        if not given and kind == "?":
            sys.exit(f"compose.py: {name} is wanted by compose.yaml and not given")
        return given or (default or "" if kind == "-" else "")

    return re.sub(r"\$\{(\w+):([?-])([^}]*)\}", value, text).replace("$$", "$")


def walk(node):
    if isinstance(node, dict):
        return {name: walk(inner) for name, inner in node.items()}
    if isinstance(node, list):
        return [walk(inner) for inner in node]
    return filled(node) if isinstance(node, str) else node


file = walk(yaml.safe_load((HERE.parent / "compose.yaml").read_text()))
services = file["services"]
ports = {name: free_port() for name in ("s3", "api", "landing", "telegram")}
postgres = urllib.parse.urlsplit(POSTGRES)
names = [
    ("stickers:a-password-for-one-run@db:5432/stickers", f"{postgres.username}@{postgres.hostname}:{postgres.port}/stickers"),
    ("http://s3:8333", f"http://127.0.0.1:{ports['s3']}"),
    ("http://api:8000", f"http://127.0.0.1:{ports['api']}"),
    ("0.0.0.0:8000", f"127.0.0.1:{ports['api']}"),
    ("0.0.0.0:3000", f"127.0.0.1:{ports['landing']}"),
]
processes, folder = [], pathlib.Path(tempfile.mkdtemp(prefix="stickers-compose."))
volumes = {"/backups": str(folder / "backups")}


def here(text):
    for there, address in names:
        text = text.replace(there, address)
    return text


def start(name, command, environment):
    log = open(folder / f"{name}.log", "wb")
    data = folder / f"{name}-data"
    data.mkdir()
    own = {"PATH": os.environ["PATH"], "DATA_DIR": str(data), "TELEGRAM_API_URL": f"http://127.0.0.1:{ports['telegram']}"}
    own |= {key: volumes.get(value, here(str(value))) for key, value in environment.items()}
    if "PGSSLMODE" in os.environ:
        own["PGSSLMODE"] = os.environ["PGSSLMODE"]
    process = subprocess.Popen(command, env=own, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    processes.append((name, process))
    return process


def fail(words):
    for path in sorted(folder.glob("*.log")):
        tail = path.read_text(errors="replace").splitlines()[-15:]
        print(f"--- {path.name}", *tail, sep="\n", file=sys.stderr)
    sys.exit(f"compose.py: {words}")


def until(what, look, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, process in processes:
            if process.poll() not in (None, 0):
                fail(f"{name} ended with {process.returncode}")
        try:
            if found := look():
                return found
        except OSError:
            pass
        time.sleep(0.2)
    fail(f"{what} did not come within {seconds} s")


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return answer.read().decode()


def listens(port):
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


def run():
    environment = services["db"]["environment"]
    if environment["POSTGRES_DB"] != "stickers":
        fail("the database has another name")
    psql = ["psql", "--quiet", "--no-psqlrc", POSTGRES, "-c", "CREATE DATABASE stickers"]
    subprocess.run(psql, check=True)
    start("telegram", [SIMULATOR, "--bind", f"127.0.0.1:{ports['telegram']}", "--set-lag-ms", "0"], {})
    moto = "from moto.server import main; main()"
    start("s3", [sys.executable, "-c", moto, "-H", "127.0.0.1", "-p", str(ports["s3"])], {})
    until("the S3 store", lambda: listens(ports["s3"]))
    bucket = start("bucket", ["sh", "-c", here(services["bucket"]["command"][0])], services["bucket"]["environment"])
    if bucket.wait(60) != 0:
        fail("the bucket was not made")
    if start("migrate", [STICKERS, *services["migrate"]["command"].split()], services["migrate"]["environment"]).wait(60) != 0:
        fail("the database was not migrated")
    # What an image has in its PATH.
    (folder / "bin").mkdir()
    (folder / "bin/stickers").symlink_to(STICKERS)
    os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}"
    start("backup", ["/bin/sh", "-c", here(services["backup"]["command"][0])], services["backup"]["environment"])
    for name in ("api", "bot", "worker", "landing"):
        start(name, [STICKERS, *services[name]["command"].split()], services[name]["environment"])
    until("the API", lambda: '"db":"ok"' in get(ports["api"], "/health"))
    until("the landing site", lambda: "requestId" in get(ports["landing"], "/ru"))
    until("the bot", lambda: '"bot_seen_seconds":null' not in get(ports["api"], "/health"))
    photo = HERE.parents[1] / "crates/app/assets/astronaut.png"
    guest = [sys.executable, str(HERE / "guest.py"), f"http://127.0.0.1:{ports['api']}", f"http://127.0.0.1:{ports['telegram']}",
             TOKEN.split(":")[0], GIVEN["KIOSK_KEY"], str(photo)]
    if subprocess.run(guest).returncode != 0:
        fail("the guest got no pack")
    listed = get(ports["s3"], "/stickers?list-type=2&prefix=media/sessions/")
    stickers = listed.count(".webp</Key>")
    if stickers < 9 or "selfie_" in listed:
        fail(f"the bucket holds {stickers} stickers, or a selfie: {listed[:800]}")
    if [path for path in folder.rglob("*.webp")]:
        fail("stickers lie in a folder beside the store")
    until("a copy of the database", lambda: list((folder / "backups").glob("app-*.pgdump.gz")))
    print(f"compose.yaml by hand: PostgreSQL, S3, API, bot, worker, copies, landing site; one pack, {stickers} stickers in the bucket, no selfie")


def stop():
    status = 0
    for name, process in reversed(processes):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
                print(f"compose.py: {name} had to be killed", file=sys.stderr)
                status = 1
    return status


try:
    run()
finally:
    ended = stop()
sys.exit(ended)
