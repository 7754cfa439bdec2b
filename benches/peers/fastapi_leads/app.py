"""The peer of `make bench-leads`: the ten steps of POST /leads with FastAPI and sqlite3, one durable commit a request.

Written for speed within that frame: one process, one connection, a handler without threads, the same indexes, and the same way of
not counting an hour's rows one by one.
"""

import hashlib
import hmac
import ipaddress
import json
import os
import re
import sqlite3
import time

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

ENABLED = os.environ.get("LEADS_ENABLED", "1") == "1"
SECRET = os.environ.get("LEADS_SECRET", "").encode()
SALT = os.environ.get("LEADS_IP_SALT", "").encode()
IP_LIMIT = int(os.environ.get("LEADS_IP_LIMIT", "5"))
IP_WINDOW_MS = int(os.environ.get("LEADS_IP_WINDOW_SEC", "600")) * 1000
HOURLY_LIMIT = int(os.environ.get("LEADS_HOURLY_LIMIT", "60"))
BODY_MAX = 16_384
DAY_MS = 86_400_000
HOUR_MS = 3_600_000
LOCK_MS = 600_000

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TELEGRAM = re.compile(r"@?([A-Za-z0-9_]{5,32})")
PHONE = re.compile(r"\+[0-9]{7,15}")
DROPPED = re.compile(r"[\s()\[\]\u2010-\u2015\u2212-]")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")

db = sqlite3.connect(os.environ["DATABASE_FILE"], isolation_level=None, cached_statements=64)
db.executescript(
    """
    PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON;
    CREATE TABLE leads (
        id INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, name TEXT, telegram TEXT,
        telegram_fold TEXT, phone TEXT, date TEXT, guests TEXT, comment TEXT, locale TEXT NOT NULL, utm_source TEXT,
        utm_medium TEXT, utm_campaign TEXT, utm_term TEXT, utm_content TEXT, ip_hash TEXT, created_at INTEGER NOT NULL,
        published_at INTEGER, next_publish_at INTEGER, erased_at INTEGER
    ) STRICT;
    CREATE INDEX leads_by_telegram ON leads (telegram_fold, created_at);
    CREATE INDEX leads_by_phone ON leads (phone, created_at);
    CREATE INDEX leads_by_visitor ON leads (ip_hash, created_at);
    CREATE INDEX leads_by_time ON leads (created_at);
    CREATE INDEX leads_unpublished ON leads (next_publish_at, id) WHERE published_at IS NULL AND erased_at IS NULL;
    CREATE INDEX leads_new ON leads (created_at, id) WHERE status = 'new' AND erased_at IS NULL;
    CREATE TABLE lead_repeats (
        id INTEGER PRIMARY KEY AUTOINCREMENT, lead_id INTEGER NOT NULL REFERENCES leads (id), request_id TEXT NOT NULL UNIQUE,
        name TEXT, telegram TEXT, phone TEXT, date TEXT, guests TEXT, comment TEXT, ip_hash TEXT, created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX lead_repeats_by_visitor ON lead_repeats (ip_hash, created_at);
    CREATE INDEX lead_repeats_by_time ON lead_repeats (created_at);
    """
)

app = FastAPI(openapi_url=None)
wrong: dict[str, list[int]] = {}
alerted_at = 0


def answer(status: int, **body) -> JSONResponse:
    return JSONResponse(body, status)


def text(value) -> str:
    return CONTROL.sub("", value).strip() if isinstance(value, str) else ""


def validate(raw: dict):
    errors: dict[str, str] = {}
    row: dict[str, str | None] = {}
    for field in ("request_id", "name", "telegram", "phone", "date", "guests", "comment"):
        value = raw.get(field)
        if value is not None and not isinstance(value, str):
            errors[field] = "invalid"
        row[field] = text(value) or None
        if row[field] is None and field in ("request_id", "name", "telegram", "phone"):
            errors.setdefault(field, "required")
    if row["request_id"] and "request_id" not in errors:
        row["request_id"] = row["request_id"].lower()
        if not UUID.fullmatch(row["request_id"]):
            errors["request_id"] = "invalid"
    if row["name"] and "name" not in errors:
        if len(row["name"]) < 2:
            errors["name"] = "too_short"
        elif len(row["name"]) > 80:
            errors["name"] = "too_long"
    if row["telegram"] and "telegram" not in errors:
        match = TELEGRAM.fullmatch(row["telegram"])
        if match:
            row["telegram"] = "@" + match[1]
        else:
            errors["telegram"] = "invalid"
    if row["phone"] and "phone" not in errors:
        row["phone"] = DROPPED.sub("", row["phone"])
        if not PHONE.fullmatch(row["phone"]):
            errors["phone"] = "invalid"
    for field, longest in (("date", 60), ("guests", 40), ("comment", 1200)):
        if row[field] and len(row[field]) > longest:
            errors[field] = "too_long"
    row["locale"] = raw.get("locale") if raw.get("locale") in ("ru", "uz", "en") else "ru"
    for field in UTM:
        row[field] = text(raw.get(field))[:200] or None
    return row, errors


def ip_hash(client_ip) -> str | None:
    try:
        address = ipaddress.ip_address(client_ip)
    except ValueError:
        return None
    return hmac.new(SALT, str(address).encode(), hashlib.sha256).hexdigest()


def known(request_id: str):
    row = db.execute("SELECT id FROM leads WHERE request_id = ?", (request_id,)).fetchone()
    if row:
        return row[0], False
    row = db.execute("SELECT lead_id FROM lead_repeats WHERE request_id = ?", (request_id,)).fetchone()
    return (row[0], True) if row else None


def span(table: str, since: int) -> int:
    first = db.execute(
        f"SELECT id FROM {table} WHERE created_at > ? ORDER BY created_at, id LIMIT 1", (since,)
    ).fetchone()
    if first is None:
        return 0
    return db.execute(f"SELECT MAX(id) FROM {table}").fetchone()[0] + 1 - first[0]


def visitor_count(visitor: str, since: int) -> int:
    return db.execute(
        "SELECT (SELECT COUNT(*) FROM leads WHERE ip_hash = ?1 AND created_at > ?2)"
        " + (SELECT COUNT(*) FROM lead_repeats WHERE ip_hash = ?1 AND created_at > ?2)",
        (visitor, since),
    ).fetchone()[0]


def submit(row: dict, visitor: str | None, now: int):
    """Step 10: new, repeat, or duplicate from a race."""
    db.execute("BEGIN IMMEDIATE")
    try:
        found = known(row["request_id"])
        if found:
            db.execute("ROLLBACK")
            return 200, {"id": found[0], "duplicate": True, "repeat": found[1]}
        fold = row["telegram"].lower()
        lead = db.execute(
            "SELECT id, name, phone, date, guests, comment FROM leads WHERE (telegram_fold = ? OR phone = ?)"
            " AND created_at >= ? AND status <> 'spam' AND erased_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1",
            (fold, row["phone"], now - DAY_MS),
        ).fetchone()
        if lead:
            fields = ("name", "phone", "date", "guests", "comment")
            changed = [row[field] if row[field] != old else None for field, old in zip(fields, lead[1:])]
            db.execute(
                "INSERT INTO lead_repeats (lead_id, request_id, name, phone, date, guests, comment, ip_hash, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (lead[0], row["request_id"], *changed, visitor, now),
            )
            db.execute("COMMIT")
            return 200, {"id": lead[0], "duplicate": True, "repeat": True}
        cursor = db.execute(
            "INSERT INTO leads (request_id, status, name, telegram, telegram_fold, phone, date, guests, comment, locale,"
            " utm_source, utm_medium, utm_campaign, utm_term, utm_content, ip_hash, created_at, next_publish_at)"
            " VALUES (?, 'new', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row["request_id"], row["name"], row["telegram"], fold, row["phone"], row["date"], row["guests"],
                row["comment"], row["locale"], *(row[field] for field in UTM), visitor, now, now,
            ),
        )
        db.execute("COMMIT")
        return 201, {"id": cursor.lastrowid, "duplicate": False}
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


@app.post("/leads")
async def leads(request: Request):
    global alerted_at
    if not ENABLED or not SECRET:
        return answer(404, error="not_found")
    now = time.time_ns() // 1_000_000
    caller = request.client.host
    failures = [at for at in wrong.get(caller, ()) if now - at < LOCK_MS]
    if len(failures) >= 5:
        return answer(429, error="locked_out", why="secret")
    if not hmac.compare_digest(request.headers.get("x-stickers-leads-secret", "").encode(), SECRET):
        wrong[caller] = [*failures, now]
        return answer(401, error="leads_secret")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX:
            return answer(413, error="body_too_large")
    try:
        raw = json.loads(body)
    except ValueError:
        raw = None
    if not isinstance(raw, dict):
        return answer(422, error="bad_body", errors={"body": "invalid"})
    row, errors = validate(raw)
    if errors:
        return answer(422, error="invalid", errors=errors)
    found = known(row["request_id"])
    if found:
        return answer(200, id=found[0], duplicate=True, repeat=found[1])
    visitor = ip_hash(raw.get("client_ip"))
    if visitor and visitor_count(visitor, now - IP_WINDOW_MS) >= IP_LIMIT:
        return answer(429, error="throttled", why="visitor")
    if span("leads", now - HOUR_MS) + span("lead_repeats", now - HOUR_MS) >= HOURLY_LIMIT:
        if now - alerted_at >= HOUR_MS:
            alerted_at = now
        return answer(429, error="throttled", why="hourly")
    status, result = submit(row, visitor, now)
    return answer(status, **result)
