//! `GET /kiosk/config`: what the page shows and which version it is of.

use crate::WebState;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

/// What the page needs to know before the first session.
#[derive(Debug, Serialize, ToSchema)]
pub struct KioskConfig {
    /// `EVENT_NAME`.
    event_name: String,
    /// `BRAND_NAME`.
    brand_name: String,
    /// Version of the server; a page that sees a new one takes it when idle.
    version: String,
    /// `PRIVACY_URL`.
    privacy_url: Option<String>,
}

/// Words and version for the page.
#[utoipa::path(get, path = "/kiosk/config", tag = "kiosk", responses((status = 200, body = KioskConfig)))]
pub async fn config(State(state): State<WebState>) -> Json<KioskConfig> {
    let settings = &state.ctx.settings;
    Json(KioskConfig {
        event_name: settings.event_name.clone(),
        brand_name: settings.brand_name.clone(),
        version: format!("{} {}", state.options.version, state.options.revision),
        privacy_url: settings.privacy_url.clone(),
    })
}
