//! The look before an event (`stickers doctor`): what would fail on the day, each with what to do. Changes nothing but probes that it takes away
//! again.

mod data;
mod rehearse;
mod telegram;

pub use data::{backups, clock, database, disk, media, settings};
pub use rehearse::{Rehearsal, rehearse};
pub use telegram::telegram;

use crate::AppError;
use crate::operator;
use crate::providers::Providers;
use serde::Serialize;
use store::Store;

/// How a look ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// In order.
    Ok,
    /// It will work, and not as well as it should.
    Warning,
    /// It would fail on the day.
    Failure,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub about: &'static str,
    /// How it is.
    pub mark: Mark,
    /// What was seen.
    pub says: String,
    /// What to do; empty when nothing.
    pub advice: String,
}

impl Finding {
    /// In order.
    pub fn ok(about: &'static str, says: impl Into<String>) -> Finding {
        Finding { about, mark: Mark::Ok, says: says.into(), advice: String::new() }
    }

    /// Not as it should be.
    pub fn warning(about: &'static str, says: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { about, mark: Mark::Warning, says: says.into(), advice: advice.into() }
    }

    /// It would fail.
    pub fn failure(about: &'static str, says: impl Into<String>, advice: impl Into<String>) -> Finding {
        Finding { about, mark: Mark::Failure, says: says.into(), advice: advice.into() }
    }
}

/// An error with its causes, on one line.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Below this the prepaid balance does not last for an evening.
const BALANCE_LOW_USD: f64 = 5.0;

/// Who draws, and whether the money lasts. Keys are proven by a rehearsal only: every call is paid.
///
/// # Errors
/// When the database fails.
pub async fn providers(providers: &Providers, store: Option<&Store>) -> Result<Vec<Finding>, AppError> {
    const ABOUT: &str = "providers";
    let names: Vec<_> = providers.list.iter().map(|one| one.client().name().to_owned()).collect();
    if names.is_empty() {
        return Ok(vec![Finding::ok(ABOUT, "only the built-in renderer, which needs nobody")]);
    }
    let order = names.join(", ");
    let mut found = vec![if providers.local {
        Finding::ok(ABOUT, format!("{order}, then the built-in renderer; their keys are tried by --rehearse"))
    } else {
        Finding::warning(
            ABOUT,
            format!("{order}, and nothing behind them"),
            "add local at the end of PROVIDERS, or a provider without money stops the event",
        )
    }];
    let balance = match store {
        Some(store) => operator::balance(&mut store.reader()).await?,
        None => None,
    };
    match balance {
        Some(balance) if balance.left() < BALANCE_LOW_USD => found.push(Finding::warning(
            "balance",
            format!("{:.2} USD left by our count", balance.left()),
            "top the account up, then tell the bot: /balance AMOUNT",
        )),
        Some(balance) => {
            found.push(Finding::ok("balance", format!("{:.2} USD left by our count", balance.left())))
        }
        None => found.push(Finding::warning(
            "balance",
            "nobody told how much money the account has",
            "tell the bot: /balance AMOUNT, and it warns before the money ends",
        )),
    }
    Ok(found)
}
