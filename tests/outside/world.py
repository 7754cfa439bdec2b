"""The simulator as a process, its control API, a client that keeps raw answers, and pictures without a library."""

import json
import struct
import subprocess
import zlib

import httpx
from telegram import Bot
from telegram.request import HTTPXRequest

TOKEN = "123456:TEST"
USERNAME = "stickers_sim_bot"
BOT = 123456


class KeepingRequest(HTTPXRequest):
    """Keeps status and body of the last answer as they came over the wire."""

    last = (0, b"")

    async def do_request(self, *args, **kwargs):
        KeepingRequest.last = await super().do_request(*args, **kwargs)
        return KeepingRequest.last


class World:
    """A simulator with a standing clock, and what people do in it."""

    def __init__(self, program):
        arguments = [program, "--bind", "127.0.0.1:0", "--token", TOKEN, "--bot-username", USERNAME]
        arguments += ["--virtual-clock", "--seed", "7", "--set-lag-ms", "0", "--empty"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("simulator listening on "):
            raise RuntimeError(f"the simulator did not start: {line!r}")
        self.url = line.split()[-1]
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def close(self):
        self.http.close()
        self.process.terminate()
        self.process.wait(timeout=60)

    def bot(self, token=TOKEN):
        return Bot(
            token,
            base_url=f"{self.url}/bot",
            base_file_url=f"{self.url}/file/bot",
            request=KeepingRequest(read_timeout=60),
            get_updates_request=KeepingRequest(read_timeout=60),
        )

    def post(self, path, **body):
        answer = self.http.post(f"/sim/{path}", json=body)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def person(self, first_name, language="ru", started=True):
        person = self.post("people", first_name=first_name, language_code=language)["id"]
        if started:
            self.post("start", person=person, bot=BOT)
        return person

    def later(self, seconds):
        self.post("clock", advance_seconds=seconds)

    def fault(self, **fault):
        self.post("faults", **fault)

    def raw(self, method, **params):
        """A call past the library, for what a library does not let out. Answers status and description."""
        answer = self.http.post(f"/bot{TOKEN}/{method}", json=params)
        return answer.status_code, answer.json().get("description")


def last_words():
    """Status and description of the last answer."""
    status, body = KeepingRequest.last
    try:
        return status, json.loads(body).get("description")
    except ValueError:
        return status, None


def png(width, height):
    """A plain picture with transparency."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    row = b"\0" + bytes([200, 40, 90, 128]) * width
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    pixels = zlib.compress(row * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
