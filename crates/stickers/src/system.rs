//! The ambient things that everything else gets passed in: the system's clock, its randomness, its disks.

use app::panel::Disk;
use domain::{Clock, Rng, Timestamp};
use rand::TryRng;
use rand::rngs::SysRng;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that is passed in")]
    fn now(&self) -> Timestamp {
        let now = std::time::SystemTime::now();
        // A clock before 1970 reads as 1970: such a machine has no battery, and its times are wrong anyway.
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's randomness.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRng;

impl Rng for SystemRng {
    #[expect(clippy::expect_used, reason = "see the comment: there is no way to go on")]
    fn fill(&self, buffer: &mut [u8]) {
        // Linux fails here only before its pool is seeded at boot, for which the call itself waits. A predictable token would
        // open a stranger's session, so a process without randomness must not go on.
        SysRng.try_fill_bytes(buffer).expect("the operating system gives random bytes");
    }
}

/// The disk below this folder; none when the system does not tell.
pub fn disk(folder: &Path) -> Option<Disk> {
    let found = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some(Disk { total: bytes(found.f_blocks), free: bytes(found.f_bavail) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_has_room_and_not_more_than_it_holds() {
        let disk = disk(&std::env::temp_dir()).expect("a disk");
        assert!(disk.total > 0 && disk.free <= disk.total, "{disk:?}");
        assert_eq!(super::disk(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn two_draws_of_the_system_differ() {
        let (mut one, mut two) = ([0u8; 16], [0u8; 16]);
        SystemRng.fill(&mut one);
        SystemRng.fill(&mut two);
        assert_ne!(one, two);
    }

    #[test]
    fn the_clock_is_past_the_day_on_which_this_was_written() {
        assert!(SystemClock.now() > Timestamp::from_millis(1_795_900_000_000));
    }
}
