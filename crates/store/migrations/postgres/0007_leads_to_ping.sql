-- Leads that may still need their ping: the look of every minute must not walk over those that had it.

CREATE INDEX leads_to_ping ON leads (status, created_at, id)
    WHERE erased_at IS NULL AND reminded_at IS NULL AND published_at IS NOT NULL;
