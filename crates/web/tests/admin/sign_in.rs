//! Who gets in and for how long. ASVS 5.0.0: 6.3.1 (lock-out), 7.2.3 and 7.2.4 (tokens), 7.3.1 and 7.3.2 (idle and absolute end), 7.4.1 (revoked).

use crate::browser::{Browser, PASSWORD, audit, open, panel, panel_of};
use crate::harness::Kiosk;
use http::StatusCode;
use http::header::{RETRY_AFTER, SET_COOKIE};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn without_accounts_there_is_no_panel() {
    let kiosk = Kiosk::open().await;
    let mut browser = Browser::new(&kiosk);
    for path in ["/admin", "/admin/login", "/admin/events", "/admin/assets/panel.js"] {
        assert_eq!(browser.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let sent = browser.post_raw("/admin/login", &[("login", "dilnoza"), ("password", PASSWORD)], &[]).await;
    assert_eq!(sent.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_stranger_is_sent_to_the_sign_in_and_does_nothing() {
    let kiosk = open().await;
    let mut browser = Browser::new(&kiosk);
    for path in ["/admin", "/admin/maintenance", "/admin/account", "/admin/events"] {
        let page = browser.get(path).await;
        assert_eq!((page.status, page.to()), (StatusCode::SEE_OTHER, "/admin/login"), "{path}");
    }
    let sent = browser.post_raw("/admin/maintenance", &[("to", "pause"), ("csrf", "x")], &[]).await;
    assert_eq!((sent.status, sent.to()), (StatusCode::SEE_OTHER, "/admin/login"));
    let live = browser.live("/admin").await;
    assert_eq!(live.status, StatusCode::UNAUTHORIZED);
    assert_eq!(live.headers["hx-redirect"], "/admin/login");
    assert_eq!(app::health::maintenance(&kiosk.ctx).await.expect("reads"), None);
}

#[tokio::test]
async fn an_address_that_is_no_page_is_told_to_those_who_are_signed_in_only() {
    let kiosk = open().await;
    let mut browser = Browser::new(&kiosk);
    assert_eq!(browser.get("/admin/dance").await.to(), "/admin/login");
    assert_eq!(browser.get("/admin/").await.to(), "/admin");
    assert_eq!(browser.get("/admin/assets/nothing.js").await.status, StatusCode::NOT_FOUND);
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    for path in ["/admin/dance", "/admin/jobs/1/dance", "/admin/<script>"] {
        let path = path.replace('<', "%3C").replace('>', "%3E");
        let page = browser.get(&path).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            page.text.contains("Здесь ничего нет") && page.text.contains("<html"),
            "{path}: {}",
            page.text
        );
    }
}

#[tokio::test]
async fn name_and_password_open_the_panel_and_the_cookie_is_for_no_script() {
    let kiosk = open().await;
    let mut browser = Browser::new(&kiosk);
    let answer = browser.sign_in("dilnoza", PASSWORD).await;
    assert_eq!((answer.status, answer.to()), (StatusCode::SEE_OTHER, "/admin"));
    let cookies: Vec<_> =
        answer.headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()).collect();
    let session = cookies.iter().find(|cookie| cookie.starts_with("panel_session=")).expect("a session");
    assert!(session.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=57600"), "{session}");
    assert_eq!(browser.cookie("panel_session").map(str::len), Some(64), "256 bits");
    assert_eq!(browser.cookie("panel_form"), None, "the form's cookie is used up");
    let page = browser.get("/admin").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("dilnoza"));
    let again = browser.get("/admin/login").await;
    assert_eq!((again.status, again.to()), (StatusCode::SEE_OTHER, "/admin"));
    let expected = ("dilnoza", "login", "panel", "address=198.51.100.7");
    let entries = audit(&kiosk).await;
    let entries: Vec<_> =
        entries.iter().map(|(a, b, c, d)| (a.as_str(), b.as_str(), c.as_str(), d.as_str())).collect();
    assert_eq!(entries, [expected]);
}

#[tokio::test]
async fn over_https_the_cookie_belongs_to_this_host_alone() {
    let kiosk =
        Kiosk::with_panel(|settings| settings.public_url = "https://kiosk.example".into(), panel()).await;
    let mut browser = Browser::new(&kiosk);
    let answer = browser.sign_in("dilnoza", PASSWORD).await;
    let cookies: Vec<_> =
        answer.headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()).collect();
    let session = cookies.iter().find(|cookie| cookie.contains("session")).expect("a session");
    assert!(session.starts_with("__Host-panel_session="), "{session}");
    assert!(session.contains("; Path=/; Secure; HttpOnly; SameSite=Strict;"), "{session}");
    assert_eq!(browser.get("/admin").await.status, StatusCode::OK);
}

#[tokio::test]
async fn pages_run_under_a_strict_policy_and_are_kept_nowhere() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    for path in ["/admin", "/admin/account", "/nothing-here"] {
        let page = browser.get(path).await;
        assert_eq!(page.headers["cache-control"], "no-store", "{path}");
        assert_eq!(page.headers["x-content-type-options"], "nosniff");
        assert_eq!(page.headers["x-frame-options"], "DENY");
        assert_eq!(page.headers["referrer-policy"], "no-referrer");
    }
    let page = browser.get("/admin").await;
    let policy = page.headers["content-security-policy"].to_str().expect("ASCII").to_owned();
    let parts: Vec<_> = policy.split(';').map(str::trim).collect();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "form-action 'self'",
    ] {
        assert!(parts.contains(&part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    for inline in [" style=\"", "<style", " onclick", "javascript:", "<script>"] {
        assert!(!page.text.contains(inline), "{inline}");
    }
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_get_the_same_answer() {
    let kiosk = open().await;
    let wrong = Browser::from(&kiosk, "198.51.100.1:1").sign_in("dilnoza", "battery staple").await;
    let unknown = Browser::from(&kiosk, "198.51.100.2:1").sign_in("hunter2", PASSWORD).await;
    assert_eq!((wrong.status, unknown.status), (StatusCode::UNAUTHORIZED, StatusCode::UNAUTHORIZED));
    assert_eq!(
        (wrong.alert(), unknown.alert()),
        ("Логин или пароль не подходят", "Логин или пароль не подходят")
    );
    let entries = audit(&kiosk).await;
    let told: Vec<_> = entries.iter().map(|(actor, action, ..)| (actor.as_str(), action.as_str())).collect();
    // A password typed into the wrong field is not written down.
    assert_eq!(told, [("dilnoza", "login_refused"), ("panel", "login_refused")]);
}

#[tokio::test]
async fn the_sign_in_form_must_be_the_one_this_browser_was_given() {
    let kiosk = open().await;
    let fields = [("login", "dilnoza"), ("password", PASSWORD)];
    let mut bare = Browser::new(&kiosk);
    assert_eq!(bare.post_raw("/admin/login", &fields, &[]).await.status, StatusCode::FORBIDDEN);
    let mut other = Browser::new(&kiosk);
    let token = other.get("/admin/login").await.csrf();
    bare.get("/admin/login").await;
    let forged = [fields[0], fields[1], ("csrf", token.as_str())];
    assert_eq!(bare.post_raw("/admin/login", &forged, &[]).await.status, StatusCode::FORBIDDEN);
    let token = bare.get("/admin/login").await.csrf();
    let own = [fields[0], fields[1], ("csrf", token.as_str())];
    let from_elsewhere = [("sec-fetch-site", "cross-site")];
    assert_eq!(bare.post_raw("/admin/login", &own, &from_elsewhere).await.status, StatusCode::FORBIDDEN);
    assert_eq!(bare.get("/admin").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn five_wrong_passwords_lock_an_address_out_for_ten_minutes() {
    let kiosk = open().await;
    let mut browser = Browser::new(&kiosk);
    for login in ["dilnoza", "bakhtiyor", "root", "admin", "dilnoza"] {
        assert_eq!(browser.sign_in(login, "battery staple").await.status, StatusCode::UNAUTHORIZED);
    }
    let refused = browser.sign_in("dilnoza", PASSWORD).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS, "the right one is not looked at");
    assert_eq!(refused.headers[RETRY_AFTER], "601");
    assert_eq!(refused.alert(), "Пять неверных паролей. Попробуй через 11 минут");
    let mut elsewhere = Browser::from(&kiosk, "203.0.113.9:1");
    assert_eq!(elsewhere.sign_in("dilnoza", PASSWORD).await.status, StatusCode::SEE_OTHER);
    kiosk.clock.advance(10 * MINUTE);
    assert_eq!(browser.sign_in("dilnoza", PASSWORD).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn five_wrong_passwords_lock_an_account_out_wherever_they_come_from() {
    let kiosk = open().await;
    for host in 1..=5 {
        let mut browser = Browser::from(&kiosk, &format!("203.0.113.{host}:1"));
        assert_eq!(browser.sign_in("dilnoza", "battery staple").await.status, StatusCode::UNAUTHORIZED);
    }
    let mut browser = Browser::new(&kiosk);
    assert_eq!(browser.sign_in("dilnoza", PASSWORD).await.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(browser.sign_in("bakhtiyor", PASSWORD).await.status, StatusCode::SEE_OTHER, "another account");
}

#[tokio::test]
async fn a_session_ends_when_nobody_does_anything_for_four_hours() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    kiosk.clock.advance(4 * HOUR - MINUTE);
    assert_eq!(browser.get("/admin").await.status, StatusCode::OK);
    kiosk.clock.advance(4 * HOUR - MINUTE);
    // A page that updates itself is nobody who does something.
    assert_eq!(browser.live("/admin").await.status, StatusCode::OK);
    kiosk.clock.advance(MINUTE);
    assert_eq!(browser.get("/admin").await.to(), "/admin/login");
}

#[tokio::test]
async fn a_session_ends_after_sixteen_hours_whatever_is_done() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    for _ in 0..15 {
        kiosk.clock.advance(HOUR);
        assert_eq!(browser.get("/admin").await.status, StatusCode::OK);
    }
    kiosk.clock.advance(HOUR);
    assert_eq!(browser.get("/admin").await.to(), "/admin/login");
}

#[tokio::test]
async fn who_signs_out_is_out_also_with_a_stolen_cookie() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let stolen = browser.cookie("panel_session").expect("a session").to_owned();
    browser.get("/admin/account").await;
    let answer = browser.post("/admin/logout", &[]).await;
    assert_eq!((answer.status, answer.to()), (StatusCode::SEE_OTHER, "/admin/login"));
    assert_eq!(browser.cookie("panel_session"), None);
    let mut thief = Browser::new(&kiosk);
    thief.steal("panel_session", &stolen);
    assert_eq!(thief.get("/admin").await.to(), "/admin/login");
}

#[tokio::test]
async fn signing_out_everywhere_ends_all_sessions_of_this_login_and_no_other() {
    let kiosk = open().await;
    let mut phone = Browser::signed_in(&kiosk, "dilnoza").await;
    let mut desk = Browser::signed_in(&kiosk, "dilnoza").await;
    let mut other = Browser::signed_in(&kiosk, "bakhtiyor").await;
    desk.get("/admin/account").await;
    assert_eq!(desk.post("/admin/logout-everywhere", &[]).await.status, StatusCode::SEE_OTHER);
    assert_eq!(phone.get("/admin").await.to(), "/admin/login");
    assert_eq!(other.get("/admin").await.status, StatusCode::OK);
    let (actor, action, _, details) = audit(&kiosk).await.pop().expect("an entry");
    assert_eq!(
        (actor.as_str(), action.as_str(), details.as_str()),
        ("dilnoza", "logout_everywhere", "sessions=2")
    );
}

#[tokio::test]
async fn a_changed_password_and_a_removed_account_end_the_sessions() {
    let kiosk = open().await;
    let browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let token = browser.cookie("panel_session").expect("a session");
    let who = async |panel: web::PanelOptions| {
        let entrance = app::panel::Entrance::new(panel.accounts);
        entrance.look(&kiosk.ctx, token, true).await.expect("reads").map(|admin| admin.login)
    };
    assert_eq!(who(panel()).await.as_deref(), Some("dilnoza"), "the same after a restart");
    assert_eq!(who(panel_of(&["dilnoza"], "battery staple", 1)).await, None);
    assert_eq!(who(panel_of(&["bakhtiyor"], PASSWORD, 1)).await, None);
    let entrance = app::panel::Entrance::new(panel().accounts);
    for forged in ["", "x", &"0".repeat(64), &"g".repeat(64), &token.to_uppercase()] {
        assert_eq!(entrance.look(&kiosk.ctx, forged, true).await.expect("reads"), None, "{forged}");
    }
}

#[tokio::test]
async fn a_form_without_its_token_does_nothing() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    let page = browser.get("/admin/maintenance").await;
    let right = page.csrf();
    let mut other = Browser::signed_in(&kiosk, "bakhtiyor").await;
    let foreign = other.get("/admin/maintenance").await.csrf();
    for (token, headers) in [
        ("", &[][..]),
        ("x", &[]),
        (foreign.as_str(), &[]),
        (right.as_str(), &[("sec-fetch-site", "cross-site")]),
        (right.as_str(), &[("sec-fetch-site", "same-site")]),
    ] {
        let sent = browser.post_raw("/admin/maintenance", &[("to", "pause"), ("csrf", token)], headers).await;
        assert_eq!(sent.status, StatusCode::FORBIDDEN, "{token} {headers:?}");
    }
    assert_eq!(app::health::maintenance(&kiosk.ctx).await.expect("reads"), None);
    let long = "x".repeat(9_000);
    let sent = browser.post_raw("/admin/maintenance", &[("to", &long), ("csrf", &right)], &[]).await;
    assert_eq!(sent.status, StatusCode::PAYLOAD_TOO_LARGE);
    let sent = browser.post("/admin/maintenance", &[("to", "pause")]).await;
    assert_eq!((sent.status, sent.to()), (StatusCode::SEE_OTHER, "/admin?said=paused"));
}

#[tokio::test]
async fn the_chosen_theme_is_kept_and_nothing_else_is_taken_for_one() {
    let kiosk = open().await;
    let mut browser = Browser::signed_in(&kiosk, "dilnoza").await;
    browser.get("/admin/account").await;
    browser.post("/admin/theme", &[("theme", "dark")]).await;
    assert!(browser.get("/admin").await.text.contains("<html lang=\"ru\" data-theme=\"dark\">"));
    browser.post("/admin/theme", &[("theme", "\"><script>")]).await;
    assert!(browser.get("/admin").await.text.contains("<html lang=\"ru\">"));
}
