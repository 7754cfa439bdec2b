-- An index holds no rows of its own.
SELECT COUNT(*) FROM leads WHERE status = 'new' AND erased_at IS NULL AND reminded_at IS NULL AND published_at IS NOT NULL;
