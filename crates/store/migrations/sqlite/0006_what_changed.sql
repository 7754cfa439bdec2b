-- What changed since a moment: one look tells a process which of its event streams have news.

CREATE INDEX sessions_by_change ON sessions (updated_at);
CREATE INDEX jobs_by_change ON jobs (updated_at);
