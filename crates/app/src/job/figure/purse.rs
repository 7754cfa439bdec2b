//! One call to a provider: allowed by the job's ceiling, written down before it is made and settled after, tried again where that helps.

use super::{Ended, Order, files};
use crate::AppError;
use crate::providers::{Catalogue, Provider, Why};
use clients::images::{Answered, Call, Class, ErrorKind, ImageError, ImageProvider, Paid};
use domain::Timestamp;
use std::time::Duration;
use store::ai_usage::{Settled, Usage};

/// After this no further call of an attempt begins: the guest's deadline is 15 minutes, and Telegram needs some of it.
const TIME_MAX: Duration = Duration::from_secs(8 * 60);
/// A longer wait does not hold a slot: somebody else is asked, or the job goes back to the queue.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// Before the second try of a call; doubled before the third.
const WAIT_FIRST: Duration = Duration::from_secs(2);

/// Everything about a call but the call.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub stage: &'static str,
    pub model: &'a str,
    pub reserve_usd: f64,
    /// Tries after the first, however much the error would allow.
    pub retries_max: u32,
}

impl<'a> Asked<'a> {
    pub fn new(stage: &'static str, model: &'a str, reserve_usd: f64) -> Asked<'a> {
        Asked { stage, model, reserve_usd, retries_max: u32::MAX }
    }
}

/// Pays for the calls of one attempt with one provider.
pub(super) struct Purse<'a> {
    order: &'a Order<'a>,
    provider: &'a Provider,
    catalogue: &'a Catalogue,
    ends_at: Timestamp,
}

impl<'a> Purse<'a> {
    pub fn new(order: &'a Order<'a>, provider: &'a Provider, catalogue: &'a Catalogue) -> Self {
        Purse { order, provider, catalogue, ends_at: order.clock.now().plus(TIME_MAX) }
    }

    pub fn client(&self) -> &'a dyn ImageProvider {
        self.provider.client()
    }

    /// Makes a call, again where that helps.
    pub async fn call<T>(&self, asked: Asked<'_>, ask: impl Fn() -> Call<'a, T>) -> Result<T, Ended> {
        let mut tries = 0;
        loop {
            self.allowed(&asked).await?;
            let row = self.begin(&asked).await?;
            let answer = ask().await;
            let paid = match &answer {
                Ok(Answered { paid, .. }) => Some(*paid),
                Err(error) if error.maybe_billed() => None,
                Err(error) => Some(error.paid),
            };
            self.settle(row, &asked, paid, answer.is_ok()).await?;
            let error = match answer {
                Ok(answered) => {
                    self.provider.worked();
                    return Ok(answered.value);
                }
                Err(error) => error,
            };
            if let Some(prose) = &error.prose {
                files::keep_prose(self.order, asked.stage, &prose.0).await?;
            }
            tries += 1;
            let wait = wait(&error, tries);
            if tries > error.retries().min(asked.retries_max) || wait > WAIT_MAX {
                return Err(self.given_up(&asked, &error, wait).await?);
            }
            self.order.timer.sleep(wait).await;
        }
    }

    /// Whether the job is still ours, has time left, and may spend the reserve.
    async fn allowed(&self, asked: &Asked<'_>) -> Result<(), Ended> {
        let spent = self.order.books.spent().await?;
        if self.order.clock.now() >= self.ends_at {
            return Err(Ended::failed("no time is left for another call"));
        }
        let limit = self.order.providers.job_limit_usd;
        if spent + asked.reserve_usd > limit {
            let words = format!(
                "{spent:.3} USD are spent and {} may take {:.3}, of {limit:.2}",
                asked.stage, asked.reserve_usd
            );
            return Err(Ended::Ceiling(words));
        }
        Ok(())
    }

    async fn begin(&self, asked: &Asked<'_>) -> Result<i64, AppError> {
        let usage = Usage {
            job: self.order.books.job(),
            stage: asked.stage.to_owned(),
            provider: self.provider.client().name().to_owned(),
            model: asked.model.to_owned(),
            input_tokens: 0,
            output_tokens: 0,
            images: 0,
            cost_usd: asked.reserve_usd,
            at: self.order.clock.now(),
        };
        self.order.books.begin(usage).await
    }

    /// Puts the real cost in place of the reserve. An unknown one stays the reserve: lost calls are billed.
    async fn settle(
        &self,
        row: i64,
        asked: &Asked<'_>,
        paid: Option<Paid>,
        worked: bool,
    ) -> Result<(), AppError> {
        let Some(paid) = paid else { return Ok(()) };
        let price = self.catalogue.prices.at(asked.model, self.order.clock.now());
        let cost_usd = match (paid.tokens, price) {
            (Some(tokens), Some(price)) => price.of(tokens),
            // A local model: nothing is counted, and the table says that it is free.
            (None, Some(price)) if price == domain::cost::Price::default() => 0.0,
            (None, _) if !worked => 0.0,
            _ => asked.reserve_usd,
        };
        let tokens = paid.tokens.unwrap_or_default();
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let settled = Settled {
            input_tokens: whole(tokens.input()),
            output_tokens: whole(tokens.output()),
            images: i64::from(paid.images),
            cost_usd,
        };
        self.order.books.settle(row, settled).await
    }

    /// What the end of the tries means; operators hear when the provider rests from now on.
    async fn given_up(
        &self,
        asked: &Asked<'_>,
        error: &ImageError,
        wait: Duration,
    ) -> Result<Ended, AppError> {
        let (now, name) = (self.order.clock.now(), self.provider.client().name());
        let words = format!("{name}, {}: {error}", asked.stage);
        tracing::warn!(job_id = self.order.books.job().0, provider = name, stage = asked.stage, kind = ?error.kind, "a call to a provider failed");
        if let Some(why) = self.provider.failed(error, now) {
            self.alert(why, name, error, now).await?;
        }
        Ok(match error.class() {
            Class::OutOfFunds => Ended::OutOfFunds(words),
            Class::RefusedBySafety => Ended::Refused(words),
            Class::Permanent | Class::Retryable => {
                Ended::Failed(words, wait.max(domain::delivery::RETRY_DELAY))
            }
        })
    }

    async fn alert(&self, why: Why, name: &str, error: &ImageError, now: Timestamp) -> Result<(), AppError> {
        let (kind, text) = match why {
            Why::OutOfFunds => (
                "provider_funds",
                format!(
                    "⚠️ У провайдера {name} кончились деньги ({error}). Что делать: пополнить счёт; через 15 минут спросим снова."
                ),
            ),
            Why::SetUp => (
                "provider_setup",
                format!(
                    "⚠️ Провайдер {name} не принимает наши запросы ({error}). Что делать: проверить ключ, модель и счёт."
                ),
            ),
            Why::DailyQuota => (
                "provider_quota",
                format!(
                    "⚠️ Дневной лимит запросов провайдера {name} исчерпан до полуночи по Калифорнии. Что делать: поднять лимит или ждать."
                ),
            ),
            Why::Trouble => (
                "provider_trouble",
                format!(
                    "⚠️ Провайдер {name} не отвечает как надо ({error}), 5 минут обходимся без него. Что делать: ничего, если это пройдёт само."
                ),
            ),
        };
        self.order.books.alert(kind, text, now).await
    }
}

/// Before the next try: as long as asked, else longer each time.
fn wait(error: &ImageError, tries: u32) -> Duration {
    let backoff = WAIT_FIRST * (1 << tries.saturating_sub(1).min(4));
    match error.kind {
        ErrorKind::RateLimited { retry_after: Some(wait) } => wait.max(Duration::from_millis(200)),
        _ => backoff,
    }
}
