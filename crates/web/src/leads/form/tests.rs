//! What is read from a body, and that nothing in it can do harm.

use super::*;
use proptest::prelude::*;

fn comment(body: &[u8]) -> Option<String> {
    parse(body).expect("an object").comment
}

#[test]
fn only_an_object_is_a_request() {
    let bodies: [&[u8]; 12] = [
        b"",
        b" ",
        b"null",
        b"[]",
        b"1",
        b"\"{}\"",
        b"{",
        b"{]",
        b"{\"a\"}",
        b"{} {}",
        b"{\"a\":1,}",
        b"\xff",
    ];
    for body in bodies {
        assert!(parse(body).is_none(), "{:?}", String::from_utf8_lossy(body));
    }
    assert!(parse(b" {} ").is_some());
}

#[test]
fn half_a_surrogate_pair_becomes_a_replacement_character() {
    let cases: [(&[u8], &str); 12] = [
        (br#"{"comment":"a\ud83db"}"#, "a\u{fffd}b"),
        (br#"{"comment":"\uD83D"}"#, "\u{fffd}"),
        (br#"{"comment":"\ude00"}"#, "\u{fffd}"),
        (br#"{"comment":"\ude00\ud83d"}"#, "\u{fffd}\u{fffd}"),
        (br#"{"comment":"\ud83d\ud83d\ude00"}"#, "\u{fffd}😀"),
        (br#"{"comment":"\ud83d\ude00"}"#, "😀"),
        (br#"{"comment":"\ud83d\n"}"#, "\u{fffd}\n"),
        (br#"{"comment":"\\ud83d"}"#, "\\ud83d"),
        (br#"{"comment":"\\\ud83d"}"#, "\\\u{fffd}"),
        (br#"{"\ud83d":1,"comment":"x"}"#, "x"),
        (b"{\"comment\":\"a\xed\xa0\xbdb\"}", "a\u{fffd}\u{fffd}\u{fffd}b"),
        (b"{\"comment\":\"a\xffb\"}", "a\u{fffd}b"),
    ];
    for (body, expected) in cases {
        assert_eq!(comment(body).as_deref(), Some(expected), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn of_a_member_that_comes_twice_the_last_one_counts() {
    assert_eq!(comment(br#"{"comment":"a","comment":"b"}"#).as_deref(), Some("b"));
    assert_eq!(comment(br#"{"comment":"a","comment":null}"#), None);
    let form = parse(br#"{"guests":5,"guests":"50"}"#).expect("an object");
    assert!(form.not_text.is_empty() && form.guests.as_deref() == Some("50"));
}

#[test]
fn what_is_no_text_is_noted_for_typed_fields_and_absent_for_the_others() {
    for value in ["5", "-5", "1.5", "true", "[\"a\"]", "{\"a\":[1]}"] {
        let body = format!(
            r#"{{"name":{value},"guests":{value},"locale":{value},"utm_term":{value},"client_ip":{value}}}"#
        );
        let form = parse(body.as_bytes()).expect("an object");
        assert_eq!(form.not_text, [Field::Name, Field::Guests], "{value}");
        assert!(form.locale.is_none() && form.utm_term.is_none() && form.client_ip.is_none(), "{value}");
    }
    assert!(parse(br#"{"name":null}"#).expect("an object").not_text.is_empty());
}

#[test]
fn unknown_members_are_ignored_however_deep_they_go() {
    let deep = format!(r#"{{"x":{}{},"comment":"here"}}"#, "[".repeat(7_000), "]".repeat(7_000));
    assert_eq!(comment(deep.as_bytes()).as_deref(), Some("here"));
    let deep = format!(r#"{{"name":{}{},"comment":"here"}}"#, "[".repeat(7_000), "]".repeat(7_000));
    assert_eq!(parse(deep.as_bytes()).expect("an object").not_text, [Field::Name]);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&body);
    }

    /// Anything that a browser's `JSON.stringify` makes of a string, halves of pairs included.
    #[test]
    fn any_string_of_a_browser_is_read(units in proptest::collection::vec(
        prop_oneof![any::<u16>(), 0xD800u16..=0xDFFF, Just(u16::from(b'\\')), Just(u16::from(b'"')), Just(0)], 0..60,
    )) {
        let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let read = comment(format!(r#"{{"comment":"{escaped}"}}"#).as_bytes());
        let expected = String::from_utf16_lossy(&units);
        prop_assert_eq!(read, Some(expected));
    }
}
