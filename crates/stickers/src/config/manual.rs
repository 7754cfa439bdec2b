//! The page of the handbook about configuration, made from the program itself: every variable with its default, what is allowed and
//! what it means.

use super::Config;
use super::env::Env;
use std::fmt::Write as _;

/// One part of the page: a heading, and the variables below it with their meaning.
type Section = (&'static str, &'static [(&'static str, &'static str)]);

const SECTIONS: [Section; 11] = [
    (
        "The bot",
        &[
            (
                "BOT_TOKEN",
                "Token of the Telegram bot. `stickers bot` needs it; the API never calls Telegram.",
            ),
            ("TELEGRAM_API_URL", "Bot API server: Telegram's, one of your own, or the simulator."),
            ("TELEGRAM_LINK_URL", "Base of the links to the bot and to packs."),
        ],
    ),
    (
        "Data",
        &[
            ("DATA_DIR", "Database and files when no address below says otherwise."),
            ("DATABASE_URL", "The database."),
            (
                "MEDIA_URL",
                "Selfies, sheets, stickers and debug files; `s3://bucket/prefix` takes the usual `AWS_*` variables and `AWS_ENDPOINT_URL`.",
            ),
        ],
    ),
    (
        "Backups",
        &[
            ("BACKUP_DIR", "Folder of the nightly backups and of `backup.log`."),
            (
                "BACKUP_KEEP",
                "How many backups stay; older than 14 days go in any case, the newest good one never.",
            ),
            (
                "BACKUP_RECIPIENT",
                "Public key of `age`: copies are encrypted to it, and `restore --identity FILE` takes the secret one.",
            ),
            (
                "BACKUP_REMOTE_URL",
                "Where each copy goes as well: a folder from the root, or `s3://bucket/prefix` with the `AWS_*` variables of the media store.",
            ),
        ],
    ),
    (
        "HTTP",
        &[
            ("API_BIND", "Where `stickers api` listens."),
            ("PUBLIC_URL", "How tablets and people reach it."),
            ("TRUSTED_PROXIES", "Only from these is `X-Forwarded-For` believed."),
            ("KIOSK_KEY", "When set, a tablet must show it; staff open `/kiosk#key=…` once."),
        ],
    ),
    (
        "The admin panel",
        &[
            (
                "ADMIN_LOGIN",
                "Name of the one who may sign in. Needs `ADMIN_PASSWORD_HASH`, and the other way round.",
            ),
            (
                "ADMIN_PASSWORD_HASH",
                "What `stickers admin-password` prints, in single quotes: it has `$` in it. Without it and without a file `/admin` answers 404.",
            ),
            (
                "ADMIN_USERS_FILE",
                "File with one `name:hash` a line, instead of the two above, so that the journal names people.",
            ),
        ],
    ),
    (
        "The event",
        &[
            ("EVENT_NAME", "Shown on the kiosk and in the consent text."),
            ("BRAND_NAME", "Shown on the kiosk and on the landing page."),
            ("PRIVACY_URL", "Link at the end of the consent text."),
            ("ADMIN_USER_IDS", "Telegram ids of the operators, who get alerts and may use their commands."),
            ("PACK_LIMIT", "Packs for one guest."),
            ("PHOTO_TTL_HOURS", "After so many hours at the latest every photo and picture is deleted."),
            ("MAINTENANCE_MODE", "Refuses new sessions until it is 0 again and the services were restarted."),
        ],
    ),
    (
        "Leads",
        &[
            ("LEADS_ENABLED", "Switches the module."),
            ("LEADS_SECRET", "Shared by the API and the landing site; without it `POST /leads` answers 404."),
            ("LEADS_IP_SALT", "Salt of the hashed visitor address."),
            ("LEADS_IP_LIMIT", "Requests of one visitor within the window below."),
            ("LEADS_IP_WINDOW_SEC", "That window, in seconds."),
            ("LEADS_HOURLY_LIMIT", "Requests of all visitors in an hour."),
            ("LEADS_CHAT_ID", "The team's group; without it requests are stored and no card is sent."),
            ("LEADS_TOPIC_ID", "Forum topic of the group for the cards."),
            ("LEADS_ADMIN_IDS", "Telegram ids of those who may press the buttons and use the commands."),
            ("LEADS_CARD_PII", "0: cards show no name, username, phone or comment."),
        ],
    ),
    (
        "Landing site",
        &[
            ("LANDING_BIND", "Where `stickers landing` listens."),
            ("LANDING_URL", "How visitors reach it; unset: the address it listens on."),
            (
                "LANDING_CONTENT",
                "TOML file with the owner's packages, questions and promise; unset: neutral ones.",
            ),
            (
                "LEADS_ENDPOINT",
                "Full address of `POST /leads`. Needs `LEADS_SECRET`, and the other way round.",
            ),
            (
                "FALLBACK_BOT_TOKEN",
                "Bot of the backup channel. Needs `FALLBACK_CHAT_ID`, and the other way round.",
            ),
            ("FALLBACK_CHAT_ID", "Group of the backup channel."),
        ],
    ),
    (
        "Making packs",
        &[
            ("WORKER_SLOTS", "Packs made at once in one process."),
            ("TEMPLATES_DIR", "Folder of outfits; unset: the built-in ones."),
        ],
    ),
    (
        "Who draws",
        &[
            ("PROVIDERS", "Order of attempt; `local` is the built-in renderer, which needs no account."),
            ("JOB_COST_LIMIT_USD", "Ceiling for one job, looked at before each call."),
            ("PROVIDERS_FILE", "TOML file with models, prompts and dated prices; unset: the built-in one."),
            ("GEMINI_API_KEY", "Key of Gemini."),
            ("GEMINI_MODEL", "Model that draws, instead of that of the file."),
            ("GEMINI_API_URL", "Base without the version path."),
            ("OPENAI_API_KEY", "Key of OpenAI; a server of one's own may want none."),
            ("OPENAI_MODEL", "Model that draws, instead of that of the file."),
            (
                "OPENAI_API_URL",
                "Base without the version path; a local server that speaks like OpenAI works too.",
            ),
        ],
    ),
    (
        "Logs",
        &[
            ("LOG_FORMAT", "Unset: text on a terminal, JSON elsewhere."),
            ("LOG_DIR", "Daily files `app.log.<date>` beside standard error, 14 kept."),
            ("RUST_LOG", "What is logged."),
        ],
    ),
];

const HEAD: &str = "# Configuration

This page is printed by `stickers config --manual`; a test holds it equal. The program reads these variables from its environment and from
the file of `--env-file` (default `.env` when present); the environment wins. Empty and unset mean the same. A value that is not allowed stops the
start with a line that names the variable, the value and what is allowed. `stickers config` shows what is in effect, secrets masked.
";

/// The page, in Markdown.
///
/// # Errors
/// The refusals of an empty environment; there are none.
pub fn page() -> Result<String, Vec<String>> {
    let config = Config::read(&Env::default())?;
    let folder = config.storage.data_dir.display().to_string();
    let mut text = HEAD.to_owned();
    for (heading, variables) in SECTIONS {
        // Writing into a text never fails.
        let _ = write!(
            text,
            "\n## {heading}\n\n| variable | default | allowed | meaning |\n| --- | --- | --- | --- |\n"
        );
        for (name, meaning) in variables {
            let shown = config.shown.iter().find(|shown| shown.name == *name);
            let default = shown.and_then(|shown| shown.value.as_ref()).map_or_else(
                || "-".to_owned(),
                |value| format!("`{}`", value.replace(&folder, "<DATA_DIR>")),
            );
            let allowed = shown.and_then(|shown| shown.allowed.as_deref()).unwrap_or("any text");
            let _ = writeln!(text, "| `{name}` | {default} | {allowed} | {meaning} |");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_variable_that_is_read_has_its_line_and_no_other() {
        let config = Config::read(&Env::default()).unwrap_or_else(|lines| panic!("{lines:?}"));
        let read: BTreeSet<&str> = config.shown.iter().map(|shown| shown.name).collect();
        let told: Vec<&str> =
            SECTIONS.iter().flat_map(|(_, variables)| variables.iter().map(|(name, _)| *name)).collect();
        assert_eq!(told.iter().copied().collect::<BTreeSet<_>>(), read);
        assert_eq!(told.len(), read.len(), "one line each");
    }

    #[test]
    fn the_page_of_the_handbook_is_what_the_program_prints() {
        let written = include_str!("../../../../docs/handbook/configuration.md");
        let page = page().unwrap_or_else(|lines| panic!("{lines:?}"));
        assert_eq!(written, page, "write it anew: stickers config --manual > docs/handbook/configuration.md");
    }

    #[test]
    fn defaults_and_ranges_are_those_of_the_interface_page() {
        let page = page().unwrap_or_else(|lines| panic!("{lines:?}"));
        for line in [
            "| `DATABASE_URL` | `sqlite://<DATA_DIR>/app.db` | an address that begins with sqlite:// or postgres:// or postgresql:// |",
            "| `WORKER_SLOTS` | `2` | a whole number from 1 to 16 |",
            "| `PHOTO_TTL_HOURS` | `72` | a whole number from 1 to 72 |",
            "| `BACKUP_KEEP` | `14` | a whole number from 1 to 1000 |",
            "| `LEADS_HOURLY_LIMIT` | `60` | a whole number from 1 to 1000000 |",
            "| `BOT_TOKEN` | - | the token from BotFather: digits, a colon, letters |",
        ] {
            assert!(page.contains(line), "{line}");
        }
    }
}
