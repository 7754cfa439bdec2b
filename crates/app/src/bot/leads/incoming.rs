//! What an update says about the leads group. Read from the raw JSON and by what is needed alone: a novelty in a group's update must
//! hide neither a command nor that the group moved.

use domain::Language;
use domain::guest::{Guest, Personal, TelegramId, clean_text};
use domain::lead::{LeadId, LeadStatus};
use serde_json::Value;

/// Longest rest of a command that is looked at, in characters.
const REST_MAX: usize = 100;

/// Something that happened in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupEvent {
    /// The group `old` became the supergroup `new`.
    Moved {
        /// Id until now.
        old: i64,
        /// Id from now on.
        new: i64,
    },
    /// Where the bot stands in a group.
    Standing {
        /// The group.
        chat: i64,
        /// Whether it may write there.
        may_write: bool,
        /// What happened, when not.
        why: &'static str,
    },
    /// A command of the leads module.
    Command {
        /// The group.
        chat: i64,
        /// The command's message.
        message_id: i64,
        /// The topic in which it stands.
        thread: Option<i64>,
        /// Who; none for an admin who hides behind the group.
        from: Option<Guest>,
        /// Lower-case name without its slash.
        name: String,
        /// What stands behind it.
        rest: String,
    },
}

/// The event of an update, if it is one; `bot` is our username.
pub fn group_event(update: &Value, bot: &str) -> Option<GroupEvent> {
    if let Some(change) = update.get("my_chat_member") {
        return standing(change);
    }
    let message = update.get("message")?;
    let chat = message.pointer("/chat/id")?.as_i64()?;
    if let Some(new) = message.get("migrate_to_chat_id").and_then(Value::as_i64) {
        return Some(GroupEvent::Moved { old: chat, new });
    }
    if let Some(old) = message.get("migrate_from_chat_id").and_then(Value::as_i64) {
        return Some(GroupEvent::Moved { old, new: chat });
    }
    if !matches!(message.pointer("/chat/type")?.as_str()?, "group" | "supergroup") {
        return None;
    }
    let text = message.get("text")?.as_str()?;
    let (word, rest) = text.strip_prefix('/')?.split_once(char::is_whitespace).unwrap_or((&text[1..], ""));
    let (name, addressee) = word.split_once('@').unwrap_or((word, bot));
    let name = name.to_ascii_lowercase();
    if !addressee.eq_ignore_ascii_case(bot) || !name.starts_with("stickers_") {
        return None;
    }
    // Behind a sender chat stands a made-up user for old clients.
    let from = match message.get("sender_chat") {
        Some(_) => None,
        None => Some(guest_of(message.get("from")?)?),
    };
    let rest = clean_text(rest).trim().chars().take(REST_MAX).collect();
    let message_id = message.get("message_id")?.as_i64()?;
    let in_topic = message.get("is_topic_message").and_then(Value::as_bool).unwrap_or(false);
    let thread = message.get("message_thread_id").and_then(Value::as_i64).filter(|_| in_topic);
    Some(GroupEvent::Command { chat, message_id, thread, from, name, rest })
}

fn standing(change: &Value) -> Option<GroupEvent> {
    let chat = change.pointer("/chat/id")?.as_i64()?;
    if chat >= 0 {
        return None;
    }
    let member = change.get("new_chat_member")?;
    let may_send = member.get("can_send_messages").and_then(Value::as_bool).unwrap_or(true);
    let (may_write, why) = match member.get("status")?.as_str()? {
        "left" | "kicked" => (false, "бота удалили из группы"),
        "restricted" if !may_send => (false, "боту запретили писать"),
        _ => (true, ""),
    };
    Some(GroupEvent::Standing { chat, may_write, why })
}

fn guest_of(user: &Value) -> Option<Guest> {
    let text = |name: &str| user.get(name).and_then(Value::as_str).map(|text| Personal(clean_text(text)));
    if user.get("is_bot").and_then(Value::as_bool).unwrap_or(false) {
        return None;
    }
    Some(Guest {
        id: TelegramId(user.get("id")?.as_i64()?),
        first_name: text("first_name").unwrap_or_default(),
        last_name: text("last_name"),
        username: text("username"),
        language: Language::from_telegram(user.get("language_code").and_then(Value::as_str)),
    })
}

/// A pressed button of the leads module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadPress {
    /// `stickers_lead:<id>:<status>`.
    Status(LeadId, LeadStatus),
    /// `stickers_forget:<id>`.
    Forget(LeadId),
    /// `stickers_forget:<id>:yes`.
    ForgetYes(LeadId),
}

/// Understands callback data; what a forged client sent is none.
pub fn lead_press(data: &str) -> Option<LeadPress> {
    let (kind, rest) = data.split_once(':')?;
    match kind {
        "stickers_lead" => {
            let (id, status) = rest.split_once(':')?;
            Some(LeadPress::Status(number(id)?, LeadStatus::target(status)?))
        }
        "stickers_forget" => match rest.split_once(':') {
            None => Some(LeadPress::Forget(number(rest)?)),
            Some((id, "yes")) => Some(LeadPress::ForgetYes(number(id)?)),
            Some(_) => None,
        },
        _ => None,
    }
}

/// A number of a lead as we write it: digits only.
fn number(text: &str) -> Option<LeadId> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().map(LeadId)
}

/// A number as people write it: `12`, `#12`, `#stickers_12`.
pub fn typed_number(text: &str) -> Option<LeadId> {
    let text = text.strip_prefix('#').unwrap_or(text);
    number(text.strip_prefix("stickers_").unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn command(text: &str, chat_type: &str) -> Value {
        json!({"update_id": 1, "message": {
            "message_id": 40, "date": 1, "chat": {"id": -100, "type": chat_type, "title": "Leads"},
            "from": {"id": 7, "is_bot": false, "first_name": "Ivan", "username": "ivan"}, "text": text
        }})
    }

    fn parts(text: &str) -> Option<(String, String)> {
        match group_event(&command(text, "supergroup"), "our_bot") {
            Some(GroupEvent::Command {
                chat: -100,
                message_id: 40,
                thread: None,
                from: Some(from),
                name,
                rest,
            }) => {
                assert_eq!(from.id.0, 7);
                Some((name, rest))
            }
            None => None,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_command_of_the_module_is_understood_with_its_rest() {
        let is = |text: &str, name: &str, rest: &str| {
            assert_eq!(parts(text), Some((name.into(), rest.into())), "{text}")
        };
        is("/stickers_new", "stickers_new", "");
        is("/Stickers_Forget@OUR_bot 12 тест", "stickers_forget", "12 тест");
        is("/stickers_lead\n12", "stickers_lead", "12");
    }

    #[test]
    fn other_bots_other_commands_and_private_chats_are_left_alone() {
        for text in ["/stickers_new@other_bot", "/start x", "stickers_new", "/", "/@our_bot", ""] {
            assert_eq!(parts(text), None, "{text}");
        }
        assert_eq!(group_event(&command("/stickers_new", "private"), "our_bot"), None);
        assert_eq!(group_event(&command("/stickers_new", "channel"), "our_bot"), None);
    }

    #[test]
    fn an_anonymous_admin_has_no_name() {
        let mut update = command("/stickers_new", "supergroup");
        update["message"]["sender_chat"] = json!({"id": -100, "type": "supergroup"});
        let Some(GroupEvent::Command { from, .. }) = group_event(&update, "our_bot") else {
            panic!("a command")
        };
        assert_eq!(from, None);
    }

    #[test]
    fn both_messages_of_a_move_say_the_same() {
        let moved = |message: Value| group_event(&json!({"update_id": 1, "message": message}), "our_bot");
        let old =
            moved(json!({"message_id": 9, "chat": {"id": -5, "type": "group"}, "migrate_to_chat_id": -1005}));
        let new = moved(
            json!({"message_id": 1, "chat": {"id": -1005, "type": "supergroup"}, "migrate_from_chat_id": -5}),
        );
        assert_eq!(old, Some(GroupEvent::Moved { old: -5, new: -1005 }));
        assert_eq!(old, new);
    }

    #[test]
    fn where_the_bot_stands_is_read_from_the_status_and_the_right_to_write() {
        for (member, may_write) in [
            (json!({"status": "member"}), true),
            (json!({"status": "administrator"}), true),
            (json!({"status": "restricted", "can_send_messages": true}), true),
            (json!({"status": "restricted", "can_send_messages": false}), false),
            (json!({"status": "left"}), false),
            (json!({"status": "kicked"}), false),
        ] {
            let update =
                json!({"update_id": 1, "my_chat_member": {"chat": {"id": -5}, "new_chat_member": member}});
            let Some(GroupEvent::Standing { may_write: told, .. }) = group_event(&update, "our_bot") else {
                panic!("{update}")
            };
            assert_eq!(told, may_write, "{update}");
        }
        let private = json!({"update_id": 1, "my_chat_member": {"chat": {"id": 5}, "new_chat_member": {"status": "kicked"}}});
        assert_eq!(group_event(&private, "our_bot"), None);
    }

    #[test]
    fn row_001_lead_4_callback_data_is_understood_and_forged_data_is_not() {
        assert_eq!(
            lead_press("stickers_lead:12:deal"),
            Some(LeadPress::Status(LeadId(12), LeadStatus::Deal))
        );
        assert_eq!(lead_press("stickers_forget:12"), Some(LeadPress::Forget(LeadId(12))));
        assert_eq!(lead_press("stickers_forget:12:yes"), Some(LeadPress::ForgetYes(LeadId(12))));
        for forged in [
            "stickers_lead:12:new",
            "stickers_lead:12:NEW",
            "stickers_lead:12:",
            "stickers_lead:12",
            "stickers_lead::deal",
            "stickers_lead:-1:deal",
            "stickers_lead:+1:deal",
            "stickers_lead:1 OR 1=1:deal",
            "stickers_lead:99999999999999999999:deal",
            "stickers_lead:12:deal:x",
            "stickers_forget:",
            "stickers_forget:12:no",
            "stickers_forget:12:yes:yes",
            "consent:abc",
            "",
        ] {
            assert_eq!(lead_press(forged), None, "{forged}");
        }
    }

    #[test]
    fn a_number_may_be_typed_as_a_hashtag() {
        for text in ["12", "#12", "#stickers_12", "stickers_12"] {
            assert_eq!(typed_number(text), Some(LeadId(12)), "{text}");
        }
        for text in ["", "#", "-12", "12a", "двенадцать"] {
            assert_eq!(typed_number(text), None, "{text}");
        }
    }
}
