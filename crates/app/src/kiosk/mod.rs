//! What a tablet asks beside its session: the outfits with sample stickers, and the heartbeat.

use crate::captions::caption_language;
use crate::{AppError, Ctx, Refusal};
use bytes::Bytes;
use domain::Language;
use render::Template;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::Arc;
use store::kiosks;

/// The portrait that sample stickers are made from: NASA, public domain (crates/app/assets/NOTICE).
const SAMPLE_PORTRAIT: &[u8] = include_bytes!("../../assets/astronaut.png");

/// An outfit as `GET /templates` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TemplateView {
    /// Its id.
    pub id: String,
    /// Its name in each language.
    pub titles: TitlesView,
    /// Its first sample sticker.
    pub preview_url: String,
    /// How many stickers a pack has.
    pub stickers: usize,
}

/// A name in three languages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TitlesView {
    /// Russian.
    pub ru: String,
    /// Uzbek.
    pub uz: String,
    /// English.
    pub en: String,
}

/// What a tablet tells every 30 s.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Heartbeat {
    /// Its name.
    pub kiosk: String,
    /// `ok`, `lost` or `denied`.
    pub camera: String,
    /// Percent, when the tablet tells.
    pub battery: Option<i64>,
    /// Version of its page.
    pub version: String,
}

/// The outfits, in the order of their ids.
pub fn templates(ctx: &Ctx) -> Vec<TemplateView> {
    ctx.renderer.templates().iter().map(template_view).collect()
}

fn template_view(template: &Template) -> TemplateView {
    TemplateView {
        id: template.id.clone(),
        titles: TitlesView {
            ru: template.titles.ru.clone(),
            uz: template.titles.uz.clone(),
            en: template.titles.en.clone(),
        },
        preview_url: format!("/templates/{}/stickers/0.webp", template.id),
        stickers: template.slots.len(),
    }
}

/// A sample sticker of an outfit as WEBP, its caption in a language; `None` when there is no such outfit or place. A pack is rendered once
/// per outfit and language and kept in the media store.
///
/// # Errors
/// When rendering or the media store fails; [`Refusal::Busy`] is never answered: the caller waits for its turn.
pub async fn sample_sticker(
    ctx: &Ctx,
    template_id: &str,
    language: Language,
    place: usize,
) -> Result<Option<Bytes>, AppError> {
    let Some(template) = ctx.renderer.templates().get(template_id) else {
        return Ok(None);
    };
    if place >= template.slots.len() {
        return Ok(None);
    }
    let key = sample_key(template_id, language, place);
    if ctx.media.exists(&key).await? {
        return Ok(Some(ctx.media.get(&key).await?));
    }
    let Ok(_turn) = ctx.limits.samples.acquire().await else {
        return Ok(None);
    };
    // Whoever had the turn before may have made exactly this pack.
    if !ctx.media.exists(&key).await? {
        render_samples(ctx, template_id, language).await?;
    }
    Ok(Some(ctx.media.get(&key).await?))
}

/// The version is part of the key: a new release draws its samples anew.
fn sample_key(template_id: &str, language: Language, place: usize) -> String {
    format!("samples/{}/{}/{template_id}_{place}.webp", env!("CARGO_PKG_VERSION"), language.code())
}

async fn render_samples(ctx: &Ctx, template_id: &str, language: Language) -> Result<(), AppError> {
    let (renderer, id, captions) =
        (Arc::clone(&ctx.renderer), template_id.to_owned(), caption_language(language));
    let stickers = tokio::task::spawn_blocking(move || {
        renderer.composite(SAMPLE_PORTRAIT, &id, captions, &mut |_, _| ControlFlow::Continue(()))
    })
    .await?
    .map_err(|error| AppError::Render(error.to_string()))?;
    // The first one last: its presence says that the pack is whole.
    for (place, sticker) in stickers.into_iter().enumerate().rev() {
        ctx.media.put(&sample_key(template_id, language, place), sticker.webp.into()).await?;
    }
    Ok(())
}

/// Stores what a tablet tells about itself.
///
/// # Errors
/// When the database fails.
pub async fn heartbeat(ctx: &Ctx, beat: Heartbeat) -> Result<(), Refusal> {
    let row = kiosks::Heartbeat {
        kiosk: domain::guest::clean_text(&beat.kiosk).chars().take(64).collect(),
        camera: beat.camera,
        battery: beat.battery.filter(|percent| (0..=100).contains(percent)),
        version: domain::guest::clean_text(&beat.version).chars().take(64).collect(),
        now: ctx.clock.now(),
    };
    ctx.store
        .write(move |tx| Box::pin(async move { kiosks::heartbeat(tx, &row).await.map_err(Refusal::from) }))
        .await?;
    Ok(())
}
