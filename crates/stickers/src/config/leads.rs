//! The leads module: `LEADS_ENABLED`, `LEADS_SECRET`, `LEADS_IP_SALT`, `LEADS_IP_LIMIT`, `LEADS_IP_WINDOW_SEC`, `LEADS_HOURLY_LIMIT`,
//! `LEADS_CHAT_ID`, `LEADS_TOPIC_ID`, `LEADS_ADMIN_IDS`, `LEADS_CARD_PII`.

use super::event::ids;
use super::reader::Reader;
use app::{LeadsGroup, LeadsIntake, LeadsSettings};
use std::time::Duration;

/// Reads the section. Every variable is checked also when the module is off, so that switching it on holds no surprise.
pub fn read(r: &mut Reader<'_>) -> LeadsSettings {
    let enabled = r.switch("LEADS_ENABLED", true);
    let intake = intake(r);
    let group = group(r);
    LeadsSettings { intake: intake.filter(|_| enabled), group: group.filter(|_| enabled) }
}

fn intake(r: &mut Reader<'_>) -> Option<LeadsIntake> {
    let secret = r.secret("LEADS_SECRET", header_text, "1 to 200 visible ASCII characters");
    let ip_salt = r.secret("LEADS_IP_SALT", |salt| salt.len() <= 200, "at most 200 bytes");
    let ip_limit = r.number("LEADS_IP_LIMIT", 5, 1..=10_000);
    let ip_window = Duration::from_secs(r.number("LEADS_IP_WINDOW_SEC", 600, 1..=86_400));
    let hourly_limit = r.number("LEADS_HOURLY_LIMIT", 60, 1..=1_000_000);
    let secret = secret?;
    let Some(ip_salt) = ip_salt else {
        needs_salt(r);
        return None;
    };
    Some(LeadsIntake { secret, ip_salt, ip_limit, ip_window, hourly_limit })
}

/// Without a salt a stored hash of an address could be undone by trying every address.
fn needs_salt(r: &mut Reader<'_>) {
    r.problems
        .push("LEADS_IP_SALT is \"\": allowed is a secret text, because LEADS_SECRET is set".to_owned());
}

fn group(r: &mut Reader<'_>) -> Option<LeadsGroup> {
    let number = |value: &str| value.parse::<i64>().ok();
    let chat_id =
        absent_or(r, "LEADS_CHAT_ID", "a number other than 0", |value| number(value).filter(|id| *id != 0));
    let topic_id =
        absent_or(r, "LEADS_TOPIC_ID", "a positive number", |value| number(value).filter(|id| *id > 0));
    let admin_ids =
        r.parsed("LEADS_ADMIN_IDS", "", "Telegram ids separated by commas", ids).unwrap_or_default();
    let card_pii = r.switch("LEADS_CARD_PII", true);
    Some(LeadsGroup { chat_id: chat_id?, topic_id, admin_ids, card_pii })
}

/// A number that may be absent.
fn absent_or(
    r: &mut Reader<'_>,
    name: &'static str,
    allowed: &str,
    parse: impl Fn(&str) -> Option<i64>,
) -> Option<i64> {
    r.parsed(name, "", allowed, |value| if value.is_empty() { Some(None) } else { parse(value).map(Some) })
        .flatten()
}

/// What fits a header without being encoded.
pub(super) fn header_text(secret: &str) -> bool {
    secret.len() <= 200 && secret.bytes().all(|b| b.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::super::env::Env;
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Result<LeadsSettings, Vec<String>> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env = Env::new(pairs, []);
        let mut r = Reader::new(&env);
        let settings = read(&mut r);
        if r.problems.is_empty() { Ok(settings) } else { Err(r.problems) }
    }

    #[test]
    fn a_secret_without_a_salt_stops_the_start_and_neither_is_shown() {
        let lines = settings(&[("LEADS_SECRET", "hunter2")]).expect_err("refused");
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains("LEADS_IP_SALT") && !lines[0].contains("hunter2"), "{lines:?}");
        assert!(settings(&[("LEADS_SECRET", "hunter2"), ("LEADS_IP_SALT", "pepper")]).is_ok());
        assert!(settings(&[("LEADS_IP_SALT", "pepper")]).is_ok());
    }

    #[test]
    fn the_defaults_are_those_of_the_interface_page() {
        let pairs = [("LEADS_SECRET", "s"), ("LEADS_IP_SALT", "p"), ("LEADS_CHAT_ID", "-1001")];
        let on = settings(&pairs).expect("allowed");
        let intake = on.intake.expect("on");
        assert_eq!((intake.ip_limit, intake.ip_window.as_secs(), intake.hourly_limit), (5, 600, 60));
        let group = LeadsGroup { chat_id: -1001, topic_id: None, admin_ids: Vec::new(), card_pii: true };
        assert_eq!(on.group, Some(group));
    }

    #[test]
    fn the_module_is_off_when_disabled_and_each_half_without_its_variable() {
        let all = [("LEADS_SECRET", "s"), ("LEADS_IP_SALT", "p"), ("LEADS_CHAT_ID", "-1001")];
        let off = settings(&[&all[..], &[("LEADS_ENABLED", "0")]].concat()).expect("allowed");
        assert!(off.intake.is_none() && off.group.is_none());
        let no_secret = settings(&all[1..]).expect("allowed");
        assert!(no_secret.intake.is_none() && no_secret.group.is_some());
        let no_chat = settings(&all[..2]).expect("allowed");
        assert!(no_chat.intake.is_some() && no_chat.group.is_none());
    }

    #[test]
    fn secret_and_salt_are_masked() {
        let env = Env::new(
            [("LEADS_SECRET", "hunter2"), ("LEADS_IP_SALT", "hunter2")]
                .map(|(a, b)| (a.to_owned(), b.to_owned())),
            [],
        );
        let mut r = Reader::new(&env);
        read(&mut r);
        for name in ["LEADS_SECRET", "LEADS_IP_SALT"] {
            let shown = r.shown.iter().find(|shown| shown.name == name).expect("shown");
            assert_eq!(shown.value.as_deref(), Some("********"));
        }
    }
}
