//! Failures and defects on order: which service and task, how often, what happens.

use super::kinds::{Service, Task};

/// Faults that may wait at one time.
const MOST_FAULTS: usize = 1_000;
/// The longest wait of `Slow`.
const MOST_SECONDS: u64 = 600;

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageFault {
    /// The account is empty.
    OutOfFunds,
    /// 429 with a time to wait.
    RateLimited {
        /// Seconds in the answer.
        retry_after_s: u64,
    },
    /// The requests of the day are used up (OpenAI: the same as out of funds says nothing of days, so a bare 429).
    DailyQuota,
    /// A JSON error of this status.
    ServerError {
        /// 500, 503, …
        status: u16,
    },
    /// A page of a proxy.
    Html {
        /// HTTP status.
        status: u16,
    },
    /// The answer comes late.
    Slow {
        /// Seconds by the world's clock.
        seconds: u64,
    },
    /// No answer ever.
    Hang,
    /// The connection closes unanswered.
    Drop,
    /// The body stops in the middle.
    Half,
    /// The photo is refused by the rules of safety.
    Safety,
    /// The photo is refused because it shows a child.
    Child,
    /// The drawing is refused by the rules of safety: another one may pass.
    UnsafeDrawing,
    /// A polite text instead of a picture.
    Prose,
    /// An answer without picture and reason.
    NoImage,
    /// The model does not exist any more.
    ModelGone,
    /// The key was blocked.
    KeyBlocked,
    /// A judge takes every figure for somebody else.
    Doubts,
    /// The drawing has a defect.
    Drawn(Defect),
}

/// What is wrong with a sheet; the places count from 0, by rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// Nothing in this cell.
    Empty(usize),
    /// The figure of this cell is a speck.
    Tiny(usize),
    /// Two figures in this cell.
    Two(usize),
    /// The figure of this cell is so large that it reaches into its right neighbour.
    Touching(usize),
    /// The figure of this cell runs over the picture's border.
    Cut(usize),
    /// This cell shows the figure of the cell before it.
    Same(usize),
    /// This cell shows somebody else.
    Stranger(usize),
    /// The ground gets darker towards a corner.
    Uneven,
    /// Noise on everything, as strong compression leaves it.
    Noise,
    /// The ground is another tone of the key colour.
    OffKey,
    /// A painted chessboard instead of the key colour.
    Chessboard,
    /// Twice as wide as high.
    Wide,
}

/// A failure that waits for its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripted {
    service: Option<Service>,
    task: Option<Task>,
    skip: u32,
    count: u32,
    fault: ImageFault,
}

impl Scripted {
    /// A failure of the next call, whatever it is.
    #[must_use]
    pub fn once(fault: ImageFault) -> Self {
        Self { service: None, task: None, skip: 0, count: 1, fault }
    }

    /// A defect of the next drawing.
    #[must_use]
    pub fn drawn(defect: Defect) -> Self {
        Self::once(ImageFault::Drawn(defect)).on(Task::Draw)
    }

    /// The same, for one service.
    #[must_use]
    pub fn of(self, service: Service) -> Self {
        Self { service: Some(service), ..self }
    }

    /// The same, for one task.
    #[must_use]
    pub fn on(self, task: Task) -> Self {
        Self { task: Some(task), ..self }
    }

    /// The same, after so many calls that pass.
    #[must_use]
    pub fn after(self, skip: u32) -> Self {
        Self { skip, ..self }
    }

    /// The same, for so many calls; 0 means for ever.
    #[must_use]
    pub fn times(self, count: u32) -> Self {
        Self { count, ..self }
    }
}

/// What a service does instead of its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    Is(ImageFault),
    Half,
}

/// What happens to one call: waits and defects add up, of troubles the first is taken.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub waits: Vec<u64>,
    pub defects: Vec<Defect>,
    pub trouble: Option<Trouble>,
}

#[derive(Debug, Default)]
pub(super) struct Faults(Vec<Scripted>);

impl Faults {
    pub fn add(&mut self, fault: Scripted) -> bool {
        let room = self.0.len() < MOST_FAULTS;
        if room {
            self.0.push(fault);
        }
        room
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn plan(&mut self, service: Service, task: Task) -> Plan {
        let mut plan = Plan::default();
        self.0.retain_mut(|one| {
            if one.service.is_some_and(|s| s != service) || one.task.is_some_and(|t| t != task) {
                return true;
            }
            if one.skip > 0 {
                one.skip -= 1;
                return true;
            }
            match &one.fault {
                ImageFault::Drawn(defect) => plan.defects.push(*defect),
                ImageFault::Slow { seconds } => plan.waits.push((*seconds).min(MOST_SECONDS)),
                // Its turn comes with the next call.
                _ if plan.trouble.is_some() => return true,
                ImageFault::Half => plan.trouble = Some(Trouble::Half),
                other => plan.trouble = Some(Trouble::Is(other.clone())),
            }
            if one.count == 1 {
                return false;
            }
            one.count = one.count.saturating_sub(1);
            true
        });
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_hits_its_service_and_task_so_often_as_told() {
        let mut faults = Faults::default();
        let empty =
            Scripted::once(ImageFault::OutOfFunds).of(Service::Gemini).on(Task::Draw).after(1).times(2);
        assert!(faults.add(empty));
        let mut hit = |service, task| faults.plan(service, task).trouble.is_some();
        assert!(!hit(Service::OpenAi, Task::Draw));
        assert!(!hit(Service::Gemini, Task::Describe));
        assert!(!hit(Service::Gemini, Task::Draw), "the first passes");
        assert!(hit(Service::Gemini, Task::Draw) && hit(Service::Gemini, Task::Draw));
        assert!(!hit(Service::Gemini, Task::Draw));
    }

    #[test]
    fn defects_add_up_and_troubles_come_one_by_one() {
        let mut faults = Faults::default();
        for fault in [
            Scripted::drawn(Defect::Uneven),
            Scripted::drawn(Defect::Noise),
            Scripted::once(ImageFault::Safety),
            Scripted::once(ImageFault::Prose),
        ] {
            faults.add(fault);
        }
        let first = faults.plan(Service::Gemini, Task::Draw);
        assert_eq!(first.defects, [Defect::Uneven, Defect::Noise]);
        assert_eq!(first.trouble, Some(Trouble::Is(ImageFault::Safety)));
        assert_eq!(faults.plan(Service::Gemini, Task::Draw).trouble, Some(Trouble::Is(ImageFault::Prose)));
        assert_eq!(faults.plan(Service::Gemini, Task::Draw).trouble, None);
    }
}
