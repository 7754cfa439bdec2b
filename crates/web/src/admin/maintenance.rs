//! `/admin/maintenance`: the pause, with what it does to guests before it is set.

use super::access::Signed;
use super::error::PanelError;
use super::page::{self, Frame, Place};
use crate::WebState;
use app::operator::{self, Paused, Resumed};
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use domain::maintenance::Maintenance;
use http::{HeaderMap, StatusCode};

/// The page.
#[derive(Template)]
#[template(path = "admin/maintenance.html")]
struct MaintenancePage {
    frame: Frame,
    pause: Option<Maintenance>,
}

/// Shows the page.
pub async fn page(State(state): State<WebState>, signed: Signed) -> Result<Response, PanelError> {
    let page = MaintenancePage {
        pause: app::health::maintenance(&state.ctx).await?,
        frame: Frame::new(&state, &signed, Place::Now).await?,
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// Sets or lifts the pause: field `to` is `pause` or `resume`.
pub async fn switch(
    State(state): State<WebState>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let fields = signed.form(&headers, body).await?;
    let by = signed.admin.login.clone();
    let (done, refused) = match fields.text("to") {
        "pause" => ("paused", pause_refused(operator::pause_as(&state.ctx, by).await?)),
        "resume" => ("resumed", resume_refused(operator::resume_as(&state.ctx, by).await?)),
        _ => return Err(PanelError::NotFound),
    };
    match refused {
        None => Ok(Redirect::to(&format!("/admin?said={done}")).into_response()),
        Some(words) => Err(PanelError::Refused { words: words.to_owned(), back: "/admin".to_owned() }),
    }
}

fn pause_refused(paused: Paused) -> Option<&'static str> {
    match paused {
        Paused::Now => None,
        Paused::Already(Maintenance::Env) => Some("Пауза уже задана на сервере (MAINTENANCE_MODE=1)."),
        Paused::Already(Maintenance::Auto) => Some("Киоск уже на паузе: у провайдера кончились деньги."),
        Paused::Already(Maintenance::Admin) => Some("Киоск уже на паузе."),
    }
}

fn resume_refused(resumed: Resumed) -> Option<&'static str> {
    match resumed {
        Resumed::Now => None,
        Resumed::NotPaused => Some("Паузы нет, всё работает."),
        Resumed::EnvStays => Some(
            "Пауза задана на сервере, здесь её не снять. Поставь MAINTENANCE_MODE=0 и перезапусти обе службы.",
        ),
    }
}
