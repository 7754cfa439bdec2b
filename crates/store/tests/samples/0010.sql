-- Indexes hold no rows of their own.
SELECT COUNT(*) FROM outbox WHERE state IN ('sent', 'dropped', 'failed') AND updated_at < 0;
