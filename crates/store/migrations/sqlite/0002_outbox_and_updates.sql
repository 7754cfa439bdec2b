-- What must reach a guest or an operator, and what Telegram told us. Both hold text about people only until it is used.

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Names the occasion, so that enqueueing twice sends once.
    key TEXT NOT NULL UNIQUE,
    chat_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    job_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'sent', 'dropped', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL,
    error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    sent_at INTEGER,
    CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
    CHECK (state IN ('pending', 'sending') OR body = '')
) STRICT;

CREATE INDEX outbox_open ON outbox (chat_id, id) WHERE state IN ('pending', 'sending');
CREATE INDEX outbox_due ON outbox (not_before, id) WHERE state = 'pending';
CREATE INDEX outbox_kind ON outbox (kind, chat_id, created_at);
CREATE INDEX outbox_of_job ON outbox (job_id);

CREATE TABLE updates (
    update_id INTEGER PRIMARY KEY,
    from_id INTEGER,
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'handled', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    received_at INTEGER NOT NULL,
    ended_at INTEGER,
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (state <> 'handled' OR body = '')
) STRICT;

CREATE INDEX updates_pending ON updates (update_id) WHERE state = 'pending';
CREATE INDEX updates_ended ON updates (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX updates_of_guest ON updates (from_id);
