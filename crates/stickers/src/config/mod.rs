//! Configuration, read once: one file a section, each variable with its default. What is wrong with a value is one line that names
//! the variable, the value and what is allowed.

pub mod admin;
pub mod backup;
pub mod env;
pub mod event;
pub mod http;
pub mod landing;
pub mod leads;
pub mod logs;
pub mod manual;
pub mod providers;
pub mod reader;
pub mod storage;
pub mod telegram;
pub mod work;

use app::LeadsSettings;
use app::backup::Place;
use app::panel::Accounts;
use env::Env;
use reader::{Reader, Shown};

/// Everything that the environment decides.
#[derive(Clone)]
pub struct Config {
    /// Database and files.
    pub storage: storage::Storage,
    /// Copies of the database.
    pub backups: Place,
    /// The HTTP server.
    pub http: http::Http,
    /// The bot and its server.
    pub telegram: telegram::Telegram,
    /// Who may sign in to the admin panel; none: there is no panel.
    pub admin: Option<Accounts>,
    /// The event.
    pub event: event::Event,
    /// The leads module.
    pub leads: LeadsSettings,
    /// Making packs.
    pub work: work::Work,
    /// Who draws.
    pub drawing: providers::Drawing,
    /// Logs.
    pub logs: logs::Logs,
    /// Every variable with its effective value, secrets masked.
    pub shown: Vec<Shown>,
}

impl Config {
    /// Reads and checks every section.
    ///
    /// # Errors
    /// One line for each value that is not allowed.
    pub fn read(env: &Env) -> Result<Config, Vec<String>> {
        let mut r = Reader::new(env);
        let telegram = telegram::Telegram::read(&mut r);
        let storage = storage::Storage::read(&mut r);
        let backups = backup::read(&mut r, &storage);
        let http = http::Http::read(&mut r);
        let admin = admin::read(&mut r);
        let event = event::Event::read(&mut r);
        let leads = leads::read(&mut r);
        // Another process uses it; read here, it is checked and shown by `stickers config`.
        landing::Landing::read(&mut r);
        let work = work::Work::read(&mut r);
        let drawing = providers::Drawing::read(&mut r);
        let logs = logs::Logs::read(&mut r);
        if r.problems.is_empty() {
            Ok(Config {
                storage,
                backups,
                http,
                telegram,
                admin,
                event,
                leads,
                work,
                drawing,
                logs,
                shown: r.shown,
            })
        } else {
            Err(r.problems)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Config, Vec<String>> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::read(&Env::new(pairs, []))
    }

    /// The refusals of one bad value.
    fn refusals(name: &str, value: &str) -> Vec<String> {
        read(&[(name, value)]).err().unwrap_or_default()
    }

    #[test]
    fn a_value_out_of_range_is_refused_by_a_line_with_variable_value_and_what_is_allowed() {
        let cases = [
            ("WORKER_SLOTS", "0", "from 1 to 16"),
            ("WORKER_SLOTS", "17", "from 1 to 16"),
            ("WORKER_SLOTS", "two", "from 1 to 16"),
            ("PACK_LIMIT", "0", "from 1 to 1000"),
            ("PACK_LIMIT", "-1", "from 1 to 1000"),
            ("PHOTO_TTL_HOURS", "73", "from 1 to 72"),
            ("PHOTO_TTL_HOURS", "0", "from 1 to 72"),
            ("MAINTENANCE_MODE", "2", "1 or 0"),
            ("API_BIND", "8000", "ADDRESS:PORT"),
            ("API_BIND", "127.0.0.1:70000", "ADDRESS:PORT"),
            ("PUBLIC_URL", "localhost:8000", "http://"),
            ("PRIVACY_URL", "example.org", "http://"),
            ("TELEGRAM_API_URL", "api.telegram.org", "http://"),
            ("TELEGRAM_LINK_URL", "tg://", "http://"),
            ("TRUSTED_PROXIES", "127.0.0.1,proxy", "IP addresses"),
            ("ADMIN_USER_IDS", "12,abc", "Telegram ids"),
            ("ADMIN_USER_IDS", "-5", "Telegram ids"),
            ("DATABASE_URL", "mysql://x", "sqlite:// or postgres://"),
            ("MEDIA_URL", "/srv/media", "file:// or s3://"),
            ("TEMPLATES_DIR", "/nowhere/outfits", "a folder"),
            ("PROVIDERS", "local,magic", "local"),
            ("PROVIDERS", "local,local", "without doubles"),
            ("JOB_COST_LIMIT_USD", "0", "from 0.01 to 100"),
            ("JOB_COST_LIMIT_USD", "NaN", "from 0.01 to 100"),
            ("GEMINI_API_URL", "example.org", "http://"),
            ("OPENAI_MODEL", "../x", "name of a model"),
            ("BACKUP_KEEP", "0", "from 1 to 1000"),
            ("BACKUP_KEEP", "all", "from 1 to 1000"),
            ("BACKUP_RECIPIENT", "age1short", "age1"),
            ("BACKUP_REMOTE_URL", "backups", "s3://bucket/prefix"),
            ("BACKUP_REMOTE_URL", "https://example.org", "s3://bucket/prefix"),
            ("LOG_FORMAT", "xml", "text or json"),
            ("RUST_LOG", "info=debug=x", "a filter"),
            ("EVENT_NAME", "two\nlines", "one line"),
            ("LANDING_BIND", "3000", "ADDRESS:PORT"),
            ("LANDING_URL", "example.org", "http://"),
            ("LEADS_ENDPOINT", "api/leads", "http://"),
            ("FALLBACK_CHAT_ID", "0", "a number other than 0"),
            ("LEADS_ENABLED", "maybe", "1 or 0"),
            ("LEADS_CHAT_ID", "@sales", "a number other than 0"),
            ("LEADS_CHAT_ID", "0", "a number other than 0"),
            ("LEADS_TOPIC_ID", "-1", "a positive number"),
            ("LEADS_ADMIN_IDS", "12,-3", "Telegram ids"),
            ("LEADS_IP_LIMIT", "0", "from 1 to 10000"),
            ("LEADS_IP_WINDOW_SEC", "0", "from 1 to 86400"),
            ("LEADS_HOURLY_LIMIT", "0", "from 1 to 1000000"),
            ("LEADS_HOURLY_LIMIT", "1000001", "from 1 to 1000000"),
            ("LEADS_CARD_PII", "some", "1 or 0"),
        ];
        for (name, value, allowed) in cases {
            let lines = refusals(name, value);
            assert_eq!(lines.len(), 1, "{name}={value}: {lines:?}");
            for part in [name, value, allowed] {
                assert!(lines[0].contains(part), "{name}={value}: {}", lines[0]);
            }
        }
    }

    #[test]
    fn a_refused_secret_is_not_shown() {
        for (name, value) in [
            ("BOT_TOKEN", "hunter2"),
            ("KIOSK_KEY", "žluťoučký"),
            ("KIOSK_KEY", "short"),
            ("LEADS_SECRET", "žluťoučký"),
            ("FALLBACK_BOT_TOKEN", "hunter2"),
        ] {
            let lines = refusals(name, value);
            assert_eq!(lines.len(), 1, "{name}");
            assert!(lines[0].contains(name) && !lines[0].contains(value), "{}", lines[0]);
        }
        let lines = refusals("DATABASE_URL", "mysql://kiosk:hunter2@db/app");
        assert!(!lines[0].contains("hunter2"), "{}", lines[0]);
    }

    #[test]
    fn every_refusal_is_told_not_only_the_first() {
        let lines = read(&[("WORKER_SLOTS", "99"), ("PACK_LIMIT", "x")]).err().unwrap_or_default();
        assert_eq!(lines.len(), 2, "{lines:?}");
    }

    #[test]
    fn an_empty_environment_gives_the_documented_defaults() {
        let config = read(&[("WORKER_SLOTS", "")]).unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(config.http.bind.to_string(), "127.0.0.1:8000");
        assert_eq!(config.http.public_url, "http://localhost:8000");
        assert_eq!(config.http.trusted_proxies.len(), 2);
        assert_eq!(config.telegram.api_url, "https://api.telegram.org");
        assert_eq!(config.telegram.link_url, "https://t.me");
        assert_eq!((config.work.worker_slots, config.event.pack_limit), (2, 1));
        assert_eq!(config.event.photo_ttl_hours, 72);
        assert!(!config.event.maintenance);
        assert!(config.storage.data_dir.is_absolute() && config.storage.data_dir.ends_with("data"));
        assert!(config.storage.database_url.starts_with("sqlite:///"));
        assert!(config.storage.database_url.ends_with("/data/app.db"));
        assert!(config.storage.media_url.starts_with("file:///"));
        assert!(config.backups.folder.ends_with("data/backups") && config.backups.keep == 14);
    }

    #[test]
    fn the_effective_configuration_masks_every_secret() {
        let config = read(&[
            ("BOT_TOKEN", "123:hunter2"),
            ("KIOSK_KEY", "hunter2hunter2"),
            ("DATABASE_URL", "postgres://kiosk:hunter2@db/app"),
        ])
        .unwrap_or_else(|lines| panic!("{lines:?}"));
        for shown in &config.shown {
            assert!(!shown.value.as_deref().unwrap_or_default().contains("hunter2"), "{shown:?}");
        }
        let names: Vec<_> = config.shown.iter().map(|shown| shown.name).collect();
        for name in ["BOT_TOKEN", "KIOSK_KEY", "DATABASE_URL", "RUST_LOG", "PHOTO_TTL_HOURS"] {
            assert_eq!(names.iter().filter(|shown| **shown == name).count(), 1, "{name}");
        }
    }
}
