//! `POST /leads` after its edge: whether a request is known, held back, new, or the same person again (seed 003, steps 6 to 10).
//!
//! One transaction decides all of it, so that the limits and "one person, one lead" hold however many requests come at once. The
//! verb calls nobody: the row is the message to the bot, and the commit wakes it (seed 004).

use crate::ctx::LeadsIntake;
use crate::{AppError, Ctx, Settings, outbox};
use domain::Timestamp;
use domain::lead::LeadId;
use domain::lead_form::{HOUR, LeadRequest, REPEAT_WINDOW};
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;
use store::leads::intake::{self, Incoming, IntakeLimits};
use store::{Change, StoreError, Tx, settings};

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// A new lead.
    New(LeadId),
    /// Nothing new: its `request_id` was known, or (with `repeat`) the same person asked within the last 24 hours.
    Duplicate {
        /// The lead to which it belongs.
        lead: LeadId,
        /// Whether it is a repeat of that lead.
        repeat: bool,
    },
    /// Not stored: this visitor asked too often.
    VisitorLimit,
    /// Not stored: everybody together asked too often.
    HourlyLimit,
}

/// The operators are told of a reached hourly limit at most this often (seed 003, step 9).
const HOURLY_ALERT_EVERY: Duration = HOUR;
/// When they were told last, in `settings`.
const HOURLY_ALERT_KEY: &str = "leads_hourly_alert";
/// How often a request is looked at again when a lead of the same person stopped to count between two looks.
const LOOKS_MAX: usize = 3;
/// Stands for an hourly limit that was looked at and not reached; `LEADS_HOURLY_LIMIT` is never so high.
const COUNTED: u32 = u32::MAX;

/// Stores a request, or says why not. It is on disk when this returns.
///
/// # Errors
/// When the database fails; then nothing is stored.
pub async fn submit(ctx: &Ctx, leads: &LeadsIntake, request: LeadRequest) -> Result<Submitted, AppError> {
    let limits = IntakeLimits {
        visitor: leads.ip_limit,
        visitor_window: leads.ip_window,
        hourly: leads.hourly_limit,
        hour: HOUR,
        repeat_window: REPEAT_WINDOW,
    };
    let ip_hash = request.visitor.and_then(|visitor| ip_hash(&leads.ip_salt, visitor));
    let incoming = Incoming { request, ip_hash, now: ctx.clock.now() };
    let settings = Arc::clone(&ctx.settings);
    // Nearly every request is new and takes one statement; only when something stands against it is it asked what.
    ctx.store
        .write_opening(
            intake::new_lead(&incoming, &limits),
            |number| Submitted::New(LeadId(number)),
            move |tx| Box::pin(async move { decide(tx, &incoming, limits, &settings).await }),
        )
        .await
}

/// Looks in the seed's order: known `request_id`, visitor, hour, person; what nothing stands against is new.
async fn decide(
    tx: &mut Tx,
    incoming: &Incoming,
    mut limits: IntakeLimits,
    settings: &Settings,
) -> Result<Submitted, AppError> {
    tx.lock_intake().await?;
    for _ in 0..LOOKS_MAX {
        if let Some(known) = intake::known(tx, &incoming.request.request_id).await? {
            return Ok(Submitted::Duplicate { lead: known.lead, repeat: known.repeat });
        }
        if over_visitor_limit(tx, incoming, &limits).await? {
            return Ok(Submitted::VisitorLimit);
        }
        if over_hourly_limit(tx, incoming, &limits).await? {
            alert_hourly(tx, settings, limits.hourly, incoming.now).await?;
            return Ok(Submitted::HourlyLimit);
        }
        // Nobody else takes a request until this write ends: what was counted holds.
        limits.hourly = COUNTED;
        let since = incoming.now.minus(limits.repeat_window);
        if let Some(recent) = intake::recent_of_person(tx, &incoming.request, since).await? {
            let changes = recent.fields.changes(&incoming.request);
            if intake::insert_repeat(tx, recent.lead, incoming, &changes).await? == Change::Changed {
                return Ok(Submitted::Duplicate { lead: recent.lead, repeat: true });
            }
        }
        if let Some(lead) = intake::insert_new(tx, incoming, &limits).await? {
            return Ok(Submitted::New(lead));
        }
    }
    // The landing site falls back to Telegram then, so the request is not lost.
    Err(AppError::Store(StoreError::Busy))
}

async fn over_visitor_limit(
    tx: &mut Tx,
    incoming: &Incoming,
    limits: &IntakeLimits,
) -> Result<bool, StoreError> {
    let Some(ip_hash) = &incoming.ip_hash else { return Ok(false) };
    let since = incoming.now.minus(limits.visitor_window);
    Ok(intake::count_of_visitor(tx, ip_hash, since, limits.visitor).await? >= limits.visitor)
}

async fn over_hourly_limit(
    tx: &mut Tx,
    incoming: &Incoming,
    limits: &IntakeLimits,
) -> Result<bool, StoreError> {
    if limits.hourly == COUNTED {
        return Ok(false);
    }
    let since = incoming.now.minus(limits.hour);
    Ok(intake::count_all(tx, since, limits.hourly).await? >= limits.hourly)
}

/// Tells the operators that requests are being turned away, at most once an hour.
async fn alert_hourly(tx: &mut Tx, settings: &Settings, limit: u32, now: Timestamp) -> Result<(), AppError> {
    let told = settings::updated_at(tx, HOURLY_ALERT_KEY).await?;
    if told.is_some_and(|told| now.since(told) < HOURLY_ALERT_EVERY) {
        return Ok(());
    }
    tracing::warn!(limit, "LEADS: the hourly limit is reached, requests are refused");
    settings::set(tx, HOURLY_ALERT_KEY, &limit.to_string(), now).await?;
    let text = format!(
        "⚠️ Заявки: за час пришло {limit}, это предел. Новые не принимаются, посетители видят «Слишком много запросов». \
         Что делать: посмотреть последние заявки (/stickers_new). Если они настоящие, поднять LEADS_HOURLY_LIMIT и \
         перезапустить API; если это спам, подождать."
    );
    let key = format!("{HOURLY_ALERT_KEY}:{}", now.as_millis());
    outbox::alert(tx, &settings.admin_user_ids, &key, None, &text, now).await
}

/// HMAC-SHA256 of the visitor's address under the salt, as lower-case hexadecimal digits; the address itself is stored nowhere. An IPv6
/// visitor is the first half of the address: whoever has one address has the whole /64.
fn ip_hash(salt: &SecretString, visitor: IpAddr) -> Option<String> {
    let address = match visitor {
        IpAddr::V4(_) => visitor,
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX))),
    };
    // A key of any length is taken, so there is always a hash.
    let mut mac = Hmac::<Sha256>::new_from_slice(salt.expose_secret().as_bytes()).ok()?;
    mac.update(address.to_string().as_bytes());
    Some(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(address: &str) -> String {
        ip_hash(&SecretString::from("pepper"), address.parse().expect("an address")).expect("a hash")
    }

    #[test]
    fn step_07_the_hash_is_hmac_sha256_with_the_salt_as_key_in_lower_case_hex() {
        // printf 203.0.113.9 | openssl dgst -sha256 -hmac pepper
        assert_eq!(hash("203.0.113.9"), "a72dd383e84e78b8e44b021e3c60129b367a4b922a30f653128652fe0d3349ce");
        assert_ne!(hash("203.0.113.9"), hash("203.0.113.8"));
    }

    #[test]
    fn an_ipv6_visitor_is_a_whole_64() {
        assert_eq!(hash("2001:db8:1:2::1"), hash("2001:db8:1:2:ffff::9"));
        assert_ne!(hash("2001:db8:1:2::1"), hash("2001:db8:1:3::1"));
    }
}
