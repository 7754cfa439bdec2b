//! Keyboards under messages: read from `reply_markup`, refused as the server refuses them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Params;
use crate::refusal::Refusal;

/// Buttons in one keyboard.
const MOST_BUTTONS: usize = 100;
/// Bytes of one keyboard's JSON.
const MOST_BYTES: usize = 10_240;
/// Bytes that a button may carry back.
const MOST_DATA: usize = 64;
/// Actions other than a link or data that a button may have; the world keeps them but does not play them.
const OTHER_ACTIONS: [&str; 7] = [
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "pay",
];

/// What a button does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Action {
    Url(String),
    Callback(String),
    Other(String, Value),
}

/// One inline button.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Button {
    pub text: String,
    pub action: Action,
}

/// Rows of buttons.
pub(crate) type Rows = Vec<Vec<Button>>;

/// What `reply_markup` asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Markup {
    None,
    Inline(Rows),
    /// A keyboard instead of letters, its removal, or a forced reply.
    Reply,
}

/// Reads `reply_markup`: the JSON first, lengths later (see [`check_size`]).
pub(crate) fn read(params: &Params) -> Result<Markup, Refusal> {
    let words = "can't parse reply keyboard markup JSON object";
    let Some(value) = params.json("reply_markup", words)? else { return Ok(Markup::None) };
    let Some(fields) = value.as_object() else { return Err(Refusal::bad("object expected as reply markup")) };
    if let Some(rows) = fields.get("inline_keyboard") {
        let rows =
            rows.as_array().ok_or_else(|| refused("field \"inline_keyboard\" must be of type Array"))?;
        let rows = rows.iter().map(read_row).collect::<Result<Rows, Refusal>>()?;
        let rows: Rows = rows.into_iter().filter(|row| !row.is_empty()).collect();
        return Ok(if rows.is_empty() { Markup::None } else { Markup::Inline(rows) });
    }
    let reply = ["keyboard", "remove_keyboard", "force_reply"].iter().any(|name| fields.contains_key(*name));
    Ok(if reply { Markup::Reply } else { Markup::None })
}

fn refused(words: &str) -> Refusal {
    Refusal::bad(format!("can't parse inline keyboard button: {words}"))
}

fn read_row(row: &Value) -> Result<Vec<Button>, Refusal> {
    let row = row.as_array().ok_or_else(|| refused("expected an Array of Array of InlineKeyboardButton"))?;
    row.iter().map(read_button).collect()
}

fn read_button(value: &Value) -> Result<Button, Refusal> {
    let fields = value.as_object().ok_or_else(|| refused("InlineKeyboardButton must be an Object"))?;
    let text = fields.get("text").ok_or_else(|| refused("Can't find field \"text\""))?;
    let text = text.as_str().ok_or_else(|| refused("Field \"text\" must be of type String"))?.trim();
    if text.is_empty() {
        return Err(refused("Field \"text\" must be non-empty"));
    }
    Ok(Button { text: text.to_owned(), action: read_action(fields)? })
}

fn read_action(fields: &Map<String, Value>) -> Result<Action, Refusal> {
    if let Some(url) = fields.get("url").and_then(Value::as_str) {
        return if is_link(url) {
            Ok(Action::Url(url.to_owned()))
        } else {
            Err(Refusal::bad("BUTTON_URL_INVALID"))
        };
    }
    if let Some(data) = fields.get("callback_data").and_then(Value::as_str) {
        return if data.is_empty() || data.len() > MOST_DATA {
            Err(Refusal::bad("BUTTON_DATA_INVALID"))
        } else {
            Ok(Action::Callback(data.to_owned()))
        };
    }
    for name in OTHER_ACTIONS {
        if let Some(value) = fields.get(name) {
            return Ok(Action::Other(name.to_owned(), value.clone()));
        }
    }
    Err(refused("Text buttons are unallowed in the inline keyboard"))
}

/// A link that a button or a text may carry: with a scheme the server knows and a host.
pub(crate) fn is_link(url: &str) -> bool {
    let lowered = url.to_ascii_lowercase();
    if let Some(rest) = lowered.strip_prefix("tg://") {
        return !rest.is_empty();
    }
    let rest = lowered
        .strip_prefix("https://")
        .or_else(|| lowered.strip_prefix("http://"))
        .unwrap_or(lowered.as_str());
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let named = host == "localhost" || (host.contains('.') && !host.starts_with('.') && !host.ends_with('.'));
    named && !url.contains(char::is_whitespace) && !rest.contains("://")
}

/// The limits that the server looks at last.
pub(crate) fn check_size(markup: &Markup) -> Result<(), Refusal> {
    if let Markup::Inline(rows) = markup {
        let buttons: usize = rows.iter().map(Vec::len).sum();
        if buttons > MOST_BUTTONS || show(rows).to_string().len() > MOST_BYTES {
            return Err(Refusal::bad("reply markup is too long"));
        }
    }
    Ok(())
}

/// A keyboard as it stands in a `Message`.
pub(crate) fn show(rows: &Rows) -> Value {
    let rows: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(show_button).collect()).collect();
    json!({ "inline_keyboard": rows })
}

fn show_button(button: &Button) -> Value {
    match &button.action {
        Action::Url(url) => json!({"text": button.text, "url": url}),
        Action::Callback(data) => json!({"text": button.text, "callback_data": data}),
        Action::Other(name, value) => json!({"text": button.text, name.as_str(): value}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_buttons(buttons: Value) -> Result<Markup, Refusal> {
        read(&Params::new().with("reply_markup", json!({"inline_keyboard": [buttons]})))
    }

    #[test]
    fn each_bad_keyboard_gets_its_words() {
        let long = "x".repeat(65);
        for (buttons, words) in [
            (
                json!([{"text": "a"}]),
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
            ),
            (json!([{"text": "a", "callback_data": long}]), "BUTTON_DATA_INVALID"),
            (json!([{"text": "a", "callback_data": ""}]), "BUTTON_DATA_INVALID"),
            (json!([{"text": "a", "url": "no link"}]), "BUTTON_URL_INVALID"),
            (
                json!([{"callback_data": "a"}]),
                "can't parse inline keyboard button: Can't find field \"text\"",
            ),
        ] {
            assert_eq!(read_buttons(buttons), Err(Refusal::bad(words)));
        }
        let broken = read(&Params::new().with("reply_markup", "{"));
        assert_eq!(broken, Err(Refusal::bad("can't parse reply keyboard markup JSON object")));
    }

    #[test]
    fn sixty_four_bytes_of_data_pass_and_are_counted_in_bytes() {
        assert!(read_buttons(json!([{"text": "a", "callback_data": "x".repeat(64)}])).is_ok());
        assert!(read_buttons(json!([{"text": "a", "callback_data": "я".repeat(33)}])).is_err());
    }

    #[test]
    fn a_hundred_and_one_buttons_are_too_many() {
        let row: Vec<Value> =
            (0..101).map(|n| json!({"text": "a", "callback_data": n.to_string()})).collect();
        let markup = read_buttons(json!(row)).unwrap();
        assert_eq!(check_size(&markup), Err(Refusal::bad("reply markup is too long")));
    }

    #[test]
    fn links_of_the_machine_itself_are_links() {
        for url in [
            "https://t.me/addstickers/a",
            "http://127.0.0.1:8081/x",
            "http://localhost:80/",
            "tg://user?id=1",
        ] {
            assert!(is_link(url), "{url}");
        }
        for url in ["", "no link", "ftp://a.b", "https://"] {
            assert!(!is_link(url), "{url}");
        }
    }
}
