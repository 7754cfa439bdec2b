//! `/admin/account`: the theme, and the ways out.

use super::access::Signed;
use super::error::PanelError;
use super::page::{self, Frame, Place};
use crate::WebState;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

/// The page.
#[derive(Template)]
#[template(path = "admin/account.html")]
struct AccountPage {
    frame: Frame,
}

impl AccountPage {
    fn chosen(&self) -> &'static str {
        self.frame.theme.map_or("system", |theme| theme.word())
    }
}

/// Shows the page.
pub async fn page(State(state): State<WebState>, signed: Signed) -> Result<Response, PanelError> {
    let page = AccountPage { frame: Frame::new(&state, &signed, Place::Now).await? };
    Ok(page::html(StatusCode::OK, &page))
}
