//! Text from outside, made fit to be stored.

use crate::guest::clean_text;
use std::net::{IpAddr, SocketAddr};

/// Without control characters and outer white space; `None` when nothing is left.
pub(super) fn tidy(text: Option<&str>) -> Option<String> {
    let cleaned = clean_text(text?);
    let trimmed = cleaned.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
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
