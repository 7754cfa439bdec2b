-- Views hold no rows: they must read those that are there.
SELECT * FROM sessions_readable;
SELECT * FROM jobs_readable;
SELECT * FROM leads_readable;
