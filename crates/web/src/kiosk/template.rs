//! `POST /session/{token}/template`: the guest taps an outfit.

use super::answers::{ErrorAnswer, SessionAnswer};
use crate::shell::body;
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

/// The choice.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Choice {
    /// Id of an outfit of `GET /templates`.
    template_id: String,
}

/// Chooses an outfit.
#[utoipa::path(
    post, path = "/session/{token}/template", tag = "kiosk", request_body = Choice,
    params(
        ("token" = String, Path),
        ("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured"),
    ),
    responses(
        (status = 200, body = SessionAnswer),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
        (status = 409, body = ErrorAnswer, description = "`wrong_status`; `pack_limit` with `notice`"),
        (status = 422, body = ErrorAnswer, description = "`unknown_template`, `bad_body`"),
        (status = 503, body = ErrorAnswer, description = "`maintenance`"),
    )
)]
pub async fn template(
    _key: KioskKey,
    State(state): State<WebState>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SessionAnswer>, ApiError> {
    app::session::template_expected(&state.ctx, &token).await?;
    let choice: Choice = body::json(&headers, body).await?;
    let view = app::session::choose_template(&state.ctx, &token, &choice.template_id).await?;
    Ok(Json(view.into()))
}
