//! From a selfie and an outfit to stickers.

mod badge;
mod caption;
mod draw;
mod effects;
mod figure;
mod guest;
mod head;
mod hood;
mod look;
mod paint;
mod place;
mod rig;
mod stamp;
mod sticker;
mod tokens;
mod warp;

use std::ops::ControlFlow;

use image::{RgbImage, RgbaImage};
use resvg::tiny_skia::Pixmap;

pub(crate) use caption::Typeface;
pub(crate) use draw::Drawing;
use guest::Guest;
use paint::Palette;
pub(crate) use sticker::silhouette;
pub(crate) use tokens::Tokens;

use crate::RenderError;
use crate::face::{self, Models, Seen};
use crate::finish;
use crate::photo::Refusal;
use crate::raster::Picture;
use crate::template::{Language, Slot, Template, Words};

/// A finished sticker.
#[derive(Clone, Debug)]
pub struct Sticker {
    /// The slot's id.
    pub slot: String,
    /// What Telegram files it under.
    pub emoji: String,
    /// The file.
    pub webp: Vec<u8>,
    /// Width in px; one side is 512.
    pub width: u32,
    /// Height in px.
    pub height: u32,
    /// The pixels before encoding, straight alpha.
    pub rgba: RgbaImage,
}

/// Why there is no pack.
#[derive(Debug, thiserror::Error)]
pub enum CompositeError {
    /// No outfit of that id.
    #[error("no such template")]
    UnknownTemplate,
    /// The photo is not usable; one that was checked always is.
    #[error(transparent)]
    Photo(#[from] Refusal),
    /// The caller broke off.
    #[error("cancelled")]
    Cancelled,
    /// A fault of the program or its files.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// What every picture needs.
pub(crate) struct Studio<'a> {
    /// The networks.
    pub models: &'a Models,
    /// The captions' letters.
    pub typeface: &'a Typeface,
}

/// Draws the stickers of a template in slot order.
pub(crate) fn pack(
    studio: &Studio<'_>,
    photo: &RgbImage,
    template: &Template,
    language: Language,
    on_sticker: &mut dyn FnMut(usize, &Sticker) -> ControlFlow<()>,
) -> Result<Vec<Sticker>, CompositeError> {
    let subject = Subject::of(studio, photo)?;
    let mut stickers = Vec::with_capacity(template.slots.len());
    for (index, slot) in template.slots.iter().enumerate() {
        let drawing = subject.draw(studio, template, slot, language)?;
        let rgba = finish::outlined(&drawing);
        let sticker = Sticker {
            slot: slot.id.clone(),
            emoji: slot.emoji.clone(),
            webp: finish::encode(&rgba)?,
            width: rgba.width(),
            height: rgba.height(),
            rgba,
        };
        let go_on = on_sticker(index, &sticker);
        stickers.push(sticker);
        if go_on.is_break() {
            return Err(CompositeError::Cancelled);
        }
    }
    Ok(stickers)
}

/// The drawings of a template's slots without caption, outline and shadow: what an image provider is asked for.
pub(crate) fn figures(
    studio: &Studio<'_>,
    photo: &RgbImage,
    template: &Template,
) -> Result<Vec<RgbaImage>, CompositeError> {
    let subject = Subject::of(studio, photo)?;
    let bare = template.slots.iter().cloned().map(|slot| Slot { caption: Words::default(), ..slot });
    bare.map(|slot| Ok(finish::straight(&subject.draw(studio, template, &slot, Language::En)?))).collect()
}

/// With less of the face cut out than this the cut has failed.
const FACE_PART_MIN: f32 = 0.8;

/// What the stickers show.
enum Subject {
    /// A head on the outfit's body.
    Figure(Box<Guest>, Palette),
    /// The portrait in a round badge: nobody looks at the camera, but a face there is (photos are refused for that when they
    /// are taken; one that was taken before the rule still gets its pack), or the face is not all of a person's mask.
    Badge(Picture),
}

impl Subject {
    fn of(studio: &Studio<'_>, photo: &RgbImage) -> Result<Subject, CompositeError> {
        let found = match face::find(studio.models, photo)? {
            Seen::Nobody => return Err(Refusal::NoFace.into()),
            Seen::Several => return Err(Refusal::SeveralFaces.into()),
            Seen::Aside(aside) => return Ok(Subject::Badge(badge::portrait(photo, &aside.found))),
            Seen::One(guest) => guest,
        };
        let head = head::cut(studio.models, photo, &found.face)?;
        if head.facts.face_part < FACE_PART_MIN {
            return Ok(Subject::Badge(badge::portrait(photo, &found.found)));
        }
        let guest = Guest::new(look::drawn(&head), head.facts);
        let palette = Palette::of(&guest);
        Ok(Subject::Figure(Box::new(guest), palette))
    }

    fn draw(
        &self,
        studio: &Studio<'_>,
        template: &Template,
        slot: &Slot,
        language: Language,
    ) -> Result<Pixmap, RenderError> {
        match self {
            Subject::Figure(guest, palette) => {
                sticker::draw(guest, palette, studio.typeface, template, slot, language)
            }
            Subject::Badge(portrait) => badge::draw(studio.typeface, portrait, template, slot, language),
        }
    }
}
