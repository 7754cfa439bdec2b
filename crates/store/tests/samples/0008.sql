-- Indexes hold no rows of their own.
SELECT COUNT(*) FROM jobs WHERE status = 'done' AND job_id > 0;
SELECT COUNT(*) FROM users WHERE lower(username) = 'lola';
