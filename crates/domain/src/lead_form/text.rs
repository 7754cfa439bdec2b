//! Text from outside, made fit to be stored.

use crate::guest::clean_text;
use std::net::{IpAddr, SocketAddr};

/// Without control characters and outer white space; `None` when nothing is left that can be seen.
pub(super) fn tidy(text: Option<&str>) -> Option<String> {
    let cleaned = clean_text(text?);
    let trimmed = cleaned.trim();
    trimmed.chars().any(|c| !c.is_whitespace() && !is_invisible(c)).then(|| trimmed.to_owned())
}

/// Whether nothing is drawn for this character: joiners, marks of direction, blank letters. They stay where they are, they only do not count as something written.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}'
    )
}

/// The first `longest` characters.
pub(super) fn cut(text: &str, longest: usize) -> &str {
    text.char_indices().nth(longest).map_or(text, |(at, _)| &text[..at])
}

/// A UUID of any version as `8-4-4-4-12` hexadecimal digits, in lower case.
pub fn uuid(text: &str) -> Option<String> {
    let groups = text.split('-').map(str::len);
    let fits = groups.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}

/// Whether this is a UUID of version 4, which is what the landing form makes.
pub fn is_uuid_v4(text: &str) -> bool {
    uuid(text).is_some_and(|id| {
        let digits = id.as_bytes();
        digits[14] == b'4' && matches!(digits[19], b'8' | b'9' | b'a' | b'b')
    })
}

/// The address of a visitor, also with a port behind it; an IPv4 address inside an IPv6 one is taken out. Anything else says
/// nothing about who it is, and a request is not lost for that.
pub fn visitor_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}
