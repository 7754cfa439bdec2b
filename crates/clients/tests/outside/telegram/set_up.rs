//! Addresses, tokens, time-outs.

use super::*;

#[test]
fn an_address_that_is_none_is_named() {
    for url in ["", "api.telegram.org", "ftp://x", "http://", "http://x/?a=b"] {
        let error = BotApi::new(url, TOKEN.into()).unwrap_err();
        assert!(matches!(error, ConfigError::BaseUrl(_)), "{url}: {error}");
    }
}

#[test]
fn a_token_that_is_none_is_refused_and_not_shown() {
    for token in ["", "a/b", "a b", "a?b", "токен"] {
        let error = BotApi::new("http://x", token.into()).unwrap_err();
        assert!(matches!(error, ConfigError::Token), "{token}: {error}");
        assert!(token.is_empty() || !error.to_string().contains(token));
    }
}

#[tokio::test]
async fn a_slash_at_the_end_of_the_address_does_no_harm() {
    let server = Server::start([ok(message(7, 1))]).await;
    api(&format!("{}/base/", server.url)).send_sticker(7, "f").await.unwrap();
    assert_eq!(server.only().line, format!("POST /base/bot{TOKEN}/sendSticker"));
}

#[test]
fn the_token_is_never_shown() {
    let shown = format!("{:?}", api("https://api.telegram.org"));
    assert_eq!(shown, "BotApi { base_url: \"https://api.telegram.org\", .. }");
}

#[test]
fn sends_wait_longer_than_telegram_holds_them() {
    let time_outs = TimeOuts::default();
    assert!(time_outs.send >= Duration::from_secs(90));
    assert_eq!(time_outs.connect, Duration::from_secs(10));
    assert_eq!(time_outs.poll_margin, Duration::from_secs(15));
}
