-- SQLite keeps no statistics here, and takes whatever index has `status = …` in it over one that has the wanted order or range. So the lists of
-- the panel ask for theirs by an expression, and no other question falls for it.

DROP INDEX jobs_by_status;
DROP INDEX leads_by_status;
CREATE INDEX jobs_by_status ON jobs ((status || ''), job_id);
CREATE INDEX leads_by_status ON leads ((status || ''), id) WHERE erased_at IS NULL;
