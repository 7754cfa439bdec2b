//! The rules, typed again from seed 003 and interfaces.md.

use super::*;
use proptest::prelude::*;

const ID: &str = "0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b34";

fn form() -> LeadForm {
    let text = |value: &str| Some(value.to_owned());
    LeadForm {
        request_id: text(ID),
        name: text("Мадина"),
        telegram: text("@madina_k"),
        phone: text("+998901234567"),
        ..LeadForm::default()
    }
}

/// The form with one field set.
fn with(field: &str, value: &str) -> LeadForm {
    let mut form = form();
    let value = Some(value.to_owned());
    match field {
        "request_id" => form.request_id = value,
        "name" => form.name = value,
        "telegram" => form.telegram = value,
        "phone" => form.phone = value,
        "date" => form.date = value,
        "guests" => form.guests = value,
        "comment" => form.comment = value,
        "locale" => form.locale = value,
        "utm_source" => form.utm_source = value,
        "client_ip" => form.client_ip = value,
        other => panic!("no field {other}"),
    }
    form
}

/// What is wrong, as an answer says it.
fn errors(form: &LeadForm) -> String {
    form.check().err().map_or_else(String::new, |errors| serde_json::to_string(&errors).expect("plain data"))
}

#[test]
fn each_field_is_refused_with_the_code_of_its_first_broken_rule() {
    let long = |length: usize| "ы".repeat(length);
    let cases = [
        ("request_id", "", "required"),
        ("request_id", "42", "invalid"),
        ("request_id", "0b9e4a1c7d524f3e9a685c2d1e0f7b34", "invalid"),
        ("request_id", "0b9e4a1c-7d52-4f3e-9a68-5c2d1e0f7b3g", "invalid"),
        ("name", "", "required"),
        ("name", " \u{a0}\t ", "required"),
        ("name", "\u{0}\u{7}", "required"),
        ("name", "\u{200b}\u{200b}\u{feff}", "required"),
        ("telegram", "\u{3164}", "required"),
        ("name", "Я", "too_short"),
        ("name", &long(81), "too_long"),
        ("telegram", "", "required"),
        ("telegram", "@", "invalid"),
        ("telegram", "abcd", "invalid"),
        ("telegram", &"a".repeat(33), "invalid"),
        ("telegram", "@@madina", "invalid"),
        ("telegram", "мадина_к", "invalid"),
        ("telegram", "mad ina", "invalid"),
        ("telegram", "https://t.me/madina", "invalid"),
        ("phone", "", "required"),
        ("phone", "+", "invalid"),
        ("phone", "998901234567", "invalid"),
        ("phone", "+123456", "invalid"),
        ("phone", "+1234567890123456", "invalid"),
        ("phone", "++998901234567", "invalid"),
        ("phone", "+99890123456a", "invalid"),
        ("phone", "+٩٩٨٩٠١٢٣٤٥٦٧", "invalid"),
        ("date", &long(61), "too_long"),
        ("guests", &long(41), "too_long"),
        ("comment", &long(1_201), "too_long"),
    ];
    for (field, value, code) in cases {
        assert_eq!(errors(&with(field, value)), format!(r#"{{"{field}":"{code}"}}"#), "{field} {value:?}");
    }
}

#[test]
fn lengths_are_unicode_scalar_values_after_trimming() {
    let cases = [
        ("name", "🎉".repeat(2)),
        ("name", format!("  {} \n", "🎉".repeat(80))),
        ("date", "🎉".repeat(60)),
        ("guests", "🎉".repeat(40)),
        ("comment", format!("\u{0}{}\r\n", "🎉".repeat(1_200))),
        ("telegram", "a_b9Z".to_owned()),
        ("telegram", format!(" @{} ", "a".repeat(32))),
        ("phone", "+1234567".to_owned()),
        ("phone", "+123456789012345".to_owned()),
    ];
    for (field, value) in cases {
        assert_eq!(errors(&with(field, &value)), "", "{field} {value:?}");
    }
}

#[test]
fn every_wrong_field_is_named_in_the_order_of_the_form() {
    let empty = LeadForm::default();
    let all = r#"{"request_id":"required","name":"required","telegram":"required","phone":"required"}"#;
    assert_eq!(errors(&empty), all);
    let mut form = with("comment", &"x".repeat(1_201));
    form.name = Some("x".into());
    form.not_text = vec![Field::Guests, Field::RequestId];
    let some = r#"{"request_id":"invalid","name":"too_short","guests":"invalid","comment":"too_long"}"#;
    assert_eq!(errors(&form), some);
    let found = form.check().expect_err("refused");
    assert_eq!((found.of(Field::Name), found.of(Field::Phone)), (Some(Code::TooShort), None));
}

#[test]
fn what_is_stored_is_trimmed_cleaned_and_normalised() {
    let mut form = form();
    form.request_id = Some(format!(" {} ", ID.to_uppercase()));
    form.name = Some("\u{0} Мадина\u{8} ".into());
    form.telegram = Some("Madina_K".into());
    form.phone = Some(" +998 (90) 123\u{2011}45-67\u{a0}".into());
    form.date = Some(" 12 декабря ".into());
    form.guests = Some("   ".into());
    form.comment = Some(" строка\r\nещё\tстрока ".into());
    form.locale = Some("UZ".into());
    form.utm_source = Some("ы".repeat(250));
    form.utm_term = Some(" \u{0} ".into());
    form.client_ip = Some("::ffff:203.0.113.9".into());
    let request = form.check().expect("allowed");
    assert_eq!(request.request_id, ID);
    assert_eq!(request.name.0, "Мадина");
    assert_eq!((request.telegram.0.as_str(), request.telegram_fold().as_str()), ("@Madina_K", "@madina_k"));
    assert_eq!(request.phone.0, "+998901234567");
    assert_eq!((request.date.as_deref(), request.guests), (Some("12 декабря"), None));
    assert_eq!(request.comment.map(|text| text.0).as_deref(), Some("строка\nещё\tстрока"));
    assert_eq!(request.locale, crate::Language::Uz);
    assert_eq!(request.utm.source.map(|text| text.chars().count()), Some(200));
    assert_eq!(request.utm.term, None);
    assert_eq!(request.visitor.map(|address| address.to_string()).as_deref(), Some("203.0.113.9"));
}

#[test]
fn an_unknown_locale_is_russian_and_a_strange_address_is_none() {
    for locale in ["de", "", "ru-RU", "🎉"] {
        let request = with("locale", locale).check().expect("allowed");
        assert_eq!(request.locale, crate::Language::Ru, "{locale}");
    }
    let addresses = [
        ("203.0.113.9", "203.0.113.9"),
        ("203.0.113.9:4711", "203.0.113.9"),
        (" 2001:DB8::1 ", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("unknown", ""),
        ("", ""),
    ];
    for (text, expected) in addresses {
        let seen = with("client_ip", text).check().expect("allowed").visitor;
        assert_eq!(seen.map_or_else(String::new, |address| address.to_string()), expected, "{text}");
    }
}

#[test]
fn a_version_4_uuid_is_told_from_others() {
    assert!(is_uuid_v4(ID) && is_uuid_v4(&ID.to_uppercase()));
    for other in ["0b9e4a1c-7d52-1f3e-9a68-5c2d1e0f7b34", "0b9e4a1c-7d52-4f3e-ca68-5c2d1e0f7b34", "", "x"] {
        assert!(!is_uuid_v4(other), "{other}");
    }
}

#[test]
fn nothing_about_a_person_is_printed_by_debug() {
    let mut form = form();
    form.comment = Some("позвонить Лоле".into());
    form.client_ip = Some("203.0.113.9".into());
    let printed = format!("{form:?} {:?}", form.check().expect("allowed"));
    for personal in ["Мадина", "madina_k", "998901234567", "Лоле", "203.0.113.9"] {
        assert!(!printed.contains(personal), "{printed}");
    }
}

#[test]
fn a_repeat_holds_only_what_changed() {
    let mut form = form();
    form.comment = Some("на вечер".into());
    form.guests = Some("50".into());
    form.utm_source = Some("instagram".into());
    let first = form.check().expect("allowed");
    let stored = LeadFields {
        name: Some(first.name.clone()),
        telegram: Some(first.telegram.clone()),
        phone: Some(first.phone.clone()),
        date: None,
        guests: first.guests.clone(),
        comment: first.comment.clone(),
        locale: Some(first.locale),
        utm: first.utm.clone(),
    };
    assert!(stored.changes(&first) == LeadFields::default(), "the same again changes nothing");
    form.telegram = Some("MADINA_K".into());
    form.phone = Some("+998 90 000 00 00".into());
    form.date = Some("12.12".into());
    form.guests = None;
    form.locale = Some("en".into());
    form.utm_source = Some("google".into());
    let changes = stored.changes(&form.check().expect("allowed"));
    assert!(changes.name.is_none() && changes.telegram.is_none() && changes.comment.is_none());
    assert_eq!(changes.guests, None, "left empty this time");
    assert_eq!(changes.phone.map(|text| text.0).as_deref(), Some("+998900000000"));
    assert_eq!((changes.date.as_deref(), changes.locale), (Some("12.12"), Some(crate::Language::En)));
    assert_eq!((changes.utm.source.as_deref(), changes.utm.medium), (Some("google"), None));
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        ".{0,100}".prop_map(Some),
        "[ @+a-z0-9_()-]{0,40}".prop_map(Some),
        "\\PC{0,2000}".prop_map(Some)
    ]
}

proptest! {
    #[test]
    fn whatever_arrives_is_either_refused_or_keeps_every_rule(
        texts in proptest::collection::vec(any_text(), 8),
        id in proptest::bool::ANY,
    ) {
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        let form = LeadForm {
            request_id: if id { Some(ID.to_owned()) } else { next() },
            name: next(),
            telegram: next(),
            phone: next(),
            comment: next(),
            utm_content: next(),
            client_ip: next(),
            ..LeadForm::default()
        };
        match form.check() {
            Err(errors) => prop_assert!(!errors.is_empty()),
            Ok(request) => {
                prop_assert!((2..=80).contains(&request.name.0.chars().count()));
                prop_assert_eq!(request.name.0.trim(), request.name.0.as_str());
                prop_assert!(request.telegram.0.starts_with('@') && (6..=33).contains(&request.telegram.0.len()));
                prop_assert!(request.phone.0.starts_with('+') && (8..=16).contains(&request.phone.0.len()));
                prop_assert!(request.comment.is_none_or(|text| text.0.chars().count() <= 1_200));
                prop_assert!(request.utm.content.is_none_or(|text| text.chars().count() <= 200));
            }
        }
    }

    #[test]
    fn a_request_that_was_accepted_is_accepted_again_unchanged(name in "\\PC{2,80}", comment in ".{0,1300}") {
        let mut form = with("name", &name);
        form.comment = Some(comment);
        if let Ok(first) = form.check() {
            let again = LeadForm {
                request_id: Some(first.request_id.clone()),
                name: Some(first.name.0.clone()),
                telegram: Some(first.telegram.0.clone()),
                phone: Some(first.phone.0.clone()),
                comment: first.comment.clone().map(|text| text.0),
                ..LeadForm::default()
            };
            prop_assert_eq!(again.check(), Ok(first));
        }
    }
}
