//! `GET /session/{token}`: where a session stands.

use super::answers::{ErrorAnswer, SessionAnswer};
use crate::{ApiError, WebState};
use axum::Json;
use axum::extract::{Path, State};

/// Reads a session.
#[utoipa::path(
    get, path = "/session/{token}", tag = "kiosk", params(("token" = String, Path)),
    responses(
        (status = 200, body = SessionAnswer),
        (status = 404, body = ErrorAnswer, description = "`unknown_session`"),
    )
)]
pub async fn view(
    State(state): State<WebState>,
    Path(token): Path<String>,
) -> Result<Json<SessionAnswer>, ApiError> {
    let view = app::session::view(&state.ctx, &token).await?;
    app::session::seen_by_kiosk(&state.ctx, &token).await?;
    Ok(Json(view.into()))
}
