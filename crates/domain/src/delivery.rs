//! Deadlines and pauses of generation and delivery, from seed 001 and product.md. All are measured from times in the database, so
//! that a restart changes nothing.

use std::time::Duration;

/// A job gets this many attempts (`MAX_ATTEMPTS`, seed 001).
pub const MAX_ATTEMPTS: i64 = 2;
/// Pause after a failed attempt (`RETRY_DELAY_SEC`, seed 001).
pub const RETRY_DELAY: Duration = Duration::from_secs(10);
/// From `created_at`, with no link sent: the job fails in any active status (seed 001).
pub const DEADLINE: Duration = Duration::from_secs(15 * 60);
/// From `created_at`, with no link sent: the delay notice, once (seed 001).
pub const DELAY_NOTICE_AFTER: Duration = Duration::from_secs(5 * 60);
/// What a stopping bot gives running jobs to finish (seed 001).
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(15);
/// Shutdown returns that do not count as an attempt (seed 001).
pub const FREE_SHUTDOWN_RETURNS: i64 = 2;
/// How often the sweeper looks (product.md).
pub const SWEEP_EVERY: Duration = Duration::from_secs(10);
/// A guest's message whose outcome is unknown is sent again after this (product.md).
pub const UNKNOWN_RESEND_AFTER: Duration = Duration::from_secs(60);
/// Waits between two looks at a set whose creation was doubtful (telegram.md section 7).
pub const SET_LOOK_WAITS: [Duration; 4] =
    [Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8), Duration::from_secs(16)];
/// How long a claim is good without renewal.
pub const LEASE: Duration = Duration::from_secs(60);
/// How often a working slot renews its claim.
pub const LEASE_RENEW_EVERY: Duration = Duration::from_secs(15);

/// First words of the error of a job that missed its deadline (seed 001).
pub const UNDELIVERED: &str = "STICKERSET_DELIVERY_FAILED";
/// Marker in the error of a job given back by a stopping bot (seed 001).
pub const REQUEUED_ON_SHUTDOWN: &str = "[requeued on shutdown]";
/// Marker in the error of a job found in `processing` at start-up (seed 001).
pub const REQUEUED_AFTER_RESTART: &str = "[requeued after restart]";

/// Pause before try number `failures + 1` of a guest message: 5 s, 15 s, 60 s, 5 min, then 15 min, as for leads.
pub fn outbox_pause(failures: i64) -> Duration {
    let seconds = match failures {
        ..=1 => 5,
        2 => 15,
        3 => 60,
        4 => 300,
        _ => 900,
    };
    Duration::from_secs(seconds)
}

/// Pause between two looks at a set that is not ready yet: grows from 1 s and stays below 15 s.
pub fn verify_pause(looks: i64) -> Duration {
    Duration::from_secs(1 << looks.clamp(0, 3)).min(Duration::from_secs(15))
}
