//! Each row of the known error answers and its class.

use super::ErrorKind::{self, *};
use super::{Parameters, RETRY_AFTER_MAX_S, TelegramError};

/// Status, description, class.
const ROWS: &[(u16, &str, ErrorKind)] = &[
    // Access and routing.
    (401, "Unauthorized", Unauthorized),
    (401, "Unauthorized: invalid token specified", Unauthorized),
    (404, "Not Found", Unauthorized),
    (404, "Not Found: method not found", Permanent),
    (
        409,
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        Conflict,
    ),
    (
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        WebhookActive,
    ),
    (409, "Conflict: terminated by setWebhook request", WebhookActive),
    (409, "Conflict: terminated by other setWebhook", WebhookActive),
    (413, "Request Entity Too Large", Permanent),
    (429, "Too Many Requests: retry after 35", Flood { retry_after_s: 35 }),
    (500, "Internal Server Error: restart", ServerTrouble),
    (502, "Bad Gateway", ServerTrouble),
    (503, "Service Unavailable", ServerTrouble),
    (504, "Gateway Timeout", ServerTrouble),
    // Sending.
    (403, "Forbidden: bot was blocked by the user", Blocked),
    (403, "Forbidden: user is deactivated", ChatGone),
    (403, "Forbidden: bot can't initiate conversation with a user", NotStarted),
    (400, "Bad Request: chat not found", ChatGone),
    (400, "Bad Request: PEER_ID_INVALID", NotStarted),
    (403, "Forbidden: bot was kicked from the group chat", Removed),
    (403, "Forbidden: bot was kicked from the supergroup chat", Removed),
    (403, "Forbidden: bot was kicked from the channel chat", Removed),
    (403, "Forbidden: bot is not a member of the supergroup chat", Removed),
    (403, "Forbidden: bot is not a member of the group chat", Removed),
    (403, "Forbidden: bot is not a member of the channel chat", Removed),
    (403, "Forbidden: the group chat was deleted", ChatGone),
    (400, "Bad Request: not enough rights to send text messages to the chat", Muted),
    (400, "Bad Request: not enough rights to send photos to the chat", Muted),
    (400, "Bad Request: not enough rights to send documents to the chat", Muted),
    (400, "Bad Request: not enough rights to send stickers to the chat", Muted),
    (400, "Bad Request: have no write access to the chat", Muted),
    (400, "Bad Request: CHAT_WRITE_FORBIDDEN", Muted),
    (400, "Bad Request: message thread not found", ThreadGone),
    (400, "Bad Request: message text is empty", Permanent),
    (400, "Bad Request: chat_id is empty", Permanent),
    (400, "Bad Request: message is too long", TooLong),
    (400, "Bad Request: MESSAGE_TOO_LONG", TooLong),
    (400, "Bad Request: text is too long", TooLong),
    (400, "Bad Request: message caption is too long", TooLong),
    (400, "Bad Request: can't parse entities: Unsupported start tag \"3\" at byte offset 0", BadHtml),
    (400, "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"", BadHtml),
    (400, "Bad Request: message to be replied not found", ReplyGone),
    (400, "Bad Request: reply markup is too long", Permanent),
    (400, "Bad Request: BUTTON_DATA_INVALID", Permanent),
    (400, "Bad Request: BUTTON_URL_INVALID", Permanent),
    (400, "Bad Request: can't parse reply keyboard markup JSON object", Permanent),
    (
        400,
        "Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
        Permanent,
    ),
    (400, "Bad Request: unsupported parse_mode", Permanent),
    // Editing, deleting, buttons.
    (
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same \
         as a current content and reply markup of the message",
        NotModified,
    ),
    (400, "Bad Request: message to edit not found", MessageGone),
    (400, "Bad Request: message can't be edited", MessageGone),
    (400, "Bad Request: there is no text in the message to edit", MessageGone),
    (400, "Bad Request: MESSAGE_ID_INVALID", MessageGone),
    (400, "Bad Request: message to delete not found", MessageGone),
    (400, "Bad Request: message can't be deleted", CannotDelete),
    (400, "Bad Request: message can't be deleted for everyone", CannotDelete),
    (400, "Bad Request: message identifier is not specified", Permanent),
    (
        400,
        "Bad Request: query is too old and response timeout expired or query ID is invalid",
        CallbackTooOld,
    ),
    // Files.
    (400, "Bad Request: file is too big", Permanent),
    (400, "Bad Request: invalid file_id", Permanent),
    (400, "Bad Request: file_id not specified", Permanent),
    (400, "Bad Request: wrong file_id or the file is temporarily unavailable", Retryable),
    (
        400,
        "Bad Request: wrong remote file identifier specified: can't unserialize it. Wrong last symbol",
        Permanent,
    ),
    (400, "Bad Request: can't use file of type Photo as Sticker", Permanent),
    (400, "Bad Request: wrong file identifier/HTTP URL specified", Permanent),
    (400, "Bad Request: failed to get HTTP URL content", Permanent),
    (400, "Bad Request: wrong type of the web page content", Permanent),
    (400, "Bad Request: there is no document in the request", Permanent),
    (400, "Bad Request: there is no sticker in the request", Permanent),
    // Stickers.
    (400, "Bad Request: sticker set name is already occupied", SetNameOccupied),
    (400, "Bad Request: invalid sticker set name is specified", Permanent),
    (400, "Bad Request: sticker set name must be non-empty", Permanent),
    (400, "Bad Request: sticker set title must be non-empty", Permanent),
    (400, "Bad Request: at least 1 sticker must be specified", Permanent),
    (400, "Bad Request: too many stickers specified", Permanent),
    (400, "Bad Request: user not found", NotStarted),
    (400, "Bad Request: USER_IS_BOT", Permanent),
    (500, "Internal Server Error: created sticker set not found", ServerTrouble),
    (400, "Bad Request: STICKERSET_INVALID", SetInvalid),
    (400, "Bad Request: STICKERPACK_NOT_FOUND", SetNotReady),
    (400, "Bad Request: STICKERS_TOO_MUCH", SetFull),
    (400, "Bad Request: STICKERSET_NOT_MODIFIED", NotModified),
    (400, "Bad Request: STICKER_PNG_DIMENSIONS", Permanent),
    (400, "Bad Request: STICKER_PNG_NOPNG", Permanent),
    (400, "Bad Request: STICKER_FILE_INVALID", Permanent),
    (400, "Bad Request: wrong file type", Permanent),
    (400, "Bad Request: invalid sticker emojis", BadEmoji),
    (400, "Bad Request: can't parse InputSticker: sticker not found", Permanent),
    (400, "Bad Request: can't parse sticker: Can't find field \"format\"", Permanent),
    (400, "Bad Request: can't parse stickers JSON object", Permanent),
    (400, "Bad Request: expected an Array of InputSticker", Permanent),
    // A text that nobody has seen before.
    (400, "Bad Request: MOON_PHASE_INVALID", Retryable),
    (403, "Forbidden: the moon is full", Retryable),
    (400, "", Retryable),
];

fn refused(status: u16, description: &str) -> TelegramError {
    TelegramError::refused(status, description, Parameters::default())
}

#[test]
fn each_row_of_the_catalogue_has_its_class() {
    for (status, description, kind) in ROWS {
        assert_eq!(refused(*status, description).kind, *kind, "{status} {description}");
    }
}

#[test]
fn case_does_not_matter() {
    for (status, description, kind) in ROWS {
        for other in [description.to_uppercase(), description.to_lowercase()] {
            assert_eq!(refused(*status, &other).kind, *kind, "{status} {other}");
        }
    }
}

#[test]
fn an_upgraded_group_names_the_new_chat() {
    let parameters = Parameters { migrate_to_chat_id: Some(-1_001_234_567_890), ..Parameters::default() };
    let text = "Bad Request: group chat was upgraded to a supergroup chat";
    let error = TelegramError::refused(400, text, parameters);
    assert_eq!(error.kind, Migrated { to: -1_001_234_567_890 });
    assert_eq!(refused(400, text).kind, Retryable);
}

#[test]
fn a_flood_waits_as_long_as_asked() {
    let flood = |asked, text| {
        let parameters = Parameters { retry_after_s: asked, ..Parameters::default() };
        TelegramError::refused(429, text, parameters).retry_after_s()
    };
    let text = "Too Many Requests: retry after 7";
    assert_eq!(flood(Some(3600), text), Some(3600));
    assert_eq!(flood(None, text), Some(7));
    assert_eq!(flood(None, "Too Many Requests"), Some(5));
    assert_eq!(flood(Some(i64::MAX), text), Some(RETRY_AFTER_MAX_S));
    assert_eq!(flood(Some(-1), text), Some(0));
    assert_eq!(refused(400, text).retry_after_s(), None);
}

#[test]
fn the_same_call_is_repeated_only_where_that_can_help() {
    for (status, description, kind) in ROWS {
        let expected = matches!(
            kind,
            Flood { .. }
                | ServerTrouble
                | Unauthorized
                | Conflict
                | WebhookActive
                | Removed
                | Muted
                | SetNotReady
                | Retryable
        );
        assert_eq!(refused(*status, description).is_retryable(), expected, "{description}");
    }
    assert!(TelegramError::not_sent("x").is_retryable());
    assert!(!TelegramError::unknown("x").is_retryable());
}

#[test]
fn only_a_lost_answer_leaves_the_outcome_unknown() {
    assert!(ROWS.iter().all(|(status, description, _)| refused(*status, description).outcome_known()));
    assert!(TelegramError::not_sent("x").outcome_known());
    assert!(!TelegramError::unknown("x").outcome_known());
}

#[test]
fn a_set_may_exist_after_a_lost_answer_server_trouble_or_a_flood() {
    let may_exist: Vec<&str> = ROWS
        .iter()
        .filter(|(status, description, _)| refused(*status, description).may_have_applied())
        .map(|(_, description, _)| *description)
        .collect();
    assert_eq!(
        may_exist,
        [
            "Too Many Requests: retry after 35",
            "Internal Server Error: restart",
            "Bad Gateway",
            "Service Unavailable",
            "Gateway Timeout",
            "Bad Request: sticker set name is already occupied",
            "Internal Server Error: created sticker set not found",
        ]
    );
    assert!(TelegramError::unknown("x").may_have_applied());
    assert!(!TelegramError::not_sent("x").may_have_applied());
}

#[test]
fn a_guest_is_given_up_only_for_what_they_alone_can_change() {
    let is_final =
        |kind| TelegramError { kind, status: None, description: String::new() }.is_final_for_guest();
    assert!(is_final(Blocked) && is_final(ChatGone) && is_final(NotStarted));
    assert!(!is_final(Removed) && !is_final(Muted) && !is_final(Unauthorized) && !is_final(Unknown));
}

#[test]
fn errors_read_alone() {
    assert_eq!(refused(400, "Bad Request: chat not found").to_string(), "400 Bad Request: chat not found");
    assert_eq!(TelegramError::not_sent("no route").to_string(), "not sent: no route");
    assert_eq!(TelegramError::unknown("timed out").to_string(), "outcome unknown: timed out");
}
