-- What runs again and again must not read what is long done, however many rows that is: messages past their week, and descriptions that an
-- ended job still holds.

CREATE INDEX outbox_ended ON outbox (updated_at) WHERE state IN ('sent', 'dropped', 'failed');
CREATE INDEX jobs_described ON jobs (job_id) WHERE appearance_json IS NOT NULL;
