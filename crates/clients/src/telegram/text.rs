//! Telegram HTML back to plain text.

/// Takes the tags away and decodes the entities that Telegram knows by name, for a text whose HTML was refused.
///
/// Only what looks like one of our tags goes (`<`, a letter or `/`, up to `>`), so that a lone `<` stays readable.
pub fn strip_tags(html: &str) -> String {
    let mut plain = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        match tag_len(rest) {
            Some(len) => rest = &rest[len..],
            None => {
                plain.push('<');
                rest = &rest[1..];
            }
        }
    }
    plain.push_str(rest);
    // `&amp;` last, or `&amp;lt;` would be decoded twice.
    plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn tag_len(text: &str) -> Option<usize> {
    let second = text.as_bytes().get(1)?;
    if !second.is_ascii_alphabetic() && *second != b'/' {
        return None;
    }
    let end = text.find('>')?;
    // A `<` before the `>` means that this one was no tag.
    (!text[1..end].contains('<')).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::strip_tags;

    #[test]
    fn tags_go_and_entities_are_decoded_once() {
        assert_eq!(strip_tags("<b>Tom &amp; &lt;Co&gt;</b> <a href=\"x\">y</a>"), "Tom & <Co> y");
        assert_eq!(strip_tags("&amp;lt;"), "&lt;");
    }

    #[test]
    fn what_is_no_tag_stays() {
        assert_eq!(strip_tags("I <3 you"), "I <3 you");
        assert_eq!(strip_tags("a < b <b>c</b>"), "a < b c");
        assert_eq!(strip_tags("open <b"), "open <b");
        assert_eq!(strip_tags("<b <i>x</i>"), "<b x");
    }
}
