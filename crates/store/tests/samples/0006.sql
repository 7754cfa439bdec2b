-- Indexes hold no rows of their own.
SELECT COUNT(*) FROM sessions WHERE updated_at > 0;
SELECT COUNT(*) FROM jobs WHERE updated_at > 0;
