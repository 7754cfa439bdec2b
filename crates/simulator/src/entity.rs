//! Entities of a text: what is bold, a link or a command. Offsets and lengths are UTF-16 units.

mod given;

use serde::{Deserialize, Serialize};

use crate::html;
use crate::refusal::Refusal;
use crate::wire::Params;

/// Bytes of a text before it is parsed.
const MOST_BYTES: usize = 32_768;

/// One entity, as a `MessageEntity` stands in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// `bold`, `text_link`, `bot_command`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it begins.
    pub offset: usize,
    /// How long it is.
    pub length: usize,
    /// The address of a `text_link`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The language of a `pre`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The picture of a `custom_emoji`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_emoji_id: Option<String>,
    /// Who a `text_mention` means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<i64>,
}

impl Entity {
    pub(crate) fn new(kind: &str, offset: usize, length: usize) -> Self {
        Self {
            kind: kind.to_owned(),
            offset,
            length,
            url: None,
            language: None,
            custom_emoji_id: None,
            user_id: None,
        }
    }
}

/// A text with its entities.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Formatted {
    pub text: String,
    pub entities: Vec<Entity>,
}

/// Names of the parameters that carry a text.
pub(crate) struct Names {
    pub text: &'static str,
    pub entities: &'static str,
}

/// The parameters of a message's text.
pub(crate) const TEXT: Names = Names { text: "text", entities: "entities" };
/// The parameters of a caption.
pub(crate) const CAPTION: Names = Names { text: "caption", entities: "caption_entities" };

/// Length in UTF-16 units.
pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Reads a text as the call gives it: JSON of the entities, then emptiness, then the HTML. Empty is for the caller to judge.
pub(crate) fn read(params: &Params, names: &Names) -> Result<Formatted, Refusal> {
    let given = params.json(names.entities, &format!("can't parse {} JSON object", names.entities))?;
    let raw = params.text_or_empty(names.text);
    if raw.len() > MOST_BYTES {
        return Err(Refusal::bad("text is too long"));
    }
    let mut formatted = match params.text("parse_mode") {
        Some(mode) if mode.eq_ignore_ascii_case("html") => {
            let (text, entities) =
                html::read(raw).map_err(|words| Refusal::bad(format!("can't parse entities: {words}")))?;
            Formatted { text, entities }
        }
        Some(_) => return Err(Refusal::bad("unsupported parse_mode")),
        None => Formatted { text: raw.to_owned(), entities: given::read(given.as_ref(), raw)? },
    };
    trim(&mut formatted);
    let found = find(&formatted.text);
    for entity in found {
        let end = entity.offset + entity.length;
        let taken = formatted.entities.iter().any(|other| {
            matches!(other.kind.as_str(), "text_link" | "code" | "pre" | "text_mention")
                && entity.offset < other.offset + other.length
                && other.offset < end
        });
        if !taken && !formatted.entities.contains(&entity) {
            formatted.entities.push(entity);
        }
    }
    formatted.entities.sort_by(|a, b| a.offset.cmp(&b.offset).then(b.length.cmp(&a.length)));
    Ok(formatted)
}

/// Takes white space off both ends and moves the entities with it.
fn trim(formatted: &mut Formatted) {
    let front = formatted.text.len() - formatted.text.trim_start().len();
    let cut = units(&formatted.text[..front]);
    formatted.text = formatted.text.trim().to_owned();
    let length = units(&formatted.text);
    formatted.entities.retain_mut(|entity| {
        let begin = entity.offset.saturating_sub(cut).min(length);
        let end = (entity.offset + entity.length).saturating_sub(cut).min(length);
        entity.offset = begin;
        entity.length = end - begin;
        entity.length > 0
    });
}

/// Commands, mentions, hashtags and links that the server sees in a plain text.
pub(crate) fn find(text: &str) -> Vec<Entity> {
    let mut found = Vec::new();
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end().trim_end_matches(['.', ',', '!', '?', ':', ';', ')']);
        let kind = kind_of(bare);
        if let Some(kind) = kind {
            let length = if kind == "bot_command" { command_length(bare) } else { units(bare) };
            found.push(Entity::new(kind, offset, length));
        }
        offset += units(word);
    }
    found
}

fn kind_of(word: &str) -> Option<&'static str> {
    let name = |rest: &str, least: usize| {
        rest.chars().count() >= least && rest.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if word.starts_with('/') {
        return (command_length(word) > 1).then_some("bot_command");
    }
    if let Some(rest) = word.strip_prefix('@') {
        return (rest.is_ascii() && name(rest, 3)).then_some("mention");
    }
    if let Some(rest) = word.strip_prefix('#') {
        let digits = rest.chars().all(|letter| letter.is_ascii_digit());
        return (name(rest, 1) && !digits).then_some("hashtag");
    }
    let link = word.starts_with("https://") || word.starts_with("http://") || word.starts_with("t.me/");
    (link && crate::wire::keyboard::is_link(word)).then_some("url")
}

/// Length of `/command` or `/command@bot` at the start of a word; 1 when there is none.
fn command_length(word: &str) -> usize {
    let letters = |text: &str| text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let name = letters(&word[1..]);
    if name == 0 || name > 64 {
        return 1;
    }
    let rest = &word[1 + name..];
    match rest.strip_prefix('@').map(letters) {
        Some(bot) if bot >= 3 => 1 + name + 1 + bot,
        _ if rest.starts_with('/') => 1,
        _ => 1 + name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(params: Params) -> Result<Formatted, Refusal> {
        read(&params, &TEXT)
    }

    fn kinds(text: &str) -> Vec<(String, usize, usize)> {
        find(text).into_iter().map(|entity| (entity.kind, entity.offset, entity.length)).collect()
    }

    #[test]
    fn commands_mentions_hashtags_and_links_are_found_in_plain_text() {
        assert_eq!(kinds("/start abc"), [("bot_command".to_owned(), 0, 6)]);
        assert_eq!(kinds("/cmd@sim_bot 5"), [("bot_command".to_owned(), 0, 12)]);
        assert_eq!(
            kinds("я @kamila, #party https://t.me/x."),
            [("mention".to_owned(), 2, 7), ("hashtag".to_owned(), 11, 6), ("url".to_owned(), 18, 14)]
        );
        assert_eq!(kinds("/ a/b #1 @ab 5@x"), []);
    }

    #[test]
    fn white_space_goes_from_both_ends_and_entities_move_with_it() {
        let read =
            read_text(Params::new().with("text", " \n <b>a</b> b  ").with("parse_mode", "HTML")).unwrap();
        assert_eq!(read.text, "a b");
        assert_eq!(read.entities, [Entity::new("bold", 0, 1)]);
    }

    #[test]
    fn an_unknown_parse_mode_and_a_huge_text_are_refused() {
        let strange = Params::new().with("text", "x").with("parse_mode", "BBCode");
        assert_eq!(read_text(strange), Err(Refusal::bad("unsupported parse_mode")));
        let huge = Params::new().with("text", "x".repeat(32_769));
        assert_eq!(read_text(huge), Err(Refusal::bad("text is too long")));
    }

    #[test]
    fn given_entities_are_taken_and_those_the_server_finds_itself_are_not() {
        let given = serde_json::json!([
            {"type": "bold", "offset": 0, "length": 2}, {"type": "url", "offset": 0, "length": 2}
        ]);
        let read = read_text(Params::new().with("text", "ab c").with("entities", given)).unwrap();
        assert_eq!(read.entities, [Entity::new("bold", 0, 2)]);
        let broken = read_text(Params::new().with("text", "x").with("entities", "["));
        assert_eq!(broken, Err(Refusal::bad("can't parse entities JSON object")));
    }
}
