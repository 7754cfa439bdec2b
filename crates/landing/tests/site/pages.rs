//! The pages: languages, headers, what a refused form keeps, weight.

use crate::harness::{Answer, Page, Stand, World, value_of};
use axum::body::Body;
use axum::extract::Request;
use std::collections::BTreeSet;

const LANGUAGES: [&str; 3] = ["ru", "uz", "en"];

fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{52f}').contains(&letter)
}

/// The page's words: no tags, and not the names of the languages in the switch.
fn words(page: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in page.chars() {
        match letter {
            '<' => inside = true,
            '>' => {
                inside = false;
                text.push(' ');
            }
            _ if !inside => text.push(letter),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("Рус Oʻzb Eng", "")
}

#[tokio::test]
async fn the_root_leads_to_the_browsers_language_with_the_marks_of_the_address() {
    let world = World::new(None, None);
    for (accept, address, expected) in [
        ("uz-UZ,uz;q=0.9", "/?utm_source=tg&x=1", "/uz?utm_source=tg"),
        ("en-US", "/", "/en"),
        ("de", "/", "/ru"),
    ] {
        let request = Request::get(address).header("accept-language", accept).body(Body::empty());
        let page = world.call(request.expect("a request")).await;
        assert_eq!((page.status, page.header("location")), (303, expected));
        assert_eq!(page.header("vary"), "accept-language");
    }
}

#[tokio::test]
async fn each_language_has_words_of_its_own() {
    let world = World::with(None, None, |options| options.brand = "Stickers".to_owned());
    let mut seen = Vec::new();
    for language in LANGUAGES {
        let text = world.get(&format!("/{language}")).await.text();
        assert!(text.contains(&format!(r#"<html lang="{language}">"#)));
        seen.push(words(&text));
    }
    let [ru, uz, en] = &seen[..] else { panic!("three pages") };
    assert!(ru.contains("Гость уходит со стикерами о себе"));
    assert!(uz.contains("Mehmon oʻz stikerlari bilan ketadi"));
    assert!(en.contains("Guests leave with stickers of themselves"));
    assert!(!en.chars().any(is_cyrillic) && !uz.chars().any(is_cyrillic), "no Russian letter");
    // A sentence of one language never stands on another page; short names may be the same (Telegram).
    let sentences = |text: &str| -> BTreeSet<String> {
        text.split(['.', '?', '!', ':'])
            .map(str::trim)
            .filter(|part| part.chars().count() > 24)
            .map(str::to_owned)
            .collect()
    };
    for (one, other) in [(ru, uz), (ru, en), (uz, en)] {
        let both: Vec<_> = sentences(one).intersection(&sentences(other)).cloned().collect();
        assert!(both.is_empty(), "{both:?}");
    }
}

#[tokio::test]
async fn a_page_is_not_stored_not_framed_and_runs_only_its_own_code() {
    let world = World::new(None, None);
    let form = world.open("ru").await;
    let answers = [
        world.get("/ru").await,
        world.get("/nothing").await,
        world.send_plain(&form.with("name", "")).await,
        world.send_plain(&form).await,
    ];
    for (page, status) in answers.iter().zip([200, 404, 422, 200]) {
        assert_eq!(page.status, status);
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("x-content-type-options"), "nosniff");
        assert_eq!(page.header("x-frame-options"), "DENY");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert!(page.header("set-cookie").is_empty());
        let policy = page.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(part), "{part}: {policy}");
        }
        assert!(!policy.contains("unsafe"));
        let text = page.text();
        assert!(!text.contains("style=") && !text.contains("<style") && !text.contains(" onclick"));
        assert_eq!(
            text.matches("<script").count(),
            text.matches("<script type=\"module\" src=\"/landing-assets/").count()
        );
    }
}

#[tokio::test]
async fn a_refused_form_without_javascript_keeps_everything_and_says_what_is_wrong() {
    let world = World::new(None, None);
    let form = world.open("ru").await;
    let wrong = form
        .with("telegram", "@az")
        .with("phone", "90 \"123\"")
        .with("comment", "</textarea><script>alert(1)</script>\r\nвторая строка")
        .with("utm_source", "tg");
    let page = world.send_plain(&wrong).await;
    assert_eq!((page.status, page.header("content-type")), (422, "text/html; charset=utf-8"));
    let text = page.text();
    for (name, value) in [
        ("name", "Мадина"),
        ("telegram", "@az"),
        ("date", "14 декабря"),
        ("guests", "около 150"),
        ("utm_source", "tg"),
    ] {
        assert_eq!(value_of(&text, name).as_deref(), Some(value), "{name}");
    }
    for name in ["requestId", "startedAt"] {
        assert_eq!(value_of(&text, name), Some(form.value(name)), "{name}");
    }
    assert!(!text.contains("<script>") && !text.contains("90 \"123\""), "what was typed is escaped");
    assert!(text.contains("&#60;/textarea&#62;") && text.contains("\nвторая строка</textarea>"));
    for part in [
        r##"<a href="#telegram">Telegram</a>"##,
        r##"<a href="#phone">Телефон</a>"##,
        "От 5 знаков: латинские буквы, цифры, подчёркивание</p>",
        "С плюсом и кодом страны: +998 90 123 45 67</p>",
        r#"aria-describedby="telegram-hint telegram-error" aria-invalid="true""#,
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(text.matches(r#"aria-invalid="true""#).count(), 2);
}

#[tokio::test]
async fn every_field_has_a_label_and_every_text_that_describes_it_is_there() {
    let world = World::new(None, None);
    let text = world.get("/uz").await.text();
    for name in ["name", "telegram", "phone", "date", "guests", "comment", "company"] {
        assert!(text.contains(&format!(r#"<label for="{name}""#)), "{name}");
        assert!(text.contains(&format!(r#"id="{name}""#)), "{name}");
    }
    for described in text.split(r#"aria-describedby=""#).skip(1) {
        for id in described[..described.find('"').expect("a quote")].split(' ') {
            assert!(text.contains(&format!(r#"id="{id}""#)), "{id}");
        }
    }
}

#[tokio::test]
async fn the_sent_page_says_where_the_answer_comes() {
    let world = World::new(None, None);
    let page = world.send_plain(&world.open("ru").await).await;
    let text = page.text();
    assert_eq!(page.status, 200);
    assert!(text.contains("Заявка у нас") && text.contains("<strong>@madina_k</strong>"));
    assert!(text.contains("Вторую отправлять не нужно"));
    assert!(!text.contains("<form"));
}

/// Every address of our own that a page names.
fn own_addresses(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for start in [r#"src=""#, r#"href=""#, r#"content="https://example.org"#] {
        for rest in text.split(start).skip(1) {
            let address = &rest[..rest.find('"').unwrap_or(0)];
            if address.starts_with('/') {
                found.insert(address.replace("&amp;", "&").replace("&#38;", "&"));
            }
        }
    }
    found
}

#[tokio::test]
async fn everything_that_a_page_names_is_there_and_no_picture_moves_the_page() {
    let world = World::new(None, None);
    for language in LANGUAGES {
        let text = world.get(&format!("/{language}")).await.text();
        assert!(!text.contains(r#"src="""#) && !text.contains(r#"href="""#), "an address is missing");
        for address in own_addresses(&text) {
            let page = world.get(&address).await;
            assert!(matches!(page.status, 200), "{address}: {}", page.status);
            if address.starts_with("/landing-assets/") {
                assert_eq!(page.header("cache-control"), "public, max-age=31536000, immutable", "{address}");
            }
        }
        for tag in text.split("<img").skip(1) {
            let tag = &tag[..tag.find('>').expect("an end")];
            assert!(
                tag.contains(" width=\"") && tag.contains(" height=\"") && tag.contains(" alt=\""),
                "{tag}"
            );
        }
    }
    let changed = world.get("/landing-assets/landing.css?v=0000000000").await;
    assert_eq!(
        changed.header("cache-control"),
        "public, max-age=3600",
        "a name of another content is not kept for ever"
    );
    assert_eq!(world.get("/landing-assets/../Cargo.toml").await.status, 404);
}

async fn gzipped(world: &World, address: &str) -> Page {
    let request = Request::get(address).header("accept-encoding", "gzip, br").body(Body::empty());
    world.call(request.expect("a request")).await
}

#[tokio::test]
async fn a_page_weighs_less_than_150_kilobytes_without_its_pictures() {
    let world = World::new(None, None);
    for language in LANGUAGES {
        let page = gzipped(&world, &format!("/{language}")).await;
        assert_eq!(page.header("content-encoding"), "gzip");
        let mut weight = page.bytes.len();
        let text = world.get(&format!("/{language}")).await.text();
        let css = own_addresses(&text).into_iter().find(|address| address.contains(".css")).expect("styles");
        let styles = world.get(&css).await.text();
        // Styles, script, icon, and every ornament and font that this language can need: all but the letters of other scripts.
        let named = styles
            .split("url(")
            .skip(1)
            .map(|rest| rest[..rest.find(')').expect("an end")].trim_matches(['"', '\'']).to_owned());
        let wanted: BTreeSet<String> = named
            .filter(|file| !file.contains("-ext-") && (language == "ru" || !file.contains("cyrillic")))
            .chain(
                own_addresses(&text)
                    .into_iter()
                    .filter(|file| [".css", ".js", ".svg"].iter().any(|kind| file.contains(kind))),
            )
            .collect();
        assert!(wanted.len() >= 8, "{wanted:?}");
        for file in wanted {
            let page = gzipped(&world, &file).await;
            assert_eq!(page.status, 200, "{file}");
            weight += page.bytes.len();
        }
        assert!((20_000..150_000).contains(&weight), "{language}: {weight} bytes");
    }
}

#[tokio::test]
async fn search_engines_and_messengers_are_told_where_what_is() {
    let world = World::new(None, None);
    let robots = world.get("/robots.txt").await.text();
    assert!(robots.contains("Sitemap: https://example.org/sitemap.xml"));
    let sitemap = world.get("/sitemap.xml").await;
    assert_eq!(sitemap.header("content-type"), "application/xml");
    for language in LANGUAGES {
        assert!(sitemap.text().contains(&format!("<loc>https://example.org/{language}</loc>")));
        let text = world.get(&format!("/{language}")).await.text();
        assert!(text.contains(&format!(r#"<link rel="canonical" href="https://example.org/{language}">"#)));
        assert!(text.contains(&format!(
            r#"<meta property="og:image" content="https://example.org/landing-assets/card-{language}.png?v="#
        )));
        let card =
            own_addresses(&text).into_iter().find(|address| address.contains("card-")).expect("a card");
        let bytes = world.get(&card).await.bytes;
        assert_eq!(&bytes[1..4], b"PNG");
        let edge = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((edge(16), edge(20)), (1_200, 630));
    }
    assert_eq!(world.get("/favicon.ico").await.status, 200);
}

#[tokio::test]
async fn the_marks_of_an_advertisement_travel_with_the_visitor() {
    let server = Stand::start(Answer::Says(201, "{}")).await;
    let world = World::new(Some(&server.url), None);
    let text = world.get("/ru?utm_source=a%22b&utm_campaign=c&other=1").await.text();
    assert!(text.contains(r#"name="utm_source" value="a&#34;b""#));
    assert!(
        text.contains(r#"href="/uz?utm_source=a%22b&#38;utm_campaign=c""#),
        "the language switch keeps them"
    );
    assert!(!text.contains("other=1"));
}

#[tokio::test]
async fn an_unknown_address_is_answered_kindly_in_the_browsers_language() {
    let world = World::new(None, None);
    let request = Request::get("/de").header("accept-language", "en").body(Body::empty()).expect("a request");
    let page = world.call(request).await;
    assert_eq!(page.status, 404);
    assert!(page.text().contains("There is no such page"));
    let again = world.get("/en/request").await;
    assert_eq!((again.status, again.header("location")), (303, "/en"));
}

#[tokio::test]
async fn a_form_over_the_limit_is_refused_and_a_long_comment_comes_back_whole() {
    let world = World::new(None, None);
    let form = world.open("ru").await;
    let long = "ы".repeat(20_000);
    let page = world.send_plain(&form.with("comment", long.clone())).await;
    assert_eq!(page.status, 422);
    assert!(page.text().contains(&long));
    let page = world.send_plain(&form.with("comment", "ы".repeat(60_000))).await;
    assert_eq!(page.status, 413);
    assert!(page.text().contains("Слишком длинно, заявка не отправлена."));
    // The beginning is shown again, so that it can be shortened.
    assert!(page.text().contains(&"ы".repeat(40_000)) && page.text().contains("Мадина"));
}

#[tokio::test]
async fn the_outfits_have_the_names_that_their_templates_give_them() {
    let world = World::new(None, None);
    for language in LANGUAGES {
        let text = words(&world.get(&format!("/{language}")).await.text());
        for outfit in ["chapan", "astronaut", "hero", "chef", "football", "hoodie", "doctor", "royal"] {
            let path = format!("{}/../../templates/{outfit}/template.toml", env!("CARGO_MANIFEST_DIR"));
            let template: toml::Table =
                std::fs::read_to_string(path).expect("a template").parse().expect("TOML");
            let title = template["titles"][language].as_str().expect("a title");
            assert!(text.contains(title), "{outfit} in {language}: {title}");
        }
    }
}

#[test]
fn the_example_of_the_readme_is_a_file_that_can_be_used() {
    let readme = include_str!("../../../../README.md");
    let example =
        readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    assert!(landing::Content::parse(example).is_ok());
}
