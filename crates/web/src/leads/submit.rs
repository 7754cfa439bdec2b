//! `POST /leads`: the landing site hands over a request. Steps 1 to 5 of seed 003 are here, in its order; 6 to 10 are one transaction
//! of `app::lead`. The answer comes after that is on disk, and a caller who hangs up changes nothing.

use super::LeadRefused;
use super::form::{self, LeadBody};
use crate::shell::body;
use crate::shell::caller::Caller;
use crate::shell::error::Shell;
use crate::shell::key::Denied;
use crate::{ApiError, WebState};
use app::lead::{self, Submitted};
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The header with the secret of the landing site.
const SECRET_HEADER: &str = "x-stickers-leads-secret";
/// The longest body.
const BODY_MAX: usize = 16_384;

/// The lead to which a request belongs.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LeadAnswer {
    /// Its number.
    id: i64,
    /// Whether nothing new was stored under it: the `request_id` was known, or it is a repeat.
    duplicate: bool,
    /// With `duplicate`: whether the same person asked within the last 24 hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    repeat: Option<bool>,
}

/// What is answered instead of taking a request.
#[derive(Debug, Serialize, ToSchema)]
pub struct LeadErrorAnswer {
    /// The code for programs.
    #[schema(example = "invalid")]
    error: String,
    /// The words for people, in the language of `Accept-Language`.
    message: String,
    /// With 422: `required`, `too_short`, `too_long` or `invalid` by field; `body` when it is no JSON object.
    #[schema(nullable = false)]
    errors: Option<BTreeMap<String, String>>,
    /// With 429: `secret`, `visitor` or `hourly`.
    #[schema(nullable = false)]
    why: Option<String>,
}

/// Takes a request.
#[utoipa::path(
    post, path = "/leads", tag = "leads",
    request_body(content = LeadBody, description = "At most 16,384 bytes; unknown members are ignored"),
    params(("X-Stickers-Leads-Secret" = String, Header, description = "The secret of the landing site")),
    responses(
        (status = 201, body = LeadAnswer, description = "A new lead"),
        (status = 200, body = LeadAnswer, description = "The `request_id` is known, or the same person asked within 24 hours"),
        (status = 401, body = LeadErrorAnswer, description = "`leads_secret`"),
        (status = 404, body = LeadErrorAnswer, description = "The module is off"),
        (status = 413, body = LeadErrorAnswer, description = "`body_too_large`"),
        (status = 422, body = LeadErrorAnswer, description = "`bad_body`, or `invalid` with `errors`"),
        (status = 429, body = LeadErrorAnswer, description = "`locked_out`, or `throttled`, with `why`"),
    )
)]
pub async fn submit(
    State(state): State<WebState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<LeadAnswer>), ApiError> {
    let (Some(leads), Some(gate)) = (&state.ctx.settings.leads.intake, &state.leads_gate) else {
        return Err(Shell::NotFound.into());
    };
    let shown = headers.get(SECRET_HEADER).map(|value| value.as_bytes()).unwrap_or_default();
    gate.pass(caller, shown, state.ctx.clock.now()).map_err(LeadRefused::from)?;
    let body = body::read(&headers, body, BODY_MAX).await.map_err(LeadRefused::from)?;
    let form = form::parse(&body).ok_or(LeadRefused::NotAnObject)?;
    let request = form.check().map_err(LeadRefused::Fields)?;
    match lead::submit(&state.ctx, leads, request).await? {
        Submitted::New(lead) => {
            let answer = LeadAnswer { id: lead.0, duplicate: false, repeat: None };
            Ok((StatusCode::CREATED, Json(answer)))
        }
        Submitted::Duplicate { lead, repeat } => {
            let answer = LeadAnswer { id: lead.0, duplicate: true, repeat: Some(repeat) };
            Ok((StatusCode::OK, Json(answer)))
        }
        Submitted::VisitorLimit => Err(LeadRefused::Visitor.into()),
        Submitted::HourlyLimit => Err(LeadRefused::Hourly.into()),
    }
}

impl From<Denied> for LeadRefused {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Wrong => LeadRefused::Secret,
            Denied::LockedOut { retry_after_s } => LeadRefused::LockedOut { retry_after_s },
        }
    }
}

impl From<Shell> for LeadRefused {
    /// For what reading a body can come to.
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::BodyTooLarge => LeadRefused::TooLarge,
            _ => LeadRefused::NotAnObject,
        }
    }
}
