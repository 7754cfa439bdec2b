//! HTML in texts: read into plain text and entities, with the errors and byte offsets that the server gives.

use crate::entity::Entity;
use crate::wire::keyboard::is_link;

const TAGS: [&str; 17] = [
    "a",
    "b",
    "strong",
    "i",
    "em",
    "s",
    "strike",
    "del",
    "u",
    "ins",
    "tg-spoiler",
    "tg-emoji",
    "tg-time",
    "span",
    "pre",
    "code",
    "blockquote",
];

/// An element that is still open.
struct Open {
    tag: String,
    argument: String,
    /// Where its text begins: in UTF-16 units and in bytes of the result.
    at: usize,
    begin: usize,
}

struct Reader<'a> {
    input: &'a [u8],
    at: usize,
    text: Vec<u8>,
    /// Length of `text` in UTF-16 units.
    units: usize,
    half_surrogate: bool,
    open: Vec<Open>,
    entities: Vec<Entity>,
}

/// Plain text and entities of an HTML text, or what stands after `can't parse entities: `.
pub(crate) fn read(html: &str) -> Result<(String, Vec<Entity>), String> {
    let mut reader = Reader {
        input: html.as_bytes(),
        at: 0,
        text: Vec::with_capacity(html.len()),
        units: 0,
        half_surrogate: false,
        open: Vec::new(),
        entities: Vec::new(),
    };
    while reader.at < reader.input.len() {
        reader.step()?;
    }
    if let Some(open) = reader.open.last() {
        return Err(format!("Can't find end tag corresponding to start tag \"{}\"", open.tag));
    }
    let text = if reader.half_surrogate { None } else { String::from_utf8(reader.text).ok() };
    let text = text.ok_or(
        "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units",
    )?;
    let mut entities = reader.entities;
    entities.sort_by(|a, b| a.offset.cmp(&b.offset).then(b.length.cmp(&a.length)));
    Ok((text, entities))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0 | 0x0b)
}

impl Reader<'_> {
    /// The byte at a place; the end of the text reads as 0, which counts as a space.
    fn byte(&self, at: usize) -> u8 {
        self.input.get(at).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize, to: usize) -> String {
        String::from_utf8_lossy(&self.input[from.min(to)..to.min(self.input.len())]).into_owned()
    }

    fn skip_spaces(&mut self) {
        while self.at < self.input.len() && is_space(self.byte(self.at)) {
            self.at += 1;
        }
    }

    fn step(&mut self) -> Result<(), String> {
        let byte = self.byte(self.at);
        if byte == b'&'
            && let Some((code, next)) = reference(self.input, self.at)
        {
            self.at = next;
            self.push(code);
            return Ok(());
        }
        if byte != b'<' {
            // Continuation bytes of UTF-8 count with their first byte; four bytes are two UTF-16 units.
            if byte & 0xC0 != 0x80 {
                self.units += if byte >= 0xF0 { 2 } else { 1 };
            }
            self.text.push(byte);
            self.at += 1;
            return Ok(());
        }
        let begin = self.at;
        self.at += 1;
        if self.byte(self.at) == b'/' { self.end_tag(begin) } else { self.start_tag(begin) }
    }

    fn push(&mut self, code: u32) {
        self.units += if code > 0xFFFF { 2 } else { 1 };
        match char::from_u32(code) {
            Some(letter) => self.text.extend(letter.to_string().bytes()),
            None => self.half_surrogate = true,
        }
    }

    fn start_tag(&mut self, begin: usize) -> Result<(), String> {
        while !is_space(self.byte(self.at)) && self.byte(self.at) != b'>' {
            self.at += 1;
        }
        if self.at >= self.input.len() {
            return Err(format!("Unclosed start tag at byte offset {begin}"));
        }
        let tag = self.slice(begin + 1, self.at).to_lowercase();
        if !TAGS.contains(&tag.as_str()) {
            return Err(format!("Unsupported start tag \"{tag}\" at byte offset {begin}"));
        }
        let mut argument = String::new();
        while self.byte(self.at) != b'>' {
            self.skip_spaces();
            if self.byte(self.at) == b'>' {
                break;
            }
            if let Some(value) = self.attribute(&tag, begin)? {
                argument = value;
            }
        }
        self.at += 1;
        if tag == "span" && argument != "spoiler" {
            return Err(format!("Tag \"span\" must have class \"tg-spoiler\" at byte offset {begin}"));
        }
        self.open.push(Open { tag, argument, at: self.units, begin: self.text.len() });
        Ok(())
    }

    /// Reads one attribute; answers its value when the tag wants it.
    fn attribute(&mut self, tag: &str, begin: usize) -> Result<Option<String>, String> {
        let unclosed = || format!("Unclosed start tag \"{tag}\" at byte offset {begin}");
        if self.at >= self.input.len() {
            return Err(unclosed());
        }
        let name_at = self.at;
        while !is_space(self.byte(self.at))
            && !matches!(self.byte(self.at), b'=' | b'>' | b'/' | b'"' | b'\'')
        {
            self.at += 1;
        }
        let name = self.slice(name_at, self.at).to_lowercase();
        if name.is_empty() {
            return Err(format!("Empty attribute name in the tag \"{tag}\" at byte offset {begin}"));
        }
        self.skip_spaces();
        let value = if self.byte(self.at) == b'=' {
            self.at += 1;
            self.skip_spaces();
            if self.at >= self.input.len() {
                return Err(unclosed());
            }
            self.attribute_value()?
        } else {
            String::new()
        };
        if self.at >= self.input.len() {
            return Err(unclosed());
        }
        Ok(match (tag, name.as_str()) {
            ("a", "href") | ("tg-emoji", "emoji-id") | ("tg-time", "unix") => Some(value),
            ("code", "class") => value.strip_prefix("language-").map(str::to_owned),
            ("span", "class") => value.strip_prefix("tg-").map(str::to_owned),
            ("blockquote", "expandable") => Some("expandable".to_owned()),
            _ => None,
        })
    }

    fn attribute_value(&mut self) -> Result<String, String> {
        let quote = self.byte(self.at);
        if quote != b'"' && quote != b'\'' {
            let begin = self.at;
            while self.byte(self.at).is_ascii_alphanumeric() || matches!(self.byte(self.at), b'.' | b'-') {
                self.at += 1;
            }
            if !is_space(self.byte(self.at)) && self.byte(self.at) != b'>' {
                return Err(format!("Unexpected end of name token at byte offset {begin}"));
            }
            return Ok(self.slice(begin, self.at).to_lowercase());
        }
        self.at += 1;
        let mut value = Vec::new();
        while self.at < self.input.len() && self.byte(self.at) != quote {
            if let Some((code, next)) = reference(self.input, self.at) {
                self.at = next;
                value.extend(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).to_string().bytes());
            } else {
                value.push(self.byte(self.at));
                self.at += 1;
            }
        }
        if self.at < self.input.len() {
            self.at += 1;
        }
        Ok(String::from_utf8_lossy(&value).into_owned())
    }

    fn end_tag(&mut self, begin: usize) -> Result<(), String> {
        let Some(open) = self.open.pop() else {
            return Err(format!("Unexpected end tag at byte offset {begin}"));
        };
        while !is_space(self.byte(self.at)) && self.byte(self.at) != b'>' {
            self.at += 1;
        }
        let found = self.slice(begin + 2, self.at).to_lowercase();
        self.skip_spaces();
        if self.byte(self.at) != b'>' {
            return Err(format!("Unclosed end tag at byte offset {begin}"));
        }
        self.at += 1;
        if !found.is_empty() && found != open.tag {
            let tag = open.tag;
            return Err(format!(
                "Unmatched end tag at byte offset {begin}, expected \"</{tag}>\", found \"</{found}>\""
            ));
        }
        if self.units > open.at {
            self.entity(open);
        }
        Ok(())
    }

    fn entity(&mut self, open: Open) {
        let mut entity = Entity::new("", open.at, self.units - open.at);
        entity.kind = match open.tag.as_str() {
            "b" | "strong" => "bold",
            "i" | "em" => "italic",
            "u" | "ins" => "underline",
            "s" | "strike" | "del" => "strikethrough",
            "tg-spoiler" | "span" => "spoiler",
            "blockquote" if open.argument.is_empty() => "blockquote",
            "blockquote" => "expandable_blockquote",
            "tg-emoji" => {
                entity.custom_emoji_id = Some(open.argument.clone());
                "custom_emoji"
            }
            "a" => return self.link(entity, &open),
            "pre" | "code" => return self.code(entity, &open),
            // The time of `tg-time` is shown as the text between its tags.
            _ => return,
        }
        .to_owned();
        self.entities.push(entity);
    }

    fn link(&mut self, mut entity: Entity, open: &Open) {
        let inner = String::from_utf8_lossy(&self.text[open.begin..]).into_owned();
        let url = if open.argument.is_empty() { inner } else { open.argument.clone() };
        if let Some(user) = url.strip_prefix("tg://user?id=").and_then(|id| id.parse().ok()) {
            entity.kind = "text_mention".to_owned();
            entity.user_id = Some(user);
        } else if is_link(&url) {
            entity.kind = "text_link".to_owned();
            entity.url = Some(whole_url(&url));
        } else {
            return;
        }
        self.entities.push(entity);
    }

    /// `pre` and `code` of the same text are one entity; a language comes from the `code`.
    fn code(&mut self, mut entity: Entity, open: &Open) {
        let pre = open.tag == "pre";
        let inner = self.entities.last_mut().filter(|last| {
            last.offset == entity.offset
                && last.length == entity.length
                && last.kind == if pre { "code" } else { "pre" }
        });
        if let Some(inner) = inner {
            if pre && inner.language.is_some() {
                inner.kind = "pre".to_owned();
                return;
            }
            if !pre && !open.argument.is_empty() {
                inner.language = Some(open.argument.clone());
                return;
            }
        }
        entity.kind = if pre { "pre" } else { "code" }.to_owned();
        // The language is kept until an enclosing `pre` asks for it; it is not shown on a plain `code`.
        entity.language = Some(open.argument.clone()).filter(|language| !pre && !language.is_empty());
        self.entities.push(entity);
    }
}

/// A link as the server writes it: with a scheme, and a slash after a bare host.
fn whole_url(url: &str) -> String {
    let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let host_at = url.find("://").map_or(0, |at| at + 3);
    if url[host_at..].contains(['/', '?', '#']) { url } else { url + "/" }
}

/// A character reference at `at`, and where the text goes on after it.
fn reference(input: &[u8], at: usize) -> Option<(u32, usize)> {
    let byte = |at: usize| input.get(at).copied().unwrap_or(0);
    if byte(at) != b'&' {
        return None;
    }
    let mut end = at + 1;
    let code = if byte(end) == b'#' {
        end += 1;
        let base = if byte(end) == b'x' { 16 } else { 10 };
        if base == 16 {
            end += 1;
        }
        let mut code: u32 = 0;
        while let Some(digit) = char::from(byte(end)).to_digit(base) {
            code = code.saturating_mul(base).saturating_add(digit);
            end += 1;
        }
        if code == 0 || code >= 0x10_FFFF || end - at >= 10 {
            return None;
        }
        code
    } else {
        while byte(end).is_ascii_alphabetic() {
            end += 1;
        }
        u32::from(match &input[at + 1..end] {
            b"lt" => '<',
            b"gt" => '>',
            b"amp" => '&',
            b"quot" => '"',
            _ => return None,
        })
    };
    Some((code, if byte(end) == b';' { end + 1 } else { end }))
}

#[cfg(test)]
mod tests;
