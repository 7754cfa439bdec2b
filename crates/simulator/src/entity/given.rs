//! Entities that a client brings beside a plain text: read and refused as the server does it.

use serde_json::{Map, Value};

use super::Entity;
use crate::refusal::Refusal;
use crate::wire::keyboard::is_link;

/// Marks without anything but a place.
const PLAIN: [&str; 8] = [
    "bold",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "code",
    "blockquote",
    "expandable_blockquote",
];
/// The server finds these itself and ignores them when a client names them.
const FOUND: [&str; 7] = ["mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"];
/// An entity cannot be placed farther away.
const FARTHEST: i64 = 1_000_000;

/// The entities of the parameter, for this text.
pub(super) fn read(value: Option<&Value>, text: &str) -> Result<Vec<Entity>, Refusal> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| Refusal::bad("expected an Array of MessageEntity"))?;
    let mut entities = Vec::new();
    for entity in list {
        let fields = entity.as_object().ok_or_else(|| refused("MessageEntity must be an Object"))?;
        let entity = one(fields)?;
        check_place(&entity, text)?;
        let lost = entity.length == 0 || FOUND.contains(&entity.kind.as_str());
        entities.extend(Some(entity).filter(|_| !lost));
    }
    Ok(entities)
}

fn refused(words: &str) -> Refusal {
    Refusal::bad(format!("can't parse MessageEntity: {words}"))
}

fn one(fields: &Map<String, Value>) -> Result<Entity, Refusal> {
    let kind = text(fields, "type")?;
    let (offset, length) = (number(fields, "offset")?, number(fields, "length")?);
    let mut entity = Entity::new(&kind, offset, length);
    match kind.as_str() {
        "text_link" => {
            let url = text(fields, "url")?;
            if !is_link(&url) {
                return Err(Refusal::bad(format!("Entity URL '{url}' is invalid: Wrong HTTP URL")));
            }
            entity.url = Some(url);
        }
        "text_mention" => {
            let user = fields.get("user").ok_or_else(|| missing("user"))?;
            let id = user["id"].as_i64().ok_or_else(|| missing("id"))?;
            entity.user_id = Some(id);
        }
        "pre" => entity.language = fields.get("language").and_then(Value::as_str).map(str::to_owned),
        "custom_emoji" => entity.custom_emoji_id = Some(text(fields, "custom_emoji_id")?),
        known if PLAIN.contains(&known) || FOUND.contains(&known) => {}
        _ => return Err(refused("Unsupported type specified")),
    }
    Ok(entity)
}

fn missing(field: &str) -> Refusal {
    refused(&format!("Can't find field \"{field}\""))
}

fn text(fields: &Map<String, Value>, name: &str) -> Result<String, Refusal> {
    let value = fields.get(name).ok_or_else(|| missing(name))?;
    let text = value.as_str().map(str::to_owned);
    text.ok_or_else(|| refused(&format!("Field \"{name}\" must be of type String")))
}

/// Numbers may come as text.
fn number(fields: &Map<String, Value>, name: &str) -> Result<usize, Refusal> {
    let value = fields.get(name).ok_or_else(|| missing(name))?;
    let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
    let number = number.ok_or_else(|| refused(&format!("Field \"{name}\" must be of type Number")))?;
    // What is far outside is met by the check of the place.
    Ok(usize::try_from(number.clamp(0, FARTHEST)).unwrap_or(0))
}

/// An entity begins and ends between letters, and inside the text.
fn check_place(entity: &Entity, text: &str) -> Result<(), Refusal> {
    let (begin, end) = (entity.offset, entity.offset + entity.length);
    let (mut units, mut bytes) = (0, 0);
    for letter in text.chars() {
        if units < begin && begin < units + letter.len_utf16() {
            return Err(Refusal::bad(format!(
                "Entity begins in a middle of a UTF-16 symbol at byte offset {bytes}"
            )));
        }
        if units < end && end < units + letter.len_utf16() {
            return Err(Refusal::bad(format!(
                "Entity beginning at UTF-16 offset {begin} ends in a middle of a UTF-16 symbol at byte offset {bytes}"
            )));
        }
        units += letter.len_utf16();
        bytes += letter.len_utf8();
    }
    if end > units {
        return Err(Refusal::bad(format!(
            "Entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(entity: Value, text: &str) -> String {
        read(Some(&json!([entity])), text).expect_err("it is wrong").description
    }

    #[test]
    fn links_mentions_and_marks_are_read_and_what_the_server_finds_itself_is_not() {
        let given = json!([
            {"type": "bold", "offset": 0, "length": 2},
            {"type": "text_link", "offset": 3, "length": 1, "url": "https://t.me/x"},
            {"type": "text_mention", "offset": "4", "length": 1, "user": {"id": 5, "first_name": "Aziz"}},
            {"type": "url", "offset": 0, "length": 2},
            {"type": "mention", "offset": 0, "length": 2},
            {"type": "italic", "offset": 1, "length": 0},
        ]);
        let link = Entity { url: Some("https://t.me/x".to_owned()), ..Entity::new("text_link", 3, 1) };
        let mention = Entity { user_id: Some(5), ..Entity::new("text_mention", 4, 1) };
        assert_eq!(read(Some(&given), "ab cd"), Ok(vec![Entity::new("bold", 0, 2), link, mention]));
    }

    #[test]
    fn each_wrong_entity_gets_its_words() {
        let place =
            |kind: &str, offset: i64, length: i64| json!({"type": kind, "offset": offset, "length": length});
        let parse = "Bad Request: can't parse MessageEntity: ";
        assert_eq!(words(json!(5), "x"), format!("{parse}MessageEntity must be an Object"));
        assert_eq!(
            words(json!({"offset": 0, "length": 1}), "x"),
            format!("{parse}Can't find field \"type\"")
        );
        assert_eq!(words(place("sparkle", 0, 1), "x"), format!("{parse}Unsupported type specified"));
        assert_eq!(words(place("text_link", 0, 1), "x"), format!("{parse}Can't find field \"url\""));
        let wrong = json!({"type": "text_link", "offset": 0, "length": 1, "url": "over there"});
        assert_eq!(words(wrong, "x"), "Bad Request: entity URL 'over there' is invalid: Wrong HTTP URL");
        assert_eq!(
            words(place("bold", 0, 100), "short"),
            "Bad Request: entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 100"
        );
        assert_eq!(
            words(place("bold", 1, 1), "😀"),
            "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 0"
        );
        assert_eq!(
            words(place("bold", 0, 2), "a😀"),
            "Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 1"
        );
        assert!(read(Some(&json!({})), "x").is_err());
    }
}
