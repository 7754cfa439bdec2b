//! Lists of the admin panel: newest first, a page at a time, each served by an index, so that a million old rows cost nothing. Counts stop at
//! [`COUNT_MAX`]: nobody needs to know whether there were 40,000 jobs or 41,000, and counting them would read them.
//!
//! `status || ''` asks for the lists' own indexes (migration 9): SQLite would take one on the bare column for questions of the loops, too.

mod books;
mod guests;
mod jobs;
mod leads;
#[cfg(test)]
mod plans;

pub use books::{AuditLine, JobCall, JobMessage, audit, audit_of, calls_of_job, messages_of_job};
pub use guests::{GuestLine, guest, guest_by_username, guests, sessions_of_guest};
pub use jobs::{
    JobLine, active_jobs, count_jobs, failures_by_slot, job, jobs, jobs_of_guest, packs_by_mode,
    packs_by_slot,
};
pub use leads::{LeadChange, count_leads, lead_history, leads_by_phone, leads_by_status, leads_by_telegram};

/// What a count answers at most; it means "this many or more".
pub const COUNT_MAX: i64 = 1_000;
