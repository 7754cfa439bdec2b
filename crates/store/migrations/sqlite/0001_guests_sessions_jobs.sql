-- Guests, what they do at a tablet, and the queue. Statuses are the words of seed 001; times are milliseconds since 1970, UTC.

CREATE TABLE users (
    telegram_user_id INTEGER PRIMARY KEY,
    first_name TEXT NOT NULL,
    last_name TEXT,
    username TEXT,
    language TEXT NOT NULL,
    consented_at INTEGER,
    consent_version INTEGER,
    pack_name TEXT,
    pack_link TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((consented_at IS NULL) = (consent_version IS NULL))
) STRICT;

CREATE TABLE sessions (
    session_token TEXT PRIMARY KEY,
    status TEXT NOT NULL
        CHECK (status IN ('idle', 'linked', 'consented', 'template_chosen', 'photo_taken', 'expired')),
    telegram_user_id INTEGER REFERENCES users (telegram_user_id),
    template_id TEXT,
    closed_reason TEXT,
    notice TEXT,
    kiosk TEXT,
    language TEXT NOT NULL,
    kiosk_seen_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- Exactly one of the two explains an expired session, and no other session has one.
    CHECK ((status = 'expired') = (closed_reason IS NOT NULL OR notice IS NOT NULL)),
    CHECK (closed_reason IS NULL OR notice IS NULL),
    CHECK (status IN ('idle', 'expired') OR telegram_user_id IS NOT NULL),
    CHECK (status NOT IN ('template_chosen', 'photo_taken') OR template_id IS NOT NULL)
) STRICT;

CREATE INDEX sessions_of_guest ON sessions (telegram_user_id, updated_at);
CREATE INDEX sessions_open ON sessions (updated_at)
    WHERE status IN ('idle', 'linked', 'consented', 'template_chosen');

CREATE TABLE jobs (
    job_id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- One photo a session, hence one job.
    session_token TEXT NOT NULL UNIQUE REFERENCES sessions (session_token),
    telegram_user_id INTEGER NOT NULL REFERENCES users (telegram_user_id),
    template_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'delivering', 'done', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    photo_path TEXT,
    pack_key TEXT NOT NULL,
    pack_name TEXT,
    pack_created_at INTEGER,
    provider_used TEXT,
    render_mode TEXT CHECK (render_mode IN ('figure', 'composite', 'composite_fallback')),
    appearance_json TEXT,
    delay_notice_sent_at INTEGER,
    link_sent_at INTEGER,
    claim_no INTEGER NOT NULL DEFAULT 0,
    lease_owner TEXT,
    lease_until INTEGER,
    not_before INTEGER,
    shutdown_returns INTEGER NOT NULL DEFAULT 0,
    processing_started_at INTEGER,
    next_verify_at INTEGER,
    verify_looks INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- A running job has a lease, and only a running job.
    CHECK ((status = 'processing') = (lease_owner IS NOT NULL AND lease_until IS NOT NULL)),
    CHECK (status NOT IN ('delivering', 'done') OR (pack_name IS NOT NULL AND pack_created_at IS NOT NULL)),
    CHECK ((status = 'done') = (link_sent_at IS NOT NULL))
) STRICT;

CREATE INDEX jobs_of_guest ON jobs (telegram_user_id, status);
CREATE INDEX jobs_queued ON jobs (created_at, job_id) WHERE status = 'queued';
CREATE INDEX jobs_processing ON jobs (lease_until) WHERE status = 'processing';
CREATE INDEX jobs_delivering ON jobs (next_verify_at, job_id) WHERE status = 'delivering';
CREATE INDEX jobs_done ON jobs (link_sent_at) WHERE status = 'done';
CREATE INDEX jobs_packs ON jobs (pack_created_at) WHERE pack_created_at IS NOT NULL;
