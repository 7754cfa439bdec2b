//! The page, the outfits, health, figures, and what every answer has in common.

mod harness;

use axum::body::Body;
use harness::{Kiosk, OUTFIT};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::json as object;

async fn get(kiosk: &Kiosk, path: &str, headers: &[(&str, &str)]) -> axum::response::Response {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    kiosk.send(request.body(Body::empty()).expect("a request")).await
}

fn header<'r>(response: &'r axum::response::Response, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn the_kiosk_page_is_served_under_a_policy_without_inline_code() {
    let kiosk = Kiosk::open().await;
    for path in ["/", "/kiosk"] {
        let response = get(&kiosk, path, &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(header(&response, "content-type"), "text/html; charset=utf-8");
        assert_eq!(header(&response, "cache-control"), "no-cache");
        let policy = header(&response, "content-security-policy");
        for part in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn the_page_names_only_files_that_are_there_and_they_are_kept_for_ever() {
    let kiosk = Kiosk::open().await;
    let page = get(&kiosk, "/", &[]).await.into_body().collect().await.expect("a page").to_bytes();
    let page = String::from_utf8(page.to_vec()).expect("text");
    let files: Vec<_> =
        page.split('"').filter(|part| part.starts_with("/kiosk-assets/")).map(str::to_owned).collect();
    assert!(files.iter().any(|file| file.ends_with(".js")), "{page}");
    for file in files {
        let response = get(&kiosk, &file, &[]).await;
        assert_eq!(response.status(), StatusCode::OK, "{file}");
        if file.ends_with(".js") || file.ends_with(".css") {
            assert!(header(&response, "cache-control").contains("immutable"), "{file}");
        }
    }
    for missing in
        ["/kiosk-assets/nothing.js", "/kiosk-assets/../Cargo.toml", "/kiosk-assets/%2e%2e/index.html"]
    {
        assert_eq!(get(&kiosk, missing, &[]).await.status(), StatusCode::NOT_FOUND, "{missing}");
    }
}

#[tokio::test]
async fn a_known_version_of_the_page_is_not_sent_again() {
    let kiosk = Kiosk::open().await;
    let first = get(&kiosk, "/", &[]).await;
    let tag = header(&first, "etag").to_owned();
    let again = get(&kiosk, "/", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status(), header(&again, "cache-control")), (StatusCode::NOT_MODIFIED, "no-cache"));
    assert_eq!(get(&kiosk, "/", &[("if-none-match", "\"old\"")]).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let kiosk = Kiosk::open().await;
    for path in ["/", "/health", "/nowhere", "/templates", "/session/nobody", "/openapi.json"] {
        let response = get(&kiosk, path, &[]).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(header(&response, name), value, "{path}");
        }
        assert!(header(&response, "content-security-policy").contains("frame-ancestors 'none'"), "{path}");
        assert!(!header(&response, "cache-control").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn an_address_that_is_not_there_and_a_method_that_is_not_taken_are_said_in_json() {
    let kiosk = Kiosk::open().await;
    let (status, answer) = kiosk.get("/nowhere").await;
    assert_eq!((status, &answer["error"]), (StatusCode::NOT_FOUND, &"not_found".into()));
    let (status, answer) = kiosk.get("/session/%ff").await;
    assert_eq!((status, &answer["error"]), (StatusCode::NOT_FOUND, &"not_found".into()));
    let (status, answer) = kiosk.get("/session").await;
    assert_eq!((status, &answer["error"]), (StatusCode::METHOD_NOT_ALLOWED, &"method_not_allowed".into()));
}

#[tokio::test]
async fn the_outfits_are_listed_and_each_has_sample_stickers() {
    let kiosk = Kiosk::open().await;
    let (status, list) = kiosk.get("/templates").await;
    assert_eq!(status, StatusCode::OK);
    let outfits = list["templates"].as_array().expect("a list");
    assert!(outfits.len() >= 3);
    for outfit in outfits {
        for language in ["ru", "uz", "en"] {
            assert!(outfit["titles"][language].as_str().is_some_and(|title| !title.is_empty()), "{outfit}");
        }
        assert_eq!(outfit["stickers"], 9, "{outfit}");
    }
    let hoodie = outfits.iter().find(|outfit| outfit["id"] == OUTFIT).expect("it ships");
    let preview = hoodie["preview_url"].as_str().expect("an address");
    assert_eq!(preview, "/templates/hoodie/stickers/0.webp");
    let response = get(&kiosk, preview, &[]).await;
    assert_eq!((response.status(), header(&response, "content-type")), (StatusCode::OK, "image/webp"));
    let tag = header(&response, "etag").to_owned();
    let picture = response.into_body().collect().await.expect("a picture").to_bytes();
    assert!(picture.starts_with(b"RIFF") && picture[8..].starts_with(b"WEBP"));
    let again = get(&kiosk, preview, &[("if-none-match", &tag)]).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let tag_in =
        async |query: &str| header(&get(&kiosk, &format!("{preview}{query}"), &[]).await, "etag").to_owned();
    let (ru, uz, en) = (tag_in("?lang=ru").await, tag_in("?lang=uz").await, tag_in("?x=1&lang=en").await);
    assert_eq!(ru, tag, "Russian is the default");
    assert_eq!(tag_in("?lang=xx").await, tag);
    assert!(ru != uz && uz != en && en != ru, "each language has its own caption");
    for missing in
        ["hoodie/stickers/9.webp", "hoodie/stickers/x.webp", "hoodie/stickers/0.png", "none/stickers/0.webp"]
    {
        assert_eq!(kiosk.get(&format!("/templates/{missing}")).await.0, StatusCode::NOT_FOUND, "{missing}");
    }
}

#[tokio::test]
async fn the_page_is_told_event_brand_and_version() {
    let kiosk =
        Kiosk::with(|settings| settings.privacy_url = Some("https://example.org/p".into()), None).await;
    let (_, config) = kiosk.get("/kiosk/config").await;
    let expected = object!({
        "event_name": "Fest", "brand_name": "Agency", "version": "1.2.3 abc", "privacy_url": "https://example.org/p",
    });
    assert_eq!(config, expected);
}

#[tokio::test]
async fn health_tells_database_jobs_pause_and_bot() {
    let kiosk = Kiosk::open().await;
    let (status, health) = kiosk.get("/health").await;
    let expected = object!({
        "ok": true, "db": "ok", "active_jobs": 0, "maintenance": null, "bot_seen_seconds": null,
        "version": "1.2.3", "revision": "abc",
    });
    assert_eq!((status, health), (StatusCode::OK, expected));
    kiosk.set("maintenance", "auto").await;
    assert_eq!(kiosk.get("/health").await.1["maintenance"], "auto");
}

#[tokio::test]
async fn a_database_that_fails_is_503_with_ok_false() {
    let kiosk = Kiosk::open().await;
    kiosk.ctx.store.close().await;
    let (status, health) = kiosk.get("/health").await;
    assert_eq!((status, &health["ok"]), (StatusCode::SERVICE_UNAVAILABLE, &false.into()));
    let (status, answer) = kiosk.get("/session/nobody").await;
    assert_eq!((status, &answer["error"]), (StatusCode::INTERNAL_SERVER_ERROR, &"internal".into()));
    let text = answer.to_string().to_lowercase();
    assert!(!text.contains("sql") && !text.contains("pool") && !text.contains("store"), "{text}");
}

#[tokio::test]
async fn figures_are_prometheus_text() {
    let kiosk = Kiosk::open().await;
    let response = get(&kiosk, "/metrics", &[]).await;
    assert!(header(&response, "content-type").starts_with("text/plain"));
    let text = response.into_body().collect().await.expect("text").to_bytes();
    assert!(text.starts_with(b"figures 1\n"), "those of the process come first");
}

/// The lines of `/metrics` that begin with `stickers_`.
async fn product_figures(kiosk: &Kiosk) -> Vec<String> {
    let text = get(kiosk, "/metrics", &[]).await.into_body().collect().await.expect("text").to_bytes();
    let text = String::from_utf8(text.to_vec()).expect("text");
    text.lines().filter(|line| line.starts_with("stickers_")).map(str::to_owned).collect()
}

#[tokio::test]
async fn figures_of_the_product_say_what_an_alarm_asks_for() {
    let kiosk = Kiosk::open().await;
    let before = product_figures(&kiosk).await;
    for line in [
        "stickers_database_up 1",
        "stickers_active_jobs 0",
        "stickers_failed_jobs_last_hour 0",
        "stickers_messages_waiting 0",
        "stickers_lead_cards_due 0",
        "stickers_leads_waiting 0",
        "stickers_maintenance{by=\"env\"} 0",
        "stickers_maintenance{by=\"auto\"} 0",
        "stickers_maintenance{by=\"admin\"} 0",
    ] {
        assert!(before.iter().any(|found| found == line), "{line}: {before:?}");
    }
    assert!(before.iter().any(|line| line.starts_with("stickers_build_info{version=")), "{before:?}");
    for never in ["stickers_bot_seen_seconds", "stickers_backup_age_seconds"] {
        assert!(!before.iter().any(|line| line.starts_with(never)), "what never was has no age: {before:?}");
    }

    // The harness's clock stands at this moment.
    kiosk.set("bot_seen_at", "1795959000000").await;
    kiosk.set("maintenance", "auto").await;
    let now = domain::Timestamp::from_millis(1_795_959_000_000);
    app::backup::late::note(&kiosk.ctx.store, "app-20261129-033005.db.gz".to_owned(), now)
        .await
        .expect("a copy is noted");
    kiosk.clock.advance(std::time::Duration::from_secs(90));
    let after = product_figures(&kiosk).await;
    for line in [
        "stickers_bot_seen_seconds 90",
        "stickers_backup_age_seconds 90",
        "stickers_maintenance{by=\"auto\"} 1",
        "stickers_maintenance{by=\"admin\"} 0",
    ] {
        assert!(after.iter().any(|found| found == line), "{line}: {after:?}");
    }
}

#[tokio::test]
async fn a_heartbeat_is_taken_and_nonsense_is_not() {
    let kiosk = Kiosk::open().await;
    for beat in [
        r#"{"kiosk":"left","camera":"ok","battery":87.5,"version":"1"}"#,
        r#"{"kiosk":"left","camera":"lost","battery":null,"version":"1"}"#,
        r#"{"kiosk":"left","camera":"denied"}"#,
    ] {
        assert_eq!(kiosk.post("/kiosk/heartbeat", beat).await.0, StatusCode::NO_CONTENT, "{beat}");
    }
    for nonsense in ["", "{}", r#"{"kiosk":" ","camera":"ok"}"#, r#"{"kiosk":"left","camera":"fine"}"#] {
        let (status, answer) = kiosk.post("/kiosk/heartbeat", nonsense).await;
        assert_eq!((status.as_u16(), &answer["error"]), (422, &"bad_body".into()), "{nonsense}");
    }
}
