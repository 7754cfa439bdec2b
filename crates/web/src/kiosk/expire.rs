//! `POST /session/{token}/expire?reason=CODE`: the kiosk gives a session up.

use super::answers::{ErrorAnswer, SessionAnswer};
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use axum::Json;
use axum::extract::{Path, RawQuery, State};
use serde::Serialize;
use utoipa::ToSchema;

/// The session after the call.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpiredAnswer {
    /// The session.
    #[serde(flatten)]
    session: SessionAnswer,
    /// Whether this call closed it; false when it was over already.
    changed: bool,
}

/// Gives a session up.
#[utoipa::path(
    post, path = "/session/{token}/expire", tag = "kiosk",
    params(
        ("token" = String, Path),
        ("reason" = Option<String>, Query,
         description = "`idle_timeout`, `qr_timeout`, `cancel`, `staff_reset`, `camera_error`; any other is `kiosk_reset`"),
        ("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured"),
    ),
    responses(
        (status = 200, body = ExpiredAnswer),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
    )
)]
pub async fn expire(
    _key: KioskKey,
    State(state): State<WebState>,
    Path(token): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<ExpiredAnswer>, ApiError> {
    // Read by hand: a query that cannot be read closes the session like an unknown code, because a tablet that leaves must be let go.
    let reason = query.as_deref().and_then(reason).unwrap_or_default();
    let (view, changed) = app::session::expire(&state.ctx, &token, reason).await?;
    Ok(Json(ExpiredAnswer { session: view.into(), changed }))
}

/// The value of `reason`. Codes are plain words, so nothing needs decoding.
fn reason(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("reason="))
}
