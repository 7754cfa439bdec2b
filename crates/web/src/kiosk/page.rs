//! `/` and `/kiosk`: the kiosk page, and its files under `/kiosk-assets/`.

use crate::ApiError;
use crate::shell::assets;
use axum::extract::Path;
use axum::response::Response;
use http::HeaderMap;
use rust_embed::RustEmbed;

/// What `npm run build` made of the kiosk page.
#[derive(RustEmbed)]
#[folder = "../../web-ui/kiosk/dist"]
struct KioskPage;

/// The page. Not in the API's description: it is for people.
pub async fn page(headers: HeaderMap) -> Result<Response, ApiError> {
    assets::page::<KioskPage>(&headers)
}

/// A file of the page.
pub async fn asset(Path(path): Path<String>, headers: HeaderMap) -> Result<Response, ApiError> {
    assets::file::<KioskPage>(&headers, &path)
}
