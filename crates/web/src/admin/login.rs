//! `/admin/login` and the ways out.

use super::access::{Signed, from_our_pages};
use super::assets::{ADDRESSES, Addresses};
use super::cookies::Theme;
use super::error::PanelError;
use super::form::Fields;
use super::{page, words};
use crate::WebState;
use crate::shell::caller::Caller;
use app::AppError;
use app::panel::{self, AGE_MAX, Attempt, SignInRefusal};
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, StatusCode};
use secrecy::SecretString;

/// The page of the sign-in.
#[derive(Template)]
#[template(path = "admin/login.html")]
struct LoginPage {
    event: String,
    theme: Option<Theme>,
    csrf: String,
    login: String,
    trouble: Option<String>,
}

impl LoginPage {
    fn files(&self) -> &'static Addresses {
        &ADDRESSES
    }
}

/// The form; who is signed in goes on to the panel.
pub async fn form(
    State(state): State<WebState>,
    headers: HeaderMap,
    signed: Result<Signed, PanelError>,
) -> Result<Response, PanelError> {
    match signed {
        Ok(_) => Ok(Redirect::to("/admin").into_response()),
        Err(PanelError::SignIn { .. }) => shown(&state, &headers, StatusCode::OK, "", None),
        Err(error) => Err(error),
    }
}

/// Somebody typed a name and a password.
pub async fn sign_in(
    State(state): State<WebState>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let fields = Fields::read(&headers, body).await?;
    let panel = state.panel()?;
    let kept = panel.cookies.form(&headers).map(|token| panel::csrf_of(&token)).unwrap_or_default();
    let login = fields.text("login");
    if !from_our_pages(&headers) || !panel::same(&kept, fields.raw("csrf")) {
        let words = "Страница устарела: попробуй ещё раз. Браузер должен разрешать cookie.";
        return shown(&state, &headers, StatusCode::FORBIDDEN, login, Some(words.to_owned()));
    }
    let attempt = Attempt {
        address: caller.0,
        login: login.to_owned(),
        password: SecretString::from(fields.raw("password").to_owned()),
    };
    match panel.entrance.sign_in(&state.ctx, attempt).await {
        Ok(token) => {
            let mut response = Redirect::to("/admin").into_response();
            panel.cookies.begin(response.headers_mut(), &token, AGE_MAX);
            Ok(response)
        }
        Err(SignInRefusal::Wrong) => {
            let words = "Логин или пароль не подходят".to_owned();
            shown(&state, &headers, StatusCode::UNAUTHORIZED, login, Some(words))
        }
        Err(SignInRefusal::LockedOut { retry_after }) => {
            let seconds = retry_after.as_secs() + 1;
            let words = format!("Пять неверных паролей. Попробуй через {}", words::minutes_of(seconds));
            too_many(&state, &headers, login, words, seconds)
        }
        Err(SignInRefusal::Busy) => {
            let words = "Слишком много входов сразу. Попробуй через несколько секунд".to_owned();
            too_many(&state, &headers, login, words, 5)
        }
        Err(SignInRefusal::Internal(fault)) => Err(fault.into()),
    }
}

fn too_many(
    state: &WebState,
    headers: &HeaderMap,
    login: &str,
    words: String,
    seconds: u64,
) -> Result<Response, PanelError> {
    let mut response = shown(state, headers, StatusCode::TOO_MANY_REQUESTS, login, Some(words))?;
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    Ok(response)
}

/// The form with what is wrong. Each one has a token of its own, which the browser keeps in a cookie.
fn shown(
    state: &WebState,
    headers: &HeaderMap,
    status: StatusCode,
    login: &str,
    trouble: Option<String>,
) -> Result<Response, PanelError> {
    let panel = state.panel()?;
    let token = panel::new_token(&*state.ctx.rng);
    let page = LoginPage {
        event: state.ctx.settings.event_name.clone(),
        theme: panel.cookies.theme(headers),
        csrf: panel::csrf_of(&token),
        login: login.chars().take(panel::NAME_MAX).collect(),
        trouble,
    };
    let mut response = page::html(status, &page);
    panel.cookies.begin_form(response.headers_mut(), &token);
    Ok(response)
}

/// Ends this session.
pub async fn sign_out(
    State(state): State<WebState>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let ending = panel::sign_out(&state.ctx, &signed.admin);
    leave(&state, signed.form(&headers, body), ending).await
}

/// Ends every session of this login.
pub async fn sign_out_everywhere(
    State(state): State<WebState>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let ending = panel::sign_out_everywhere(&state.ctx, &signed.admin);
    leave(&state, signed.form(&headers, body), ending).await
}

/// Ends what there is to end, once the form is known to be one of ours, and shows the way in.
async fn leave<T>(
    state: &WebState,
    form: impl Future<Output = Result<Fields, PanelError>>,
    ending: impl Future<Output = Result<T, AppError>>,
) -> Result<Response, PanelError> {
    form.await?;
    ending.await?;
    let mut response = Redirect::to("/admin/login").into_response();
    state.panel()?.cookies.end(response.headers_mut());
    Ok(response)
}

/// Keeps a choice of theme.
pub async fn theme(
    State(state): State<WebState>,
    signed: Signed,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, PanelError> {
    let fields = signed.form(&headers, body).await?;
    let mut response = Redirect::to("/admin/account").into_response();
    let chosen = Theme::from_word(fields.text("theme"));
    state.panel()?.cookies.choose_theme(response.headers_mut(), chosen);
    Ok(response)
}
