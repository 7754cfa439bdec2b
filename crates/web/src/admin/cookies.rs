//! The cookies of the panel: that of the session, that of the sign-in form, and the chosen theme.

use http::header::{COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use std::time::Duration;

/// How long a choice of theme is kept.
const THEME_KEPT: Duration = Duration::from_secs(365 * 24 * 3_600);
/// How long a sign-in form can be sent.
const FORM_KEPT: Duration = Duration::from_secs(3_600);

/// Names and attributes. With `https` a browser takes the session's cookie from this host only (`__Host-`).
#[derive(Clone, Copy, Debug)]
pub struct Cookies {
    /// Whether `PUBLIC_URL` is https.
    pub secure: bool,
}

impl Cookies {
    fn name(self, plain: &str) -> String {
        if self.secure { format!("__Host-{plain}") } else { plain.to_owned() }
    }

    fn named(self, headers: &HeaderMap, plain: &str) -> Option<String> {
        value(headers, &self.name(plain)).map(str::to_owned)
    }

    /// The token of the session.
    pub fn session(self, headers: &HeaderMap) -> Option<String> {
        self.named(headers, "panel_session")
    }

    /// What the sign-in form is compared with.
    pub fn form(self, headers: &HeaderMap) -> Option<String> {
        self.named(headers, "panel_form")
    }

    /// Begins the session in the browser.
    pub fn begin(self, to: &mut HeaderMap, token: &str, kept: Duration) {
        self.set(to, "panel_session", token, kept, " HttpOnly;");
        self.set(to, "panel_form", "", Duration::ZERO, " HttpOnly;");
    }

    /// Ends it there.
    pub fn end(self, to: &mut HeaderMap) {
        self.set(to, "panel_session", "", Duration::ZERO, " HttpOnly;");
    }

    /// Remembers what the sign-in form must carry.
    pub fn begin_form(self, to: &mut HeaderMap, token: &str) {
        self.set(to, "panel_form", token, FORM_KEPT, " HttpOnly;");
    }

    /// Keeps a choice of theme; `None` is that of the system.
    pub fn choose_theme(self, to: &mut HeaderMap, theme: Option<Theme>) {
        let kept = if theme.is_some() { THEME_KEPT } else { Duration::ZERO };
        self.set(to, "panel_theme", theme.map_or("", Theme::word), kept, "");
    }

    /// The chosen theme.
    pub fn theme(self, headers: &HeaderMap) -> Option<Theme> {
        self.named(headers, "panel_theme").as_deref().and_then(Theme::from_word)
    }

    fn set(self, to: &mut HeaderMap, plain: &str, value: &str, kept: Duration, more: &str) {
        let (name, secure) = (self.name(plain), if self.secure { " Secure;" } else { "" });
        let cookie =
            format!("{name}={value}; Path=/;{secure}{more} SameSite=Strict; Max-Age={}", kept.as_secs());
        // Tokens are hex and the rest are constants, so it is always a header.
        if let Ok(cookie) = HeaderValue::try_from(cookie) {
            to.append(SET_COOKIE, cookie);
        }
    }
}

/// Light or dark, where the operator chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The word in cookie, form and page.
    pub fn word(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme of this word.
    pub fn from_word(word: &str) -> Option<Theme> {
        [Theme::Light, Theme::Dark].into_iter().find(|theme| theme.word() == word)
    }
}

/// The value of a cookie; the first one of this name, as browsers order them.
fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    lines
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(headers: &HeaderMap) -> Vec<&str> {
        headers.get_all(SET_COOKIE).iter().map(|value| value.to_str().expect("ASCII")).collect()
    }

    #[test]
    fn over_https_the_session_cookie_is_of_this_host_and_of_no_script() {
        let mut headers = HeaderMap::new();
        Cookies { secure: true }.begin(&mut headers, "abc", Duration::from_secs(60));
        assert_eq!(
            said(&headers)[0],
            "__Host-panel_session=abc; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=60"
        );
    }

    #[test]
    fn over_plain_http_it_has_no_prefix_that_needs_https() {
        let mut headers = HeaderMap::new();
        Cookies { secure: false }.begin(&mut headers, "abc", Duration::from_secs(60));
        assert_eq!(said(&headers)[0], "panel_session=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
    }

    #[test]
    fn a_cookie_is_found_among_others_and_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; xpanel_session=bad; panel_session=good"));
        headers.append(COOKIE, HeaderValue::from_static("panel_theme=dark"));
        let cookies = Cookies { secure: false };
        assert_eq!(cookies.session(&headers).as_deref(), Some("good"));
        assert_eq!(cookies.theme(&headers), Some(Theme::Dark));
        assert_eq!(Cookies { secure: true }.session(&headers), None);
        headers.insert(COOKIE, HeaderValue::from_static("panel_session=; panel_theme=<script>"));
        assert_eq!((cookies.session(&headers), cookies.theme(&headers)), (None, None));
    }
}
