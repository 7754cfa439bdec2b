//! `GET /templates`: the outfits.

use crate::WebState;
use app::kiosk::TemplateView;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

/// All outfits.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplatesAnswer {
    /// In the order in which they are shown.
    templates: Vec<TemplateAnswer>,
}

/// An outfit.
#[derive(Debug, Serialize, ToSchema)]
pub struct TemplateAnswer {
    /// What `POST /session/{token}/template` takes.
    id: String,
    /// Its name.
    titles: Titles,
    /// Its first sample sticker; the others are at `/templates/{id}/stickers/{n}.webp`.
    preview_url: String,
    /// How many stickers a pack has.
    stickers: usize,
}

/// A name in three languages.
#[derive(Debug, Serialize, ToSchema)]
pub struct Titles {
    /// Russian.
    ru: String,
    /// Uzbek.
    uz: String,
    /// English.
    en: String,
}

impl From<TemplateView> for TemplateAnswer {
    fn from(view: TemplateView) -> Self {
        Self {
            id: view.id,
            titles: Titles { ru: view.titles.ru, uz: view.titles.uz, en: view.titles.en },
            preview_url: view.preview_url,
            stickers: view.stickers,
        }
    }
}

/// Lists the outfits.
#[utoipa::path(get, path = "/templates", tag = "kiosk", responses((status = 200, body = TemplatesAnswer)))]
pub async fn templates(State(state): State<WebState>) -> Json<TemplatesAnswer> {
    let templates = app::kiosk::templates(&state.ctx).into_iter().map(TemplateAnswer::from).collect();
    Json(TemplatesAnswer { templates })
}
