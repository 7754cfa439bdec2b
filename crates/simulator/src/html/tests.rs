//! The table of HTML errors row by row, and what becomes of good HTML.

use super::read;
use crate::entity::Entity;

fn entities(html: &str) -> (String, Vec<(String, usize, usize)>) {
    let (text, entities) = read(html).unwrap();
    (text, entities.into_iter().map(|e| (e.kind, e.offset, e.length)).collect())
}

fn one(html: &str) -> Entity {
    let (_, mut entities) = read(html).unwrap();
    assert_eq!(entities.len(), 1, "{html}");
    entities.remove(0)
}

#[test]
fn each_error_has_its_words_and_byte_offset() {
    for (html, words) in [
        ("I <3 you", r#"Unsupported start tag "3" at byte offset 2"#),
        ("Hi <Name>", r#"Unsupported start tag "name" at byte offset 3"#),
        ("a<br>b", r#"Unsupported start tag "br" at byte offset 1"#),
        ("1 < 2", r#"Unsupported start tag "" at byte offset 2"#),
        ("привет <x>", r#"Unsupported start tag "x" at byte offset 13"#),
        ("no</b>", "Unexpected end tag at byte offset 2"),
        ("<b>x</i>", r#"Unmatched end tag at byte offset 4, expected "</b>", found "</i>""#),
        ("<b><i>x</b></i>", r#"Unmatched end tag at byte offset 7, expected "</i>", found "</b>""#),
        ("<b>x", r#"Can't find end tag corresponding to start tag "b""#),
        ("<b><code>x</code>", r#"Can't find end tag corresponding to start tag "b""#),
        ("x <b", "Unclosed start tag at byte offset 2"),
        (r#"x <a href="http://a.b"#, r#"Unclosed start tag "a" at byte offset 2"#),
        ("x <a href=", r#"Unclosed start tag "a" at byte offset 2"#),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
        ("<span>x</span>", r#"Tag "span" must have class "tg-spoiler" at byte offset 0"#),
        (r#"<span class="big">x</span>"#, r#"Tag "span" must have class "tg-spoiler" at byte offset 0"#),
        (r#"<a ="x">y</a>"#, r#"Empty attribute name in the tag "a" at byte offset 0"#),
        ("<a href=a/b>y</a>", "Unexpected end of name token at byte offset 8"),
        (
            "&#55357;",
            "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units",
        ),
    ] {
        assert_eq!(read(html), Err(words.to_owned()), "{html}");
    }
}

#[test]
fn every_tag_makes_its_entity_in_any_case() {
    for (html, kind) in [
        ("<b>x</b>", "bold"),
        ("<STRONG>x</strong>", "bold"),
        ("<i>x</i>", "italic"),
        ("<em>x</em>", "italic"),
        ("<u>x</u>", "underline"),
        ("<ins>x</ins>", "underline"),
        ("<s>x</s>", "strikethrough"),
        ("<strike>x</strike>", "strikethrough"),
        ("<del>x</del>", "strikethrough"),
        (r#"<span class="tg-spoiler">x</span>"#, "spoiler"),
        ("<tg-spoiler>x</tg-spoiler>", "spoiler"),
        ("<code>x</code>", "code"),
        ("<pre>x</pre>", "pre"),
        ("<blockquote>x</blockquote>", "blockquote"),
        ("<blockquote expandable>x</blockquote>", "expandable_blockquote"),
        (r#"<tg-emoji emoji-id="5">x</tg-emoji>"#, "custom_emoji"),
        (r#"<a href="https://a.b/c">x</a>"#, "text_link"),
        (r#"<a href="tg://user?id=7">x</a>"#, "text_mention"),
    ] {
        assert_eq!(entities(html), ("x".into(), vec![(kind.into(), 0, 1)]), "{html}");
    }
}

#[test]
fn offsets_are_utf_16_units_while_errors_count_bytes() {
    let (text, found) = entities("🧑‍🚀 я <b>жир</b>");
    assert_eq!(text, "🧑‍🚀 я жир");
    assert_eq!(found, [("bold".into(), 8, 3)]);
}

#[test]
fn references_are_decoded_and_everything_else_stays_literal() {
    assert_eq!(read("&lt;b&gt; &amp;&quot; &#1071; &#x44F;").unwrap().0, "<b> &\" Я я");
    assert_eq!(read("&lt &#65 x").unwrap().0, "< A x");
    assert_eq!(read("Tom & Co &nbsp; &apos; &copy; &").unwrap().0, "Tom & Co &nbsp; &apos; &copy; &");
}

#[test]
fn an_empty_element_makes_no_entity() {
    assert_eq!(entities("a<b></b>b"), ("ab".into(), vec![]));
}

#[test]
fn an_a_without_an_address_is_its_text_or_nothing() {
    assert_eq!(one("<a>https://a.b</a>").url.as_deref(), Some("https://a.b/"));
    assert_eq!(one(r#"<a href="a.b/c?d=1&amp;e=2">x</a>"#).url.as_deref(), Some("http://a.b/c?d=1&e=2"));
    assert_eq!(entities("<a>no link</a>"), ("no link".into(), vec![]));
}

#[test]
fn the_language_of_a_code_goes_to_its_pre() {
    let entity = one(r#"<pre><code class="language-rust">x</code></pre>"#);
    assert_eq!((entity.kind.as_str(), entity.language.as_deref()), ("pre", Some("rust")));
}

#[test]
fn nested_entities_come_outer_first() {
    let (_, found) = entities("<b>a<i>b</i></b>");
    assert_eq!(found, [("bold".into(), 0, 2), ("italic".into(), 1, 1)]);
}

#[test]
fn an_end_tag_without_a_name_closes_what_is_open() {
    assert_eq!(entities("<b>x</>"), ("x".into(), vec![("bold".into(), 0, 1)]));
}
