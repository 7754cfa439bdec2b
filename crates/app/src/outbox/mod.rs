//! Messages to guests and operators: a row is queued in the transaction that decided it, and sent by the bot with back-off. At least
//! once; the intent to send is stored before the call, so that a crash in between is known.

mod exports;
mod sender;

pub use sender::Sender;
pub(crate) use sender::settle_row;

use crate::{AppError, health};
use clients::telegram::{Button, Buttons};
use domain::guest::TelegramId;
use domain::job::{Job, JobId};
use domain::{Timestamp, names};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::Tx;
use store::outbox::{self, NewMessage, REMOVE_SETS};

/// What is sent, as it stands in `outbox.body`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum GuestMessage {
    /// Plain text with buttons.
    Text {
        /// The text.
        text: String,
        /// Rows of buttons.
        #[serde(default)]
        buttons: Vec<Vec<ButtonBody>>,
        /// The message it answers, in a group.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply_to: Option<i64>,
        /// The topic of that message: a reply from another topic is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<i64>,
    },
    /// A sticker by its file id.
    Sticker {
        /// File id from the set.
        file_id: String,
    },
    /// Sticker sets of a job that gave no pack: whatever an attempt left of them in Telegram goes. Nothing is said to anybody.
    RemoveSets {
        /// Their names; one that was never made is as good as removed.
        names: Vec<String>,
    },
    /// The table of all leads, made when it is sent: what it holds is stored nowhere twice.
    LeadsExport {
        /// The group in which it was asked for, where the outcome is told.
        group: i64,
        /// The command there.
        reply_to: i64,
        /// Its topic.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<i64>,
    },
    /// A copy of the database, made when this is sent; the line of its log is the answer.
    Backup,
    /// A message of a lead that is gone loses its words, or goes.
    Blank {
        /// The lead, for the alert when neither is possible.
        lead: i64,
        /// The group.
        chat_id: i64,
        /// The message.
        message_id: i64,
        /// What stands there afterwards.
        text: String,
    },
}

/// A button as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonBody {
    /// Comes back as a callback query with this data.
    Callback {
        /// Label.
        text: String,
        /// At most 64 bytes.
        data: String,
    },
    /// Opens a link.
    Url {
        /// Label.
        text: String,
        /// Address.
        url: String,
    },
}

impl GuestMessage {
    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        GuestMessage::Text { text: text.into(), buttons: Vec::new(), reply_to: None, thread: None }
    }

    /// Plain text with one row of buttons.
    pub fn with_buttons(text: impl Into<String>, row: Vec<ButtonBody>) -> Self {
        GuestMessage::Text { text: text.into(), buttons: vec![row], reply_to: None, thread: None }
    }
}

impl ButtonBody {
    /// A button that comes back with `data`.
    pub fn callback(text: impl Into<String>, data: impl Into<String>) -> Self {
        ButtonBody::Callback { text: text.into(), data: data.into() }
    }

    /// A button that opens `url`.
    pub fn url(text: impl Into<String>, url: impl Into<String>) -> Self {
        ButtonBody::Url { text: text.into(), url: url.into() }
    }
}

/// Rows of buttons for the client; `None` when there are none.
pub(crate) fn to_buttons(rows: Vec<Vec<ButtonBody>>) -> Option<Buttons> {
    let rows: Vec<Vec<Button>> = rows
        .into_iter()
        .map(|row| {
            row.into_iter()
                .map(|button| match button {
                    ButtonBody::Callback { text, data } => Button::callback(text, data),
                    ButtonBody::Url { text, url } => Button::url(text, url),
                })
                .collect()
        })
        .collect();
    (!rows.is_empty()).then_some(Buttons(rows))
}

/// Key of the place-in-line message of a job.
pub fn photo_received_key(job: JobId) -> String {
    format!("photo:{job}")
}

/// Key of the delay notice of a job: an admin retry draws new letters, and its guest may be told again.
pub fn delay_key(job: &Job) -> String {
    pack_key("delay", job.id, &job.pack_key)
}

/// Key of a message that belongs to one pack of a job: an admin retry draws new letters and so may say it again.
pub fn pack_key(what: &str, job: JobId, letters: &str) -> String {
    format!("{what}:{job}:{letters}")
}

/// Queues a message. The key makes it repeatable: a second message with the same key is not queued, and nobody needs to know.
///
/// # Errors
/// When the database fails.
pub async fn queue(
    tx: &mut Tx,
    key: &str,
    to: TelegramId,
    job: Option<JobId>,
    message: &GuestMessage,
    now: Timestamp,
) -> Result<(), AppError> {
    let body = serde_json::to_string(message)
        .map_err(|source| AppError::Stored { what: format!("outbox.body of {key}"), source })?;
    let kind = key.split(':').next().unwrap_or(key).to_owned();
    let row = NewMessage { key: key.to_owned(), chat: to, kind, body, job, now };
    let _ = outbox::enqueue(tx, &row).await?;
    Ok(())
}

/// Queues the removal of what a job that gives no pack may have left in Telegram: half a set, or a whole one that nobody will be told of
/// (product.md, "Jobs"). Stands behind what the guest is told.
///
/// # Errors
/// When the database fails.
pub(crate) async fn remove_sets(tx: &mut Tx, job: &Job, now: Timestamp) -> Result<(), AppError> {
    queue_removal(tx, job, pack_key(REMOVE_SETS, job.id, &job.pack_key), now).await
}

/// The same for a set that was made after its job had ended, when the first removal may be over.
///
/// # Errors
/// When the database fails.
pub(crate) async fn remove_late_set(tx: &mut Tx, job: &Job, now: Timestamp) -> Result<(), AppError> {
    queue_removal(tx, job, format!("{}:late", pack_key(REMOVE_SETS, job.id, &job.pack_key)), now).await
}

async fn queue_removal(tx: &mut Tx, job: &Job, key: String, now: Timestamp) -> Result<(), AppError> {
    let Some(bot) = store::settings::get(tx, health::BOT_USERNAME).await? else {
        // Without it no set was ever named.
        return Ok(());
    };
    let sets = [names::pack_name, names::second_pack_name].map(|name| name(job.id, &job.pack_key, &bot));
    let message = GuestMessage::RemoveSets { names: sets.to_vec() };
    queue(tx, &key, job.guest, None, &message, now).await
}

/// An alert of one kind comes at most this often (product.md, "Decided once").
pub const ALERT_EVERY: Duration = Duration::from_secs(30 * 60);

/// Queues an alert for every operator who was not told of this kind within [`ALERT_EVERY`], and logs it either way.
///
/// # Errors
/// When the database fails.
pub async fn alert_of_kind(
    tx: &mut Tx,
    admins: &[i64],
    kind: &str,
    text: &str,
    now: Timestamp,
) -> Result<(), AppError> {
    tracing::error!(kind, "ALERT {text}");
    for admin in admins {
        let chat = TelegramId(*admin);
        let last = outbox::last_of_kind(tx, chat, kind).await?;
        // One that lies ahead is of before the clock went back, and may be any time ago.
        if last.is_some_and(|last| last <= now && now.since(last) < ALERT_EVERY) {
            continue;
        }
        queue(tx, &format!("{kind}:{}:{admin}", now.as_millis()), chat, None, &GuestMessage::text(text), now)
            .await?;
    }
    Ok(())
}

/// Queues an alert for every operator. `key` names the matter; the same matter is told once.
///
/// # Errors
/// When the database fails.
pub async fn alert(
    tx: &mut Tx,
    admins: &[i64],
    key: &str,
    job: Option<JobId>,
    text: &str,
    now: Timestamp,
) -> Result<(), AppError> {
    for admin in admins {
        let message = GuestMessage::text(text);
        queue(tx, &format!("alert:{key}:{admin}"), TelegramId(*admin), job, &message, now).await?;
    }
    Ok(())
}
