//! `POST /session`: a guest taps Start.

use super::answers::ErrorAnswer;
use crate::shell::body;
use crate::shell::key::KioskKey;
use crate::{ApiError, WebState};
use app::Refusal;
use app::session::NewKioskSession;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use domain::Language;
use http::{HeaderMap, StatusCode};
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the kiosk may tell; the body may be empty.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct NewSession {
    /// Name of the tablet.
    kiosk: Option<String>,
    /// Language of its screen: `ru`, `uz` or `en`; any other is Russian.
    language: Option<String>,
}

/// A session that waits for a phone.
#[derive(Debug, Serialize, ToSchema)]
pub struct CreatedAnswer {
    /// Secret of the interaction.
    token: String,
    /// `idle`.
    status: &'static str,
    /// What the QR says.
    deep_link: String,
    /// The QR as an SVG picture, black on white with its quiet zone.
    qr_svg: String,
}

/// Opens a session.
#[utoipa::path(
    post, path = "/session", tag = "kiosk", request_body(content = NewSession, description = "May be empty"),
    params(("X-Kiosk-Key" = Option<String>, Header, description = "The kiosk key, when one is configured")),
    responses(
        (status = 201, body = CreatedAnswer),
        (status = 401, body = ErrorAnswer, description = "`kiosk_key`"),
        (status = 413, body = ErrorAnswer, description = "`body_too_large`: over 4 KiB"),
        (status = 422, body = ErrorAnswer, description = "`bad_body`"),
        (status = 503, body = ErrorAnswer, description = "`maintenance`, `bot_not_ready`"),
    )
)]
pub async fn create(
    _key: KioskKey,
    State(state): State<WebState>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<CreatedAnswer>), ApiError> {
    app::session::may_open(&state.ctx).await?;
    let asked: NewSession = body::json_or_default(&headers, body).await?;
    let new = NewKioskSession {
        kiosk: asked.kiosk,
        language: asked.language.as_deref().and_then(Language::from_code),
    };
    let created = app::session::create(&state.ctx, new).await?;
    let qr_svg = qr(&created.deep_link)?;
    let answer = CreatedAnswer {
        token: created.view.token,
        status: created.view.status.word(),
        deep_link: created.deep_link,
        qr_svg,
    };
    Ok((StatusCode::CREATED, Json(answer)))
}

/// The link as a QR picture. Medium correction: a phone reads it at an angle and with a reflection on the glass.
fn qr(link: &str) -> Result<String, ApiError> {
    let code = QrCode::with_error_correction_level(link, EcLevel::M)
        .map_err(|error| Refusal::Internal(app::AppError::Render(format!("the QR of a link: {error}"))))?;
    let mut picture = code.render::<svg::Color<'_>>();
    // Black on white whatever the screen's theme; the quiet zone of four modules is the renderer's default for a QR.
    picture
        .dark_color(svg::Color("#000"))
        .light_color(svg::Color("#fff"))
        .quiet_zone(true)
        .min_dimensions(480, 480);
    Ok(picture.build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_qr_is_black_on_white_with_a_quiet_zone_and_no_code_inside() {
        let svg =
            qr("https://t.me/stickers_bot?start=abcdefghijkmnpqrstuvwxyz23456789").expect("a short link");
        assert!(svg.contains(r##"fill="#000""##) && svg.contains(r##"fill="#fff""##), "{svg}");
        assert!(!svg.contains("style=") && !svg.contains("<script"));
        // Four modules of white before the first black one.
        let first = svg.split(r#"d="M"#).nth(1).and_then(|path| path.split(' ').next()).expect("a path");
        let module: u32 = svg.split('h').nth(2).map_or(1, |_| 1);
        assert!(first.parse::<u32>().expect("a number") >= 4 * module, "{first}");
    }
}
