-- Lists of the admin panel: newest first, a page at a time, however many old rows there are; and looking up one guest by name.

CREATE INDEX jobs_by_status ON jobs (status, job_id);
CREATE INDEX users_by_time ON users (created_at, telegram_user_id);
CREATE INDEX users_by_username ON users (lower(username));
CREATE INDEX leads_by_status ON leads (status, id) WHERE erased_at IS NULL;
CREATE INDEX audit_log_by_subject ON audit_log (subject, id);
