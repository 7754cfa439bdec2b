//! `POST /{lang}/request`: the form. A page for browsers without JavaScript, JSON for the script (interfaces.md).

use crate::form::Typed;
use crate::page::{self, Trouble};
use crate::site::Site;
use crate::submit::{Outcome, submit};
use axum::body::Body;
use axum::extract::{ConnectInfo, Path, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use bytes::BytesMut;
use domain::lead_form::FieldErrors;
use domain::{Language, address};
use http::header::{ACCEPT, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// The longest form: what a person can paste into the comment comes back with a word about it, a flood does not.
const BODY_MAX: usize = 256 * 1024;

/// What is read of a longer one and thrown away, so that the browser listens to the answer.
const PASSED_OVER_MAX: usize = 4 * 1024 * 1024;

/// How long a form may take to arrive.
const BODY_WAIT: Duration = Duration::from_secs(30);

/// Takes a form.
pub async fn request(
    State(site): State<Site>,
    Path(language): Path<String>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(language) = Language::from_code(&language) else { return page::missing(&site, &headers) };
    let (typed, cut_off) = read(body).await;
    if let Some(status) = cut_off {
        return cut_short(&site, language, &typed, status, &headers);
    }
    // Without a socket the call comes from a test of ours.
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Extension(ConnectInfo(peer))| peer.ip());
    let visitor = visitor(peer, &headers, &site.0.options.trusted_proxies);
    let outcome = submit(&site, &typed, language, visitor).await;
    let mut response =
        if wants_json(&headers) { as_json(&outcome) } else { as_page(&site, language, &typed, &outcome) };
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    response
}

/// What arrived, and why it is not all: too long, too slow or broken off. Of a form that is too long the beginning is kept, because the
/// page that says so shows it again.
async fn read(mut body: Body) -> (Typed, Option<StatusCode>) {
    let mut kept = BytesMut::new();
    let mut passed_over = 0;
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return Some(StatusCode::BAD_REQUEST) };
            let Ok(data) = frame.into_data() else { continue };
            let (head, rest) = data.split_at(data.len().min(BODY_MAX - kept.len()));
            kept.extend_from_slice(head);
            passed_over += rest.len();
            if passed_over > PASSED_OVER_MAX {
                break;
            }
        }
        (passed_over > 0).then_some(StatusCode::PAYLOAD_TOO_LARGE)
    };
    let cut_off = tokio::time::timeout(BODY_WAIT, reading).await.unwrap_or(Some(StatusCode::REQUEST_TIMEOUT));
    (Typed::parse(&kept), cut_off)
}

/// A form that did not arrive whole is not sent; what did arrive is shown again.
fn cut_short(
    site: &Site,
    language: Language,
    typed: &Typed,
    status: StatusCode,
    headers: &HeaderMap,
) -> Response {
    let mut response = if wants_json(headers) {
        (status, Json(json!({"result": "error"}))).into_response()
    } else {
        let too_long = status == StatusCode::PAYLOAD_TOO_LARGE;
        let trouble = if too_long { Trouble::TooLong } else { Trouble::Failed };
        page::refused(site, language, typed, &FieldErrors::default(), Some(trouble), status)
    };
    response.headers_mut().append(VARY, HeaderValue::from_static("accept"));
    response
}

fn visitor(peer: IpAddr, headers: &HeaderMap, trusted: &[IpAddr]) -> IpAddr {
    let lines: Vec<&str> =
        headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or_default()).collect();
    address::caller(peer, &lines, trusted)
}

fn wants_json(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    let mut kinds = lines.flat_map(|line| line.split(','));
    kinds.any(|kind| {
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
    })
}

fn status(outcome: &Outcome) -> StatusCode {
    match outcome {
        Outcome::Sent => StatusCode::OK,
        Outcome::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Outcome::Throttled => StatusCode::TOO_MANY_REQUESTS,
        Outcome::Failed => StatusCode::BAD_GATEWAY,
    }
}

fn as_json(outcome: &Outcome) -> Response {
    let body = match outcome {
        Outcome::Sent => json!({"result": "sent"}),
        Outcome::Invalid(errors) => json!({"result": "invalid", "errors": errors}),
        Outcome::Throttled => json!({"result": "throttled"}),
        Outcome::Failed => json!({"result": "error"}),
    };
    (status(outcome), Json(body)).into_response()
}

fn as_page(site: &Site, language: Language, typed: &Typed, outcome: &Outcome) -> Response {
    let none = FieldErrors::default();
    let (errors, trouble) = match outcome {
        Outcome::Sent => return page::sent(site, language, typed),
        Outcome::Invalid(errors) => (errors, None),
        Outcome::Throttled => (&none, Some(Trouble::Throttled)),
        Outcome::Failed => (&none, Some(Trouble::Failed)),
    };
    page::refused(site, language, typed, errors, trouble, status(outcome))
}
