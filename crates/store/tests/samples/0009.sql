-- Indexes hold no rows of their own.
SELECT COUNT(*) FROM jobs WHERE status || '' = 'done' AND job_id > 0;
SELECT COUNT(*) FROM leads WHERE status || '' = 'new' AND erased_at IS NULL;
