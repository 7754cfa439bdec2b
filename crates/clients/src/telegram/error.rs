//! What can go wrong with a Bot API call, sorted by what the caller should do about it.
//!
//! The status alone decides little: 400 covers "already done", "gone for ever" and "our bug". So the description is
//! compared by prefix, whatever its case, and a text that nobody has seen before falls into
//! [`ErrorKind::Retryable`], which every caller bounds.

use std::fmt;

/// The longest flood wait that Telegram is known to ask for: fourteen days, in seconds.
pub const RETRY_AFTER_MAX_S: u32 = 14 * 24 * 60 * 60;

/// Waited when a 429 names no time.
const RETRY_AFTER_DEFAULT_S: u32 = 5;

/// A Bot API call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramError {
    /// What it means for the caller.
    pub kind: ErrorKind,
    /// Status of the answer (`error_code`, or the HTTP status when the body had none). `None`: there was no answer.
    pub status: Option<u16>,
    /// The server's own words, or ours when it said nothing readable. Never holds the token or an address.
    pub description: String,
}

/// What an error means for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request surely never left: name not found, connection or TLS handshake failed.
    NotSent,
    /// The request left and no readable answer came. It may have happened.
    Unknown,
    /// 429: that chat or owner has to wait, others go on.
    Flood {
        /// How long, in seconds, at most [`RETRY_AFTER_MAX_S`].
        retry_after_s: u32,
    },
    /// 5xx, whatever its body. An answer, but what was asked for may exist all the same.
    ServerTrouble,
    /// The token is revoked, unknown or malformed.
    Unauthorized,
    /// Another poll with the same token is waiting (or our own that we gave up).
    Conflict,
    /// A webhook is set, so polling is refused: `delete_webhook` once, then poll.
    WebhookActive,
    /// The guest blocked the bot. Final until they write or unblock.
    Blocked,
    /// The account or the chat is gone, or this bot never met it. Final.
    ChatGone,
    /// The guest never pressed Start (or cannot own a set). Final until they do.
    NotStarted,
    /// The bot was thrown out of the group or never was in it.
    Removed,
    /// The bot is in the group and may not write there.
    Muted,
    /// The group became a supergroup: the same call again with this chat.
    Migrated {
        /// The supergroup's id.
        to: i64,
    },
    /// The forum topic is gone: send without it.
    ThreadGone,
    /// The message to be replied to is gone.
    ReplyGone,
    /// The text's HTML is wrong: send it plain.
    BadHtml,
    /// Text or caption over the limit: cut the values and send again.
    TooLong,
    /// The edit changes nothing. The edit methods answer success instead.
    NotModified,
    /// The message to edit or delete is gone or cannot be edited: post anew on the next change.
    MessageGone,
    /// The message cannot be deleted any more: edit it instead.
    CannotDelete,
    /// A callback query was answered too late or twice. `answer_callback` answers success instead.
    CallbackTooOld,
    /// The set's name is taken: read it, it may be ours.
    SetNameOccupied,
    /// There is no such set of this bot (or not yet).
    SetInvalid,
    /// The set's name is in Telegram's limbo after a deletion: wait minutes or use another name.
    SetNotReady,
    /// The set is full.
    SetFull,
    /// Telegram knows no such emoji: use a plain one, once.
    BadEmoji,
    /// Trying again changes nothing: our bug, a bad picture, too large a body.
    Permanent,
    /// Anything else that was refused. Try again with back-off and a bound.
    Retryable,
}

impl TelegramError {
    /// Was the request surely never sent?
    pub fn not_sent(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotSent, status: None, description: reason.into() }
    }

    /// The request left and no readable answer came.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Unknown, status: None, description: reason.into() }
    }

    /// An error answer, classed by status and description.
    pub fn refused(status: u16, description: impl Into<String>, parameters: Parameters) -> Self {
        let description = description.into();
        let kind = classify(status, &description, parameters);
        Self { kind, status: Some(status), description }
    }

    /// May the very same call be tried again later, with back-off and a bound?
    ///
    /// False for [`ErrorKind::Unknown`]: whether a lost answer may be repeated depends on the method.
    pub fn is_retryable(&self) -> bool {
        match self.kind {
            ErrorKind::NotSent
            | ErrorKind::Flood { .. }
            | ErrorKind::ServerTrouble
            | ErrorKind::Unauthorized
            | ErrorKind::Conflict
            | ErrorKind::WebhookActive
            | ErrorKind::Removed
            | ErrorKind::Muted
            | ErrorKind::SetNotReady
            | ErrorKind::Retryable => true,
            ErrorKind::Unknown
            | ErrorKind::Blocked
            | ErrorKind::ChatGone
            | ErrorKind::NotStarted
            | ErrorKind::Migrated { .. }
            | ErrorKind::ThreadGone
            | ErrorKind::ReplyGone
            | ErrorKind::BadHtml
            | ErrorKind::TooLong
            | ErrorKind::NotModified
            | ErrorKind::MessageGone
            | ErrorKind::CannotDelete
            | ErrorKind::CallbackTooOld
            | ErrorKind::SetNameOccupied
            | ErrorKind::SetInvalid
            | ErrorKind::SetFull
            | ErrorKind::BadEmoji
            | ErrorKind::Permanent => false,
        }
    }

    /// Did an answer come, or did the request surely not leave? A 5xx counts as an answer, whatever its body.
    pub fn outcome_known(&self) -> bool {
        self.kind != ErrorKind::Unknown
    }

    /// Can the thing asked for exist in spite of this error? Then look (`get_sticker_set`) before making it again.
    ///
    /// Wider than `!outcome_known()`: a 5xx or a 429 for a sticker set has been seen with the set there all the same.
    pub fn may_have_applied(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Unknown
                | ErrorKind::ServerTrouble
                | ErrorKind::Flood { .. }
                | ErrorKind::SetNameOccupied
        )
    }

    /// Is there no use in writing to this person again until they act?
    pub fn is_final_for_guest(&self) -> bool {
        matches!(self.kind, ErrorKind::Blocked | ErrorKind::ChatGone | ErrorKind::NotStarted)
    }

    /// How long Telegram asked us to wait, in seconds.
    pub fn retry_after_s(&self) -> Option<u32> {
        match self.kind {
            ErrorKind::Flood { retry_after_s } => Some(retry_after_s),
            _ => None,
        }
    }
}

impl fmt::Display for TelegramError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.status) {
            (ErrorKind::NotSent, _) => write!(out, "not sent: {}", self.description),
            (_, Some(status)) => write!(out, "{status} {}", self.description),
            (_, None) => write!(out, "outcome unknown: {}", self.description),
        }
    }
}

impl std::error::Error for TelegramError {}

/// The `parameters` of an error answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Seconds to wait, from the body or the `Retry-After` header.
    pub retry_after_s: Option<i64>,
    /// The supergroup that a group became.
    pub migrate_to_chat_id: Option<i64>,
}

fn classify(status: u16, description: &str, parameters: Parameters) -> ErrorKind {
    match status {
        500.. => ErrorKind::ServerTrouble,
        429 => ErrorKind::Flood { retry_after_s: retry_after(description, parameters) },
        409 if contains(description, "webhook") => ErrorKind::WebhookActive,
        409 => ErrorKind::Conflict,
        401 => ErrorKind::Unauthorized,
        // The public front says so of a malformed token; "Not Found: method not found" is an old server.
        404 if description.trim().eq_ignore_ascii_case("not found") => ErrorKind::Unauthorized,
        404 | 413 => ErrorKind::Permanent,
        _ => match parameters.migrate_to_chat_id {
            Some(to) => ErrorKind::Migrated { to },
            None => by_prefix(description),
        },
    }
}

fn retry_after(description: &str, parameters: Parameters) -> u32 {
    const WORDS: &str = "retry after ";
    let asked = parameters.retry_after_s.or_else(|| {
        let lower = description.to_ascii_lowercase();
        let digits = lower.split_once(WORDS)?.1;
        digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
    });
    match asked {
        Some(seconds) => u32::try_from(seconds.max(0)).unwrap_or(u32::MAX).min(RETRY_AFTER_MAX_S),
        None => RETRY_AFTER_DEFAULT_S,
    }
}

fn by_prefix(description: &str) -> ErrorKind {
    let text = ["bad request: ", "forbidden: "]
        .into_iter()
        .find_map(|lead| strip_prefix(description, lead))
        .unwrap_or(description);
    CATALOGUE
        .iter()
        .find(|(prefix, _)| strip_prefix(text, prefix).is_some())
        .map_or(ErrorKind::Retryable, |(_, kind)| *kind)
}

fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn contains(text: &str, word: &str) -> bool {
    text.to_ascii_lowercase().contains(word)
}

/// Texts of 400 and 403 without their lead, the longer prefix before the shorter.
const CATALOGUE: &[(&str, ErrorKind)] = &[
    // Access to a chat.
    ("bot was blocked by the user", ErrorKind::Blocked),
    ("user is deactivated", ErrorKind::ChatGone),
    ("chat not found", ErrorKind::ChatGone),
    ("the group chat was deleted", ErrorKind::ChatGone),
    ("bot can't initiate conversation with a user", ErrorKind::NotStarted),
    ("user not found", ErrorKind::NotStarted),
    ("PEER_ID_INVALID", ErrorKind::NotStarted),
    ("bot was kicked from the ", ErrorKind::Removed),
    ("bot is not a member of the ", ErrorKind::Removed),
    ("not enough rights to send", ErrorKind::Muted),
    ("have no write access to the chat", ErrorKind::Muted),
    ("CHAT_WRITE_FORBIDDEN", ErrorKind::Muted),
    ("message thread not found", ErrorKind::ThreadGone),
    // Texts and keyboards.
    ("message to be replied not found", ErrorKind::ReplyGone),
    ("can't parse entities", ErrorKind::BadHtml),
    ("message is too long", ErrorKind::TooLong),
    ("MESSAGE_TOO_LONG", ErrorKind::TooLong),
    ("text is too long", ErrorKind::TooLong),
    ("message caption is too long", ErrorKind::TooLong),
    ("message text is empty", ErrorKind::Permanent),
    ("chat_id is empty", ErrorKind::Permanent),
    ("reply markup is too long", ErrorKind::Permanent),
    ("BUTTON_", ErrorKind::Permanent),
    ("can't parse ", ErrorKind::Permanent),
    ("unsupported parse_mode", ErrorKind::Permanent),
    // Edits, deletions, buttons.
    ("message is not modified", ErrorKind::NotModified),
    ("message to edit not found", ErrorKind::MessageGone),
    ("message can't be edited", ErrorKind::MessageGone),
    ("there is no text in the message to edit", ErrorKind::MessageGone),
    ("MESSAGE_ID_INVALID", ErrorKind::MessageGone),
    ("message to delete not found", ErrorKind::MessageGone),
    ("message can't be deleted", ErrorKind::CannotDelete),
    ("message identifier is not specified", ErrorKind::Permanent),
    ("query is too old", ErrorKind::CallbackTooOld),
    // Files.
    ("file is too big", ErrorKind::Permanent),
    ("invalid file_id", ErrorKind::Permanent),
    ("file_id not specified", ErrorKind::Permanent),
    ("wrong file_id or the file is temporarily unavailable", ErrorKind::Retryable),
    ("wrong remote file identifier specified", ErrorKind::Permanent),
    ("can't use file of type", ErrorKind::Permanent),
    ("wrong file identifier/HTTP URL specified", ErrorKind::Permanent),
    ("failed to get HTTP URL content", ErrorKind::Permanent),
    ("wrong type of the web page content", ErrorKind::Permanent),
    ("there is no ", ErrorKind::Permanent),
    // Sticker sets.
    ("sticker set name is already occupied", ErrorKind::SetNameOccupied),
    ("invalid sticker set name is specified", ErrorKind::Permanent),
    ("sticker set name must be non-empty", ErrorKind::Permanent),
    ("sticker set title must be non-empty", ErrorKind::Permanent),
    ("at least 1 sticker must be specified", ErrorKind::Permanent),
    ("too many stickers specified", ErrorKind::Permanent),
    ("USER_IS_BOT", ErrorKind::Permanent),
    ("STICKERSET_INVALID", ErrorKind::SetInvalid),
    ("STICKERPACK_NOT_FOUND", ErrorKind::SetNotReady),
    ("STICKERS_TOO_MUCH", ErrorKind::SetFull),
    ("STICKERSET_NOT_MODIFIED", ErrorKind::NotModified),
    ("STICKER_PNG_", ErrorKind::Permanent),
    ("STICKER_FILE_INVALID", ErrorKind::Permanent),
    ("wrong file type", ErrorKind::Permanent),
    ("invalid sticker emojis", ErrorKind::BadEmoji),
    ("expected an Array of InputSticker", ErrorKind::Permanent),
];

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
