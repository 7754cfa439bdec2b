//! Every address of the server, in one list.

use crate::shell::key::{Counting, Gate};
use crate::shell::{drain, error, headers, observe, timeout};
use crate::{Options, WebOptions, WebState, admin, kiosk, leads, ops};
use app::Ctx;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Photos that are received at once; further ones wait.
const UPLOADS_MAX: usize = 8;

/// The whole server.
pub fn router(ctx: Ctx, options: WebOptions) -> Router {
    let intake = ctx.settings.leads.intake.as_ref();
    let panel = options.panel.map(|panel| Arc::new(admin::Panel::new(panel, &ctx.settings.public_url)));
    let admin = if panel.is_some() { admin::routes() } else { Router::new() };
    let state = WebState {
        panel,
        key: options.kiosk_key.as_ref().map(|key| Arc::new(Gate::new(key, Counting::Different))),
        leads_gate: intake.map(|leads| Arc::new(Gate::new(&leads.secret, Counting::Every))),
        ctx,
        uploads: Arc::new(Semaphore::new(UPLOADS_MAX)),
        options: Arc::new(Options {
            trusted_proxies: options.trusted_proxies,
            version: options.version,
            revision: options.revision,
            figures: options.figures,
            shutdown: options.shutdown,
        }),
    };
    let uploads = Router::new()
        .route("/session/{token}/photo", post(kiosk::photo::photo))
        .layer(from_fn(timeout::upload));
    let calls = Router::new()
        .route("/", get(kiosk::page::page))
        .route("/kiosk", get(kiosk::page::page))
        .route("/kiosk-assets/{*path}", get(kiosk::page::asset))
        .route("/kiosk/config", get(kiosk::config::config))
        .route("/kiosk/heartbeat", post(kiosk::heartbeat::heartbeat))
        .route("/session", post(kiosk::create::create))
        .route("/session/{token}", get(kiosk::view::view))
        .route("/session/{token}/events", get(kiosk::events::events))
        .route("/session/{token}/template", post(kiosk::template::template))
        .route("/session/{token}/face", post(kiosk::face::face))
        .route("/session/{token}/expire", post(kiosk::expire::expire))
        .route("/templates", get(kiosk::templates::templates))
        .route("/templates/{id}/stickers/{file}", get(kiosk::sample::sample))
        .route("/leads", post(leads::submit::submit))
        .route("/health", get(ops::health::health))
        .route("/metrics", get(ops::metrics::metrics))
        .route("/openapi.json", get(ops::openapi::openapi))
        .merge(admin)
        .layer(from_fn(timeout::call));
    let routes = uploads.merge(calls).with_state(state);
    let routes = match options.extra {
        Some(extra) => routes.merge(extra),
        None => routes,
    };
    routes
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::method_not_allowed)
        // Each handler bounds its own body while it reads; the framework's one limit for all would hide that.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(error::speak))
        .layer(from_fn(headers::secure))
        .layer(from_fn(observe::measure))
        .layer(from_fn(drain::rest))
}
