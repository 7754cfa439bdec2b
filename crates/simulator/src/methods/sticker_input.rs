//! `InputSticker`: read from JSON, and the picture that it means.

use serde_json::{Map, Value};

use super::input::{self, Input};
use super::{Call, picture};
use crate::refusal::Refusal;
use crate::world::Picture;
use crate::world::state::{FileKind, State, Sticker};

/// Emoji of one sticker.
const MOST_EMOJI: usize = 20;
/// Keywords of one sticker.
const MOST_KEYWORDS: usize = 20;

/// A sticker as the call describes it.
#[derive(Debug)]
pub(super) struct InputSticker<'a> {
    file: Input<'a>,
    format: Format,
    emoji: Vec<String>,
    keywords: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Static,
    Animated,
    Video,
}

/// A sticker whose picture was looked at and that is not kept yet.
#[derive(Debug)]
pub(super) struct Ready {
    picture: Picture,
    emoji: Vec<String>,
    keywords: Vec<String>,
    /// The file it is made from, when the call names one.
    pub source: String,
}

impl Ready {
    /// Keeps the picture as a sticker of a set: with a file of its own, whose unique id differs from the upload's.
    pub fn keep(self, state: &mut State, bot: i64) -> Sticker {
        let file = state.keep_sticker(bot, self.picture);
        Sticker { file, emoji: self.emoji, keywords: self.keywords, source: self.source }
    }
}

/// Reads a format's name.
pub(super) fn format(name: &str) -> Option<Format> {
    match name {
        "static" => Some(Format::Static),
        "animated" => Some(Format::Animated),
        "video" => Some(Format::Video),
        _ => None,
    }
}

/// Reads one `InputSticker`; the error goes behind the words of the method.
pub(super) fn read<'a>(call: Call<'a>, value: &'a Value) -> Result<InputSticker<'a>, String> {
    let fields = value.as_object().ok_or("InputSticker must be an Object")?;
    let file = fields.get("sticker").and_then(Value::as_str).filter(|name| !name.is_empty());
    let file = file.and_then(|name| input::of_text(call.params, name)).ok_or("sticker not found")?;
    let name = fields.get("format").ok_or("Can't find field \"format\"")?.as_str();
    let format = name.and_then(format).ok_or("Invalid sticker format specified")?;
    let emoji = fields.get("emoji_list").ok_or("Can't find field \"emoji_list\"")?;
    Ok(InputSticker { file, format, emoji: read_emoji(emoji)?, keywords: read_keywords(fields)? })
}

/// Reads a list of emoji.
pub(super) fn read_emoji(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("Field \"emoji_list\" must be of type Array")?;
    if list.is_empty() {
        return Err("emoji list must be non-empty".into());
    }
    if list.len() > MOST_EMOJI {
        return Err("too many emoji specified".into());
    }
    let emoji = list.iter().map(|emoji| emoji.as_str().filter(|emoji| is_emoji(emoji)).map(str::to_owned));
    emoji.collect::<Option<Vec<_>>>().ok_or_else(|| "expected a Unicode emoji".into())
}

fn is_emoji(text: &str) -> bool {
    // Some writers leave the variation selector out or add one; the letters decide.
    let bare: String = text.chars().filter(|letter| *letter != '\u{FE0F}').collect();
    emojis::get(text).is_some() || emojis::iter().any(|known| known.as_str().replace('\u{FE0F}', "") == bare)
}

/// Reads `keywords`, which may be absent.
pub(super) fn read_keywords(fields: &Map<String, Value>) -> Result<Vec<String>, String> {
    match fields.get("keywords") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(value) => keywords(value),
    }
}

/// Reads a list of keywords.
pub(super) fn keywords(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("Field \"keywords\" must be of type Array")?;
    let words = list.iter().take(MOST_KEYWORDS).map(|word| word.as_str().map(str::to_owned));
    words.collect::<Option<Vec<_>>>().ok_or_else(|| "keyword must be a string".into())
}

impl InputSticker<'_> {
    /// Looks at the picture. Only still pictures are played here; a moving one is not what its name says.
    pub fn ready(self, state: &State, call: Call<'_>) -> Result<Ready, Refusal> {
        let named = match self.file {
            Input::Upload(_) => None,
            Input::Named(name) => Some(input::stored(state, call, name, FileKind::Sticker)?),
        };
        if self.format != Format::Static {
            return Err(Refusal::bad("wrong file type"));
        }
        let (picture, source) = match (self.file, named) {
            (Input::Upload(upload), _) => (picture::sticker(upload)?, String::new()),
            (Input::Named(_), Some((key, file))) => (picture::kept(file), key.to_owned()),
            (Input::Named(_), None) => return Err(Refusal::bad("sticker not found")),
        };
        Ok(Ready { picture, emoji: self.emoji, keywords: self.keywords, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_are_told_from_letters() {
        for emoji in ["😀", "❤️", "❤", "👍🏽", "🇺🇿", "👩‍🚀", "1️⃣", "✨", "☺️"]
        {
            assert!(is_emoji(emoji), "{emoji}");
        }
        for text in ["", "a", "1", "😀😀", ":)", "star", "я"] {
            assert!(!is_emoji(text), "{text}");
        }
    }
}
