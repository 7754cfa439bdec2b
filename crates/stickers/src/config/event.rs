//! The event: `EVENT_NAME`, `BRAND_NAME`, `PRIVACY_URL`, `ADMIN_USER_IDS`, `PACK_LIMIT`, `PHOTO_TTL_HOURS`, `MAINTENANCE_MODE`.

use super::reader::{Reader, http_url};

/// What guests are told, and the rules of the evening.
#[derive(Clone)]
pub struct Event {
    /// `EVENT_NAME`, on the kiosk and in the consent text.
    pub event_name: String,
    /// `BRAND_NAME`, on the kiosk.
    pub brand_name: String,
    /// `PRIVACY_URL`, at the end of the consent text.
    pub privacy_url: Option<String>,
    /// `ADMIN_USER_IDS`: Telegram ids of operators, who get alerts.
    pub admin_user_ids: Vec<i64>,
    /// `PACK_LIMIT`, default 1: packs for one guest.
    pub pack_limit: u32,
    /// `PHOTO_TTL_HOURS`, default 72.
    pub photo_ttl_hours: u32,
    /// `MAINTENANCE_MODE`, default 0: refuses new sessions.
    pub maintenance: bool,
}

/// Neutral words for a kiosk that was told no name.
const NO_NAME: &str = "Stickers";

impl Event {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Event {
        Event {
            event_name: name(r, "EVENT_NAME"),
            brand_name: name(r, "BRAND_NAME"),
            privacy_url: r
                .parsed("PRIVACY_URL", "", "an address that begins with http:// or https://", |value| {
                    if value.is_empty() { Some(None) } else { http_url(value).map(Some) }
                })
                .flatten(),
            admin_user_ids: r
                .parsed("ADMIN_USER_IDS", "", "Telegram ids separated by commas", ids)
                .unwrap_or_default(),
            pack_limit: r.number("PACK_LIMIT", 1, 1..=1_000),
            photo_ttl_hours: r.number("PHOTO_TTL_HOURS", 72, 1..=72),
            maintenance: r.switch("MAINTENANCE_MODE", false),
        }
    }
}

/// A name of one line that fits a screen.
fn name(r: &mut Reader<'_>, variable: &'static str) -> String {
    r.parsed(variable, NO_NAME, "one line of at most 60 characters", |value| {
        let fits = value.chars().count() <= 60 && !value.chars().any(char::is_control);
        fits.then(|| value.to_owned())
    })
    .unwrap_or_else(|| NO_NAME.to_owned())
}

/// Positive numbers separated by commas; nothing is an empty list.
pub(super) fn ids(value: &str) -> Option<Vec<i64>> {
    let parts = value.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse::<i64>().ok().filter(|id| *id > 0)).collect()
}
