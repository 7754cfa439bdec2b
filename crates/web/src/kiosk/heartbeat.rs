//! `POST /kiosk/heartbeat`: a tablet says every 30 s that it lives.

use super::answers::ErrorAnswer;
use crate::shell::body;
use crate::shell::error::Shell;
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use app::kiosk::Heartbeat;
use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::ToSchema;

/// What a tablet tells about itself.
#[derive(Debug, Deserialize, ToSchema)]
pub struct HeartbeatBody {
    /// Its name.
    #[schema(max_length = 64)]
    kiosk: String,
    /// Its camera.
    camera: Camera,
    /// Percent, or null when the browser does not tell.
    #[schema(minimum = 0, maximum = 100)]
    battery: Option<f64>,
    /// Version of its page.
    #[serde(default)]
    version: String,
}

/// State of a camera.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Camera {
    /// It works, or nobody needed it yet.
    Ok,
    /// It was there and is gone.
    Lost,
    /// The browser may not use it.
    Denied,
}

/// Notes that the tablet lives.
#[utoipa::path(
    post, path = "/kiosk/heartbeat", tag = "kiosk", request_body = HeartbeatBody,
    params(("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured")),
    responses(
        (status = 204),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 413, body = ErrorAnswer, description = "`body_too_large`: over 4 KiB"),
        (status = 422, body = ErrorAnswer, description = "`bad_body`"),
    )
)]
pub async fn heartbeat(
    _key: KioskKey,
    State(state): State<WebState>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let told: HeartbeatBody = body::json(&headers, body).await?;
    // A tablet without a name would share its row with every other one.
    if told.kiosk.trim().is_empty() {
        return Err(Shell::BadBody.into());
    }
    let camera = match told.camera {
        Camera::Ok => "ok",
        Camera::Lost => "lost",
        Camera::Denied => "denied",
    };
    // Browsers tell a fraction; a whole percent is enough. The verb drops what is no percentage.
    let battery = told.battery.map(|percent| percent.round() as i64);
    let beat = Heartbeat { kiosk: told.kiosk, camera: camera.to_owned(), battery, version: told.version };
    app::kiosk::heartbeat(&state.ctx, beat).await?;
    Ok(StatusCode::NO_CONTENT)
}
