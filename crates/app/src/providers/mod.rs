//! The image providers of a process: in which order they are asked, which of them rest for a while, and what a job may cost.

mod catalogue;

pub use catalogue::{Catalogue, FILE_MAX, GeminiModels, OpenAiModels, Prompts, Reserve};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clients::images::{Class, ErrorKind, ImageError, ImageProvider};
use domain::Timestamp;
use domain::cost::pacific_midnight;

/// After so many failed jobs in a row a provider rests.
const FAILURES_MAX: u32 = 3;
/// How long it rests then.
const REST: Duration = Duration::from_secs(5 * 60);
/// Out of funds or refused by its own set-up: looked at again after this, because accounts are topped up and messages are sometimes wrong.
const LOOK_AGAIN: Duration = Duration::from_secs(15 * 60);

/// Everything that making figures needs beside a photo.
pub struct Providers {
    /// In the order of `PROVIDERS`, up to `local`.
    pub list: Vec<Provider>,
    /// Whether `local` is in `PROVIDERS`: the permission to fall back to the composite.
    pub local: bool,
    /// `JOB_COST_LIMIT_USD`.
    pub job_limit_usd: f64,
    /// Models, prompts, prices. None: nobody is ever asked.
    pub catalogue: Option<Catalogue>,
}

impl Default for Providers {
    /// Nobody is asked: every pack is a composite.
    fn default() -> Self {
        Self { list: Vec::new(), local: true, job_limit_usd: 1.0, catalogue: None }
    }
}

/// One provider and how it has been doing.
pub struct Provider {
    client: Arc<dyn ImageProvider>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    failures: u32,
    rest: Option<(Timestamp, Why)>,
}

/// Why a provider rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It has no money.
    OutOfFunds,
    /// Its requests of the day are used up.
    DailyQuota,
    /// Its key, account or model is refused.
    SetUp,
    /// It failed too often.
    Trouble,
}

impl Provider {
    /// A provider that nothing is known of yet.
    pub fn new(client: Arc<dyn ImageProvider>) -> Provider {
        Provider { client, state: Mutex::default() }
    }

    /// Whom to ask.
    pub fn client(&self) -> &dyn ImageProvider {
        &*self.client
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why it rests now, if it does.
    pub fn resting(&self, now: Timestamp) -> Option<Why> {
        self.state().rest.filter(|(until, _)| now < *until).map(|(_, why)| why)
    }

    /// It did what it was asked.
    pub fn worked(&self) {
        *self.state() = State::default();
    }

    /// It did not, for good; answers why it rests from now on, when it begins to.
    pub fn failed(&self, error: &ImageError, now: Timestamp) -> Option<Why> {
        let mut state = self.state();
        let (why, until) = match (error.class(), error.kind) {
            (Class::RefusedBySafety, _) => return None,
            (Class::OutOfFunds, _) => (Why::OutOfFunds, now.plus(LOOK_AGAIN)),
            // Our request was wrong, not the provider.
            (_, ErrorKind::BadRequest | ErrorKind::Unfinished) => return None,
            (Class::Permanent, _) => (Why::SetUp, now.plus(LOOK_AGAIN)),
            (_, ErrorKind::DailyQuota) => (Why::DailyQuota, pacific_midnight(now, -1)),
            (Class::Retryable, _) => {
                state.failures += 1;
                if state.failures < FAILURES_MAX {
                    return None;
                }
                (Why::Trouble, now.plus(REST))
            }
        };
        state.failures = 0;
        state.rest = Some((until, why));
        Some(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clients::images::{Appearance, Call, DescribeOrder, DrawOrder, JudgeOrder, Judgement, Picture};

    struct Nobody;

    impl ImageProvider for Nobody {
        fn name(&self) -> &'static str {
            "nobody"
        }
        fn image_model(&self) -> &str {
            "none"
        }
        fn vision_model(&self) -> Option<&str> {
            None
        }
        fn draw(&self, _: DrawOrder) -> Call<'_, Picture> {
            Box::pin(async { Err(ImageError::not_sent("nobody")) })
        }
        fn describe(&self, _: DescribeOrder) -> Call<'_, Appearance> {
            Box::pin(async { Err(ImageError::not_sent("nobody")) })
        }
        fn judge(&self, _: JudgeOrder) -> Call<'_, Judgement> {
            Box::pin(async { Err(ImageError::not_sent("nobody")) })
        }
    }

    fn failed(provider: &Provider, kind: ErrorKind, minute: u64) -> Option<Why> {
        provider.failed(&ImageError::new(kind, None, ""), at(minute))
    }

    fn at(minute: u64) -> Timestamp {
        Timestamp::from_millis(1_795_959_000_000).plus(Duration::from_secs(60 * minute))
    }

    #[test]
    fn a_provider_that_fails_three_times_in_a_row_rests_for_five_minutes() {
        let provider = Provider::new(Arc::new(Nobody));
        assert_eq!(failed(&provider, ErrorKind::Overloaded, 0), None);
        provider.worked();
        assert_eq!(failed(&provider, ErrorKind::Overloaded, 0), None);
        assert_eq!(failed(&provider, ErrorKind::TooSlow, 0), None);
        assert_eq!(failed(&provider, ErrorKind::Lost, 0), Some(Why::Trouble));
        assert_eq!((provider.resting(at(4)), provider.resting(at(5))), (Some(Why::Trouble), None));
    }

    #[test]
    fn no_money_a_used_up_day_and_a_wrong_key_rest_at_once() {
        let provider = Provider::new(Arc::new(Nobody));
        assert_eq!(failed(&provider, ErrorKind::OutOfFunds, 0), Some(Why::OutOfFunds));
        assert_eq!((provider.resting(at(14)), provider.resting(at(15))), (Some(Why::OutOfFunds), None));
        assert_eq!(failed(&provider, ErrorKind::InvalidKey, 20), Some(Why::SetUp));
        assert_eq!(failed(&provider, ErrorKind::DailyQuota, 40), Some(Why::DailyQuota));
        let midnight = pacific_midnight(at(40), -1);
        assert!(provider.resting(midnight.minus(Duration::from_millis(1))).is_some());
        assert_eq!(provider.resting(midnight), None);
    }

    #[test]
    fn a_refusal_by_safety_says_nothing_about_the_provider() {
        let provider = Provider::new(Arc::new(Nobody));
        for _ in 0..5 {
            assert_eq!(failed(&provider, ErrorKind::Declined, 0), None);
            assert_eq!(failed(&provider, ErrorKind::BadRequest, 0), None);
        }
        assert_eq!(provider.resting(at(0)), None);
    }
}
