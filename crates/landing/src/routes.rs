//! Every address of the site, in one list.

use crate::site::Site;
use crate::{assets, crawl, gzip, headers, page, request};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn;
use axum::routing::{get, post};

/// The whole site.
pub fn router(site: &Site) -> Router {
    Router::new()
        .route("/", get(page::root))
        .route("/{language}", get(page::page))
        .route("/{language}/request", post(request::request).get(page::back))
        .route("/landing-assets/{*path}", get(assets::file))
        .route("/favicon.ico", get(assets::favicon))
        .route("/robots.txt", get(crawl::robots))
        .route("/sitemap.xml", get(crawl::sitemap))
        .fallback(page::not_found)
        .with_state(site.clone())
        // The form's handler bounds its body while it reads.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(gzip::compress))
        .layer(from_fn(headers::secure))
}
