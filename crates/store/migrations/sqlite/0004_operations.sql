-- What running the product needs: settings, tablets, leases, who did what, what it cost.

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE kiosks (
    kiosk TEXT PRIMARY KEY,
    camera TEXT NOT NULL,
    battery INTEGER,
    version TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT;

CREATE TABLE ai_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- No reference: what was spent stays when a guest is erased.
    job_id INTEGER NOT NULL,
    stage TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    images INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX ai_usage_of_job ON ai_usage (job_id, at);
CREATE INDEX ai_usage_by_time ON ai_usage (at);

CREATE TABLE audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT
) STRICT;

CREATE INDEX audit_log_by_time ON audit_log (at, id);

CREATE TABLE admin_sessions (
    -- Hash of the cookie's token: a copy of the database lets nobody in.
    token_hash TEXT PRIMARY KEY,
    login TEXT NOT NULL,
    csrf_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE INDEX admin_sessions_ending ON admin_sessions (expires_at);

CREATE TABLE erasures (
    -- Keyed hash of a Telegram id, kept until the event is closed so that erasure is no free second pack.
    guest_hash TEXT PRIMARY KEY,
    packs INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
