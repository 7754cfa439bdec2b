-- Requests from the landing form, their history, repeats, and every message ever posted for one of them.

CREATE TABLE leads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL CHECK (status IN ('new', 'in_work', 'contacted', 'deal', 'refused', 'spam')),
    status_at INTEGER,
    name TEXT,
    telegram TEXT,
    -- Lower case, made in the program: the engines fold case differently.
    telegram_fold TEXT,
    phone TEXT,
    date TEXT,
    guests TEXT,
    comment TEXT,
    locale TEXT NOT NULL,
    utm_source TEXT,
    utm_medium TEXT,
    utm_campaign TEXT,
    utm_term TEXT,
    utm_content TEXT,
    ip_hash TEXT,
    created_at INTEGER NOT NULL,
    published_at INTEGER,
    chat_id INTEGER,
    message_id INTEGER,
    publish_attempts INTEGER NOT NULL DEFAULT 0,
    next_publish_at INTEGER,
    publish_error TEXT,
    card_dirty_at INTEGER,
    next_edit_at INTEGER,
    reminded_at INTEGER,
    erased_at INTEGER,
    CHECK (erased_at IS NULL OR (name IS NULL AND telegram IS NULL AND telegram_fold IS NULL AND phone IS NULL
        AND comment IS NULL AND ip_hash IS NULL))
) STRICT;

CREATE INDEX leads_by_telegram ON leads (telegram_fold, created_at);
CREATE INDEX leads_by_phone ON leads (phone, created_at);
CREATE INDEX leads_by_visitor ON leads (ip_hash, created_at);
CREATE INDEX leads_by_time ON leads (created_at);
CREATE INDEX leads_unpublished ON leads (next_publish_at, id) WHERE published_at IS NULL AND erased_at IS NULL;
CREATE INDEX leads_new ON leads (created_at, id) WHERE status = 'new' AND erased_at IS NULL;
CREATE INDEX leads_dirty ON leads (next_edit_at, id) WHERE card_dirty_at IS NOT NULL;
CREATE INDEX leads_kept ON leads (status, COALESCE(status_at, created_at)) WHERE erased_at IS NULL;

CREATE TABLE lead_status_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id INTEGER NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
    from_status TEXT NOT NULL,
    to_status TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    user_name TEXT,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX lead_status_history_of_lead ON lead_status_history (lead_id, id);

CREATE TABLE lead_repeats (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id INTEGER NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
    request_id TEXT NOT NULL UNIQUE,
    -- NULL where unchanged.
    name TEXT,
    telegram TEXT,
    phone TEXT,
    date TEXT,
    guests TEXT,
    comment TEXT,
    locale TEXT,
    utm_source TEXT,
    utm_medium TEXT,
    utm_campaign TEXT,
    utm_term TEXT,
    utm_content TEXT,
    ip_hash TEXT,
    created_at INTEGER NOT NULL,
    notified_at INTEGER,
    notify_attempts INTEGER NOT NULL DEFAULT 0,
    next_notify_at INTEGER,
    notify_error TEXT
) STRICT;

CREATE INDEX lead_repeats_of_lead ON lead_repeats (lead_id, id);
CREATE INDEX lead_repeats_by_visitor ON lead_repeats (ip_hash, created_at);
CREATE INDEX lead_repeats_by_time ON lead_repeats (created_at);
CREATE INDEX lead_repeats_unnotified ON lead_repeats (next_notify_at, id) WHERE notified_at IS NULL;

CREATE TABLE lead_cards (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lead_id INTEGER NOT NULL REFERENCES leads (id) ON DELETE CASCADE,
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    posted_at INTEGER NOT NULL,
    -- Set when the card moved and this message became a pointer to it.
    moved_at INTEGER,
    -- Set when this message was rewritten without personal data, or deleted.
    erased_at INTEGER,
    UNIQUE (chat_id, message_id)
) STRICT;

CREATE INDEX lead_cards_of_lead ON lead_cards (lead_id, id);
