//! What every page of the panel has around it: the rail, who is signed in, the theme, and what was just done.

use super::access::Signed;
use super::assets::{ADDRESSES, Addresses};
use super::cookies::Theme;
use super::words;
use crate::WebState;
use app::AppError;
use askama::Template;
use axum::response::{IntoResponse, Response};
use domain::Timestamp;
use http::StatusCode;
use http::header::CONTENT_TYPE;

/// A place of the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// What is to be done now.
    Now,
    /// Jobs and guests.
    Jobs,
    /// Requests from the landing site.
    Leads,
    /// What image providers cost.
    Costs,
    /// The audit log and the settings.
    Journal,
}

impl Place {
    /// In the order of the rail.
    pub const ALL: [Place; 5] = [Place::Now, Place::Jobs, Place::Leads, Place::Costs, Place::Journal];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Place::Now => "Сейчас",
            Place::Jobs => "Задания",
            Place::Leads => "Заявки",
            Place::Costs => "Расходы",
            Place::Journal => "Журнал",
        }
    }

    /// Its address.
    pub fn path(self) -> &'static str {
        match self {
            Place::Now => "/admin",
            Place::Jobs => "/admin/jobs",
            Place::Leads => "/admin/leads",
            Place::Costs => "/admin/costs",
            Place::Journal => "/admin/journal",
        }
    }

    /// Outline of its icon, drawn in a box of 24.
    pub fn icon(self) -> &'static str {
        match self {
            Place::Now => "M4 4h7v7H4zM13 4h7v4h-7zM13 11h7v9h-7zM4 14h7v6H4z",
            Place::Jobs => "M4 6h16M4 12h16M4 18h10",
            Place::Leads => "M4 5h16v11h-8l-5 4v-4H4z",
            Place::Costs => "M5 20v-7M12 20V4M19 20v-11",
            Place::Journal => "M6 3h9l4 4v14H6zM10 9h5M10 13h5M10 17h5",
        }
    }
}

/// Around a page.
pub struct Frame {
    /// Where it is.
    pub place: Place,
    /// Who is signed in.
    pub login: String,
    /// What its forms carry.
    pub csrf: String,
    /// The event.
    pub event: String,
    /// The chosen theme.
    pub theme: Option<Theme>,
    /// Leads that nobody took, for the rail.
    pub new_leads: i64,
    /// When its data were read.
    pub now: Timestamp,
    /// What was just done.
    pub said: Option<&'static str>,
}

impl Frame {
    /// The frame of a page that is read now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn new(state: &WebState, signed: &Signed, place: Place) -> Result<Frame, AppError> {
        Ok(Frame {
            place,
            login: signed.admin.login.clone(),
            csrf: signed.admin.csrf.clone(),
            event: state.ctx.settings.event_name.clone(),
            theme: signed.theme,
            new_leads: app::panel::new_leads(&state.ctx).await?,
            now: state.ctx.clock.now(),
            said: signed.said,
        })
    }

    /// Styles and script.
    pub fn files(&self) -> &'static Addresses {
        &ADDRESSES
    }

    /// The places of the rail.
    pub fn places(&self) -> [Place; 5] {
        Place::ALL
    }

    /// The time of the data.
    pub fn clock(&self) -> String {
        words::clock(self.now)
    }
}

/// What was just done, by the word that a redirect carries.
pub fn said(word: &str) -> Option<&'static str> {
    Some(match word {
        "paused" => "Пауза включена. Начатые наборы доделываются, новые гости видят «скоро вернёмся».",
        "resumed" => "Пауза снята, гости снова могут начинать.",
        "retried" => "Задание снова в очереди. Гость ничего не должен делать.",
        "reset" => "Гость сброшен: строки и файлы удалены. Он может пройти заново.",
        "moved" => "Статус заявки изменён, карточка в группе обновится сама.",
        "balance" => "Сумма записана.",
        _ => return None,
    })
}

/// A page that says what is wrong.
#[derive(Template)]
#[template(path = "admin/problem.html")]
pub struct Problem<'p> {
    /// What.
    pub title: &'p str,
    /// More, and what to do.
    pub words: &'p str,
    /// Where to go on.
    pub back: &'p str,
}

impl Problem<'_> {
    fn files(&self) -> &'static Addresses {
        &ADDRESSES
    }
}

/// An answer with a page in it.
pub fn html(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a page of the panel cannot be rendered"
            );
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
