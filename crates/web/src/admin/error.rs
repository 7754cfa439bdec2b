//! What a page of the panel answers instead of itself: the sign-in, or a page that says what is wrong and what to do.

use super::page::{self, Problem};
use app::AppError;
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// Tells htmx to open another page.
const HX_REDIRECT: HeaderName = HeaderName::from_static("hx-redirect");
/// Set by htmx on the requests that it makes.
const HX_REQUEST: &str = "hx-request";

/// Why a page is not shown, or a thing not done.
#[derive(Debug)]
pub enum PanelError {
    /// Nobody is signed in.
    SignIn {
        /// Whether htmx asked, which would put the page of the sign-in into a corner of another one.
        by_script: bool,
    },
    /// The form did not come from one of our pages, or from one of a session that has ended.
    Csrf,
    /// There is no such page or thing.
    NotFound,
    /// The form is longer than any of ours.
    TooLong,
    /// It was asked rightly and is refused, in words.
    Refused {
        /// Why, and what to do.
        words: String,
        /// The page to go back to.
        back: String,
    },
    /// Our fault.
    Fault(AppError),
}

impl PanelError {
    /// Nobody is signed in.
    pub fn sign_in(headers: &HeaderMap) -> PanelError {
        PanelError::SignIn { by_script: headers.contains_key(HX_REQUEST) }
    }
}

impl From<AppError> for PanelError {
    fn from(error: AppError) -> Self {
        PanelError::Fault(error)
    }
}

impl IntoResponse for PanelError {
    fn into_response(self) -> Response {
        let (status, title, words, back) = match self {
            PanelError::SignIn { by_script: false } => return Redirect::to("/admin/login").into_response(),
            PanelError::SignIn { by_script: true } => {
                let mut response = StatusCode::UNAUTHORIZED.into_response();
                response.headers_mut().insert(HX_REDIRECT, HeaderValue::from_static("/admin/login"));
                return response;
            }
            PanelError::Csrf => (
                StatusCode::FORBIDDEN,
                "Страница устарела",
                "Ничего не сделано. Открой страницу заново и нажми ещё раз.".to_owned(),
                "/admin".to_owned(),
            ),
            PanelError::NotFound => (
                StatusCode::NOT_FOUND,
                "Здесь ничего нет",
                "Такой страницы или записи нет. Возможно, данные уже удалены.".to_owned(),
                "/admin".to_owned(),
            ),
            PanelError::TooLong => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "Слишком длинный запрос",
                "Ничего не сделано. Открой страницу заново.".to_owned(),
                "/admin".to_owned(),
            ),
            PanelError::Refused { words, back } => (StatusCode::CONFLICT, "Не сделано", words, back),
            PanelError::Fault(fault) => {
                tracing::error!(error = &fault as &dyn std::error::Error, "a page of the panel failed");
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Не получилось",
                    "Ошибка на нашей стороне, она записана в журнал сервера. Попробуй ещё раз через минуту; если не \
                     поможет, позови инженера."
                        .to_owned(),
                    "/admin".to_owned(),
                )
            }
        };
        page::html(status, &Problem { title, words: &words, back: &back })
    }
}
