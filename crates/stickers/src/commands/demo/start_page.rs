//! `/demo`: the page that links what a demo consists of, its data, and the newest QR for whoever has no second device to scan it.

use super::admin;
use super::phones::{BOT_USERNAME, Team};
use super::ports::Ports;
use crate::parts::VERSION;
use app::Ctx;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use rust_embed::RustEmbed;
use serde_json::{Value, json};
use std::path::Path as FsPath;
use std::sync::{Arc, Mutex, PoisonError};
use web::{ApiError, assets};

/// What `npm run build` made of the start page.
#[derive(RustEmbed)]
#[folder = "../../web-ui/start/dist"]
struct Page;

/// Places whose sample stickers the page shows, of each outfit.
const SHOWN: [usize; 2] = [0, 2];
/// The largest answer of `POST /session` that is looked at.
const ANSWER_MAX: usize = 256 * 1024;

/// The page and what it remembers.
#[derive(Clone)]
pub struct StartPage(Arc<Inner>);

struct Inner {
    data: Value,
    /// Where a phone without a QR goes.
    phone_url: String,
    /// What the newest QR says.
    newest_link: Mutex<Option<String>>,
}

impl StartPage {
    /// The page of this demo.
    pub fn new(ctx: &Ctx, ports: Ports, data_dir: &FsPath, team: Team) -> StartPage {
        let outfits = app::kiosk::templates(ctx);
        let stickers: Vec<_> = outfits
            .iter()
            .flat_map(|outfit| SHOWN.map(|place| (outfit, place)))
            .filter(|(outfit, place)| *place < outfit.stickers)
            .map(|(outfit, place)| format!("/templates/{}/stickers/{place}.webp", outfit.id))
            .collect();
        let data = json!({
            "kiosk_url": format!("{}/kiosk", ports.api_url()),
            "guest_url": format!("{}/demo/guest", ports.api_url()),
            "group_url": format!("{}/chat?group={}", ports.telegram_url(), team.group),
            "admin_url": format!("{}/admin", ports.api_url()),
            "admin_login": admin::LOGIN,
            "admin_password": admin::PASSWORD,
            "landing_url": ports.landing_url(),
            "data_dir": data_dir.display().to_string(),
            "version": VERSION,
            "stickers": stickers,
        });
        let phone_url = format!("{}/{BOT_USERNAME}", ports.telegram_url());
        StartPage(Arc::new(Inner { data, phone_url, newest_link: Mutex::new(None) }))
    }

    /// The page's addresses.
    pub fn routes(&self) -> Router {
        Router::new()
            .route("/demo", get(page))
            .route("/demo.json", get(data))
            .route("/demo/guest", get(guest))
            .route("/start-assets/{*path}", get(asset))
            .with_state(self.clone())
    }

    /// The server with an ear on new sessions: what their QR says is kept for `/demo/guest`.
    pub fn remembering_links(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), remember))
    }
}

async fn page(headers: HeaderMap) -> Result<Response, ApiError> {
    assets::page::<Page>(&headers)
}

async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    assets::file::<Page>(&headers, &path)
}

async fn data(State(page): State<StartPage>) -> Json<Value> {
    Json(page.0.data.clone())
}

/// The phone of a guest who points it at the tablet: it opens what the newest QR says.
async fn guest(State(page): State<StartPage>) -> Redirect {
    let newest = page.0.newest_link.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Redirect::to(newest.as_deref().unwrap_or(&page.0.phone_url))
}

/// Looks into the answers of `POST /session`.
async fn remember(State(page): State<StartPage>, request: Request, next: Next) -> Response {
    let opens_session = request.method() == Method::POST && request.uri().path() == "/session";
    let response = next.run(request).await;
    if !opens_session || response.status() != StatusCode::CREATED {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(body) = Limited::new(body, ANSWER_MAX).collect().await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let bytes = body.to_bytes();
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if let Some(link) = answer["deep_link"].as_str() {
        *page.0.newest_link.lock().unwrap_or_else(PoisonError::into_inner) = Some(link.to_owned());
    }
    Response::from_parts(parts, Body::from(bytes))
}
