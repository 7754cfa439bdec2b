//! What a call to an image provider costs: tokens from its answer, prices from the operator's dated table, days of California.

use crate::clock::Timestamp;
use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Tokens of one call, as the provider counts them. What it does not tell is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Text that was sent.
    pub text_in: u32,
    /// Pictures that were sent.
    pub image_in: u32,
    /// Text that came back, thinking included.
    pub text_out: u32,
    /// Pictures that came back.
    pub image_out: u32,
}

impl Tokens {
    /// Everything that was sent.
    pub fn input(&self) -> u64 {
        u64::from(self.text_in) + u64::from(self.image_in)
    }

    /// Everything that came back.
    pub fn output(&self) -> u64 {
        u64::from(self.text_out) + u64::from(self.image_out)
    }
}

/// US dollars for a million tokens of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Text that is sent.
    pub text_in: f64,
    /// Pictures that are sent.
    pub image_in: f64,
    /// Text that comes back, thinking included.
    pub text_out: f64,
    /// Pictures that come back.
    pub image_out: f64,
}

impl Price {
    /// US dollars for these tokens.
    pub fn of(&self, tokens: Tokens) -> f64 {
        let part = |count: u32, price: f64| f64::from(count) * price / 1e6;
        part(tokens.text_in, self.text_in)
            + part(tokens.image_in, self.image_in)
            + part(tokens.text_out, self.text_out)
            + part(tokens.image_out, self.image_out)
    }
}

/// A model's price from a day on.
#[derive(Clone, Debug, PartialEq)]
pub struct DatedPrice {
    /// The model, as providers name it.
    pub model: String,
    /// First day, `YYYY-MM-DD` in California.
    pub since: String,
    /// The price.
    pub price: Price,
}

/// The operator's price table. Prices go stale within weeks, so each says from when it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(pub Vec<DatedPrice>);

impl Prices {
    /// What a model costs at a time; none when the table does not know.
    pub fn at(&self, model: &str, now: Timestamp) -> Option<Price> {
        let today = pacific_day(now);
        let known = self.0.iter().filter(|row| row.model == model && row.since <= today);
        known.max_by(|a, b| a.since.cmp(&b.since)).map(|row| row.price)
    }
}

/// The time of the providers' quotas and bills (`America/Los_Angeles`). The rule stands here, so that no machine needs a table of zones.
fn pacific() -> TimeZone {
    TimeZone::posix("PST8PDT,M3.2.0,M11.1.0").unwrap_or(TimeZone::UTC)
}

fn day(now: Timestamp) -> Date {
    let time = jiff::Timestamp::from_millisecond(now.as_millis()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    pacific().to_datetime(time).date()
}

/// The day of a time in California, `YYYY-MM-DD`.
pub fn pacific_day(now: Timestamp) -> String {
    day(now).to_string()
}

/// Midnight in California, so many days before (or, negative, after) the day of a time.
pub fn pacific_midnight(now: Timestamp, days_back: i32) -> Timestamp {
    let day = day(now).saturating_sub(Span::new().days(days_back));
    let midnight = pacific().to_timestamp(day.at(0, 0, 0, 0));
    midnight.map_or(now, |midnight| Timestamp::from_millis(midnight.as_millisecond()))
}

/// US dollars added up. Nothing costs 0: the sum of no floating-point numbers is a negative zero in Rust, which is written `-0.00`.
pub fn sum_usd(costs: impl IntoIterator<Item = f64>) -> f64 {
    costs.into_iter().fold(0.0, |sum, cost| sum + cost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing_and_not_less() {
        assert_eq!(format!("{:.2}", sum_usd([])), "0.00");
        assert_eq!(format!("{:.2}", sum_usd([0.25, 0.5])), "0.75");
    }

    #[test]
    fn each_kind_of_token_has_its_own_price() {
        let price = Price { text_in: 1.5, image_in: 2.0, text_out: 7.5, image_out: 30.0 };
        let tokens = Tokens { text_in: 600, image_in: 2_240, text_out: 300, image_out: 1_680 };
        let cost = 600.0 * 1.5e-6 + 2_240.0 * 2e-6 + 300.0 * 7.5e-6 + 1_680.0 * 30e-6;
        assert!((price.of(tokens) - cost).abs() < 1e-12);
        assert_eq!((tokens.input(), tokens.output()), (2_840, 1_980));
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::from_millis(text.parse::<jiff::Timestamp>().expect("a time").as_millisecond())
    }

    #[test]
    fn a_day_in_california_begins_at_seven_or_eight_utc() {
        assert_eq!(pacific_day(at("2026-11-29T07:59:59Z")), "2026-11-28");
        assert_eq!(pacific_day(at("2026-11-29T08:00:00Z")), "2026-11-29");
        assert_eq!(pacific_day(at("2026-07-01T06:59:59Z")), "2026-06-30");
        assert_eq!(pacific_day(at("2026-07-01T07:00:00Z")), "2026-07-01");
    }

    #[test]
    fn the_next_midnight_is_right_on_both_days_of_the_clock_change() {
        // 2026-03-08 and 2026-11-01 have 23 and 25 hours.
        assert_eq!(pacific_midnight(at("2026-03-08T09:00:00Z"), -1), at("2026-03-09T07:00:00Z"));
        assert_eq!(pacific_midnight(at("2026-11-01T08:00:00Z"), -1), at("2026-11-02T08:00:00Z"));
        assert_eq!(pacific_midnight(at("2026-11-02T12:00:00Z"), 1), at("2026-11-01T07:00:00Z"));
    }

    #[test]
    fn a_price_counts_from_its_day_on() {
        let row = |since: &str, price: f64| DatedPrice {
            model: "m".into(),
            since: since.into(),
            price: Price { image_out: price, ..Price::default() },
        };
        let prices = Prices(vec![row("2027-01-01", 60.0), row("2026-01-01", 30.0)]);
        let image_out = |text: &str| prices.at("m", at(text)).map(|price| price.image_out);
        assert_eq!(image_out("2025-06-01T12:00:00Z"), None);
        assert_eq!(image_out("2027-01-01T07:59:00Z"), Some(30.0));
        assert_eq!(image_out("2027-01-01T08:00:00Z"), Some(60.0));
        assert_eq!(prices.at("other", at("2027-01-01T08:00:00Z")), None);
    }
}
