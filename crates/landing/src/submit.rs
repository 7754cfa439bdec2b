//! The checks of a submitted form, in the seed's order, and its delivery (seed 003, "Checks on the landing side").

use crate::deliver::{Route, deliver};
use crate::form::Typed;
use crate::site::Site;
use domain::lead_form::{FieldErrors, LeadRequest, is_uuid_v4};
use domain::{Language, Rng, Timestamp};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// `MIN_FILL_MS`: nobody fills the form in faster than this.
const FILL_MIN: Duration = Duration::from_millis(3_000);

/// What the visitor is told.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It arrived, or a robot shall believe so.
    Sent,
    /// Fields need another look.
    Invalid(FieldErrors),
    /// Too many requests.
    Throttled,
    /// It did not arrive.
    Failed,
}

/// Checks and delivers. A visitor who hangs up changes nothing about a request that passed the checks.
pub async fn submit(site: &Site, typed: &Typed, language: Language, visitor: IpAddr) -> Outcome {
    let shared = &site.0;
    let now = shared.options.clock.now();
    if is_trapped(typed) || is_too_fast(&typed.started_at, now) {
        return Outcome::Sent;
    }
    let request_id = request_id(&typed.request_id, shared.options.rng.as_ref());
    let lead = match typed.lead_form(request_id, language, visitor.to_string()).check() {
        Ok(lead) => lead,
        Err(errors) => return Outcome::Invalid(errors),
    };
    if !shared.limiter.allows(visitor, now) {
        return Outcome::Throttled;
    }
    told(handed_over(site, lead).await)
}

/// Delivers in a task of its own, so that neither a hang-up nor a shutdown cuts it off half-way.
async fn handed_over(site: &Site, lead: LeadRequest) -> Route {
    let shared = Arc::clone(&site.0);
    let Ok(place) = Arc::clone(&shared.deliveries).try_acquire_owned() else {
        tracing::error!("[request] {} → {}", lead.request_id, Route::Lost);
        return Route::Lost;
    };
    let task = tokio::spawn(async move {
        let route = deliver(&shared.options.delivery, &lead).await;
        drop(place);
        route
    });
    // A task that panicked delivered nothing that we know of.
    task.await.unwrap_or(Route::Lost)
}

fn told(route: Route) -> Outcome {
    match route {
        Route::Server | Route::Fallback | Route::Telegram | Route::Console => Outcome::Sent,
        Route::ServerThrottled => Outcome::Throttled,
        Route::ServerRejected | Route::Lost => Outcome::Failed,
    }
}

fn is_trapped(typed: &Typed) -> bool {
    !typed.company.is_empty()
}

/// Whether the page was made less than [`FILL_MIN`] ago. A time in the future is our own clock set back, and no reason to lose a request.
fn is_too_fast(started_at: &str, now: Timestamp) -> bool {
    started_at.trim().parse::<i64>().is_ok_and(|started| {
        started <= now.as_millis() && now.since(Timestamp::from_millis(started)) < FILL_MIN
    })
}

/// The page's own id; a new one when it is missing or no UUID of version 4.
fn request_id(sent: &str, rng: &dyn Rng) -> String {
    let sent = sent.trim();
    if is_uuid_v4(sent) { sent.to_owned() } else { new_request_id(rng) }
}

/// A UUID of version 4.
pub fn new_request_id(rng: &dyn Rng) -> String {
    let mut bytes = [0; 16];
    rng.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rng::SeededRng;

    #[test]
    fn a_form_filled_in_under_three_seconds_is_a_robots() {
        let now = Timestamp::from_millis(1_000_000);
        for (started, too_fast) in [
            ("997001", true),
            ("997000", false),
            ("1000000", true),
            ("1000001", false),
            ("", false),
            ("soon", false),
            ("-5", false),
        ] {
            assert_eq!(is_too_fast(started, now), too_fast, "{started}");
        }
    }

    #[test]
    fn an_id_that_is_no_uuid_v4_is_replaced_by_one() {
        let rng = SeededRng::new(1);
        let good = "0B9E4A1C-7D52-4F3E-9A68-5C2D1E0F7B34";
        assert_eq!(request_id(good, &rng), good);
        for bad in ["", "42", "0b9e4a1c-7d52-1f3e-9a68-5c2d1e0f7b34", "0b9e4a1c-7d52-4f3e-1a68-5c2d1e0f7b34"]
        {
            let made = request_id(bad, &rng);
            assert!(is_uuid_v4(&made), "{bad} became {made}");
        }
        assert_ne!(new_request_id(&rng), new_request_id(&rng));
    }
}
