//! Who may see a page and who may do something: the session of the cookie, and the token of the form.

use super::cookies::Theme;
use super::error::PanelError;
use super::form::Fields;
use super::{Panel, page};
use crate::WebState;
use app::panel::Admin;
use axum::body::Body;
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Method};
use std::sync::Arc;

/// Set by requests of a page that updates itself: nobody did anything.
const LIVE: &str = "x-panel-live";
/// What browsers say about where a request comes from.
const FETCH_SITE: &str = "sec-fetch-site";

/// Somebody who is signed in.
pub struct Signed {
    /// Who.
    pub admin: Admin,
    /// The theme of their browser.
    pub theme: Option<Theme>,
    /// What the page before has done.
    pub said: Option<&'static str>,
}

impl FromRequestParts<WebState> for Signed {
    type Rejection = PanelError;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, PanelError> {
        let panel = state.panel()?;
        let headers = &parts.headers;
        let uses = !headers.contains_key(LIVE);
        let admin = match panel.cookies.session(headers) {
            Some(token) => panel.entrance.look(&state.ctx, &token, uses).await?,
            None => None,
        };
        let Some(admin) = admin else { return Err(PanelError::sign_in(headers)) };
        let said = Fields::of_query(parts.uri.query());
        let said = (parts.method == Method::GET && uses).then(|| page::said(said.text("said"))).flatten();
        Ok(Signed { admin, theme: panel.cookies.theme(headers), said })
    }
}

impl Signed {
    /// The fields of a form that came from one of our pages.
    ///
    /// # Errors
    /// When it did not, or is too long; nothing may be done then.
    pub async fn form(&self, headers: &HeaderMap, body: Body) -> Result<Fields, PanelError> {
        let fields = Fields::read(headers, body).await?;
        let ours = from_our_pages(headers) && self.admin.sent(fields.raw("csrf"));
        if ours { Ok(fields) } else { Err(PanelError::Csrf) }
    }
}

/// Whether the browser, where it says so, sent this from a page of ours. The token of the form decides; this is a second bolt.
pub fn from_our_pages(headers: &HeaderMap) -> bool {
    headers.get(FETCH_SITE).is_none_or(|site| site.as_bytes() == b"same-origin")
}

impl WebState {
    /// The panel, which is there when a route of its is asked.
    pub(super) fn panel(&self) -> Result<&Arc<Panel>, PanelError> {
        self.panel.as_ref().ok_or(PanelError::NotFound)
    }
}
