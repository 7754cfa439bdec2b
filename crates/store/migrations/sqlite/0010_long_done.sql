-- What runs again and again must not read what is long done, however many rows that is: messages past their week, descriptions that an ended
-- job still holds, the deadlines of active jobs; and the cards that are due come in the order in which they are asked for.

CREATE INDEX outbox_ended ON outbox (updated_at) WHERE state IN ('sent', 'dropped', 'failed');
CREATE INDEX jobs_described ON jobs (job_id) WHERE appearance_json IS NOT NULL;
CREATE INDEX jobs_active ON jobs (created_at, job_id) WHERE status IN ('queued', 'processing', 'delivering');
DROP INDEX leads_unpublished;
CREATE INDEX leads_unpublished ON leads (COALESCE(next_publish_at, created_at), id)
    WHERE published_at IS NULL AND erased_at IS NULL;
