//! `GET /openapi.json`: the description of the API, made from the handlers.

use crate::{kiosk, leads, ops};
use axum::Json;
use utoipa::OpenApi;

/// The description.
#[derive(OpenApi)]
#[openapi(
    info(title = "Sticker kiosk", description = "The API of the tablet, requests from the landing site, and health and figures for operators."),
    paths(
        kiosk::create::create,
        kiosk::view::view,
        kiosk::events::events,
        kiosk::template::template,
        kiosk::photo::photo,
        kiosk::face::face,
        kiosk::expire::expire,
        kiosk::heartbeat::heartbeat,
        kiosk::config::config,
        kiosk::templates::templates,
        kiosk::sample::sample,
        leads::submit::submit,
        ops::health::health,
        ops::metrics::metrics,
        openapi,
    ),
    tags((name = "kiosk", description = "Calls of the tablet"), (name = "leads", description = "Requests from the landing site"), (name = "ops", description = "For operators"))
)]
struct Description;

/// The description as OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "ops", responses((status = 200, description = "OpenAPI 3.1")))]
pub async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_openapi_3_1_and_names_every_call_of_the_kiosk() {
        let json = serde_json::to_value(Description::openapi()).expect("plain data");
        assert!(
            json["openapi"].as_str().is_some_and(|version| version.starts_with("3.1")),
            "{}",
            json["openapi"]
        );
        for (path, method) in [
            ("/session", "post"),
            ("/session/{token}", "get"),
            ("/session/{token}/events", "get"),
            ("/session/{token}/template", "post"),
            ("/session/{token}/photo", "post"),
            ("/session/{token}/face", "post"),
            ("/session/{token}/expire", "post"),
            ("/kiosk/heartbeat", "post"),
            ("/kiosk/config", "get"),
            ("/templates", "get"),
            ("/leads", "post"),
            ("/health", "get"),
            ("/metrics", "get"),
        ] {
            assert!(json["paths"][path][method].is_object(), "{method} {path}");
        }
        let codes: Vec<_> =
            json["paths"]["/leads"]["post"]["responses"].as_object().expect("answers").keys().collect();
        assert_eq!(codes, ["200", "201", "401", "404", "413", "422", "429"]);
        let statuses = &json["components"]["schemas"]["SessionAnswer"]["properties"]["status"]["enum"];
        assert_eq!(statuses.as_array().map(Vec::len), Some(6), "{statuses}");
    }
}
