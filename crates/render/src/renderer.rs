//! The one object that the rest of the program holds: networks and outfits, loaded once, shared by all workers.

use std::ops::ControlFlow;

use image::RgbaImage;

use crate::cells::{self, Cells, Figure, Grid, KeyColour, SheetProblem};
use crate::composite::{self, CompositeError, Sticker};
use crate::face::{self, FrameAnswer, Hint, Models, Seen};
use crate::photo::{self, Part, Refusal, SHORTER_SIDE_MIN_PX};
use crate::template::{Language, Templates};

/// Least side of a camera frame: below, nothing can be said.
const FRAME_SIDE_MIN_PX: u32 = 64;
/// Longest side of a photo that is kept, unless the face would become too coarse.
const KEPT_SIDE_MAX_PX: f32 = 2048.0;
/// Height that a face keeps when a photo is made smaller.
const KEPT_FACE_PX: f32 = 320.0;

/// What went wrong that is nobody's photo: a broken network file, a broken outfit.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A network does not load or run.
    #[error("model {name}: {cause}")]
    Model {
        /// Which network.
        name: &'static str,
        /// What the runtime says.
        cause: String,
    },
    /// A drawing cannot be read, though the check of the templates should have said so.
    #[error("drawing: {0}")]
    Drawing(String),
    /// The encoder refuses.
    #[error("encoder: {0}")]
    Encoder(String),
}

/// A photo that was accepted: upright JPEG without metadata.
#[derive(Clone, Debug)]
pub struct CheckedPhoto {
    /// The bytes to store.
    pub jpeg: Vec<u8>,
    /// Width in px.
    pub width: u32,
    /// Height in px.
    pub height: u32,
}

/// Networks and outfits. Share it by `Arc`; every call works on its caller's thread.
pub struct Renderer {
    models: Models,
    templates: Templates,
    typeface: composite::Typeface,
}

/// What to do about a face that looks aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profiles {
    Refused,
    Taken,
}

impl Renderer {
    /// Loads the networks (about 10 ms) and takes the outfits.
    pub fn new(templates: Templates) -> Result<Renderer, RenderError> {
        let typeface = composite::Typeface::new(&templates.font)?;
        Ok(Renderer { models: Models::load()?, templates, typeface })
    }

    /// The outfits.
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Checks an uploaded photo in the order of `interfaces.md` (type, HEIC, pixels, face) and answers it upright and
    /// without metadata. Large photos come back smaller, never below what the stickers need. Who does not look at the camera is
    /// [`Refusal::NoFace`]: the next photo is a second away and makes a better pack.
    pub fn check_photo(&self, bytes: &[u8]) -> Result<CheckedPhoto, Refusal> {
        self.check(bytes, Profiles::Refused)
    }

    /// As [`check_photo`](Self::check_photo), for a photo that nobody can take again: a face that looks aside is taken too, and has a
    /// round badge on its stickers (art direction, "difficult photos").
    pub fn check_old_photo(&self, bytes: &[u8]) -> Result<CheckedPhoto, Refusal> {
        self.check(bytes, Profiles::Taken)
    }

    fn check(&self, bytes: &[u8], profiles: Profiles) -> Result<CheckedPhoto, Refusal> {
        let rgb = photo::open(bytes, SHORTER_SIDE_MIN_PX)?;
        let (width, height) = rgb.dimensions();
        // a network that does not run cannot say that there is a face; loading it succeeded, so this does not happen
        let face_px = match face::find(&self.models, &rgb).map_err(|_| Refusal::NoFace)? {
            Seen::Several => return Err(Refusal::SeveralFaces),
            Seen::One(guest) => {
                if let Some(face_px) = face::too_small_for_upload(&guest, 1.0) {
                    return Err(Refusal::TooSmall { width, height, face_px: Some(face_px) });
                }
                guest.face.height()
            }
            Seen::Aside(aside) if profiles == Profiles::Taken && aside.is_served() => aside.found.size[1],
            Seen::Nobody | Seen::Aside(_) => return Err(Refusal::NoFace),
        };
        let scale = (KEPT_SIDE_MAX_PX / width.max(height) as f32).max(KEPT_FACE_PX / face_px).min(1.0);
        let kept = if scale < 1.0 {
            let side = |v: u32| (v as f32 * scale).round() as u32;
            photo::scaled(&rgb, Part::whole(&rgb), side(width), side(height))
        } else {
            rgb
        };
        Ok(CheckedPhoto { jpeg: photo::encode_jpeg(&kept)?, width: kept.width(), height: kept.height() })
    }

    /// Whether a photo like this camera frame would be accepted, and what to change; never fails, a frame that cannot be
    /// read shows no face.
    pub fn check_frame(&self, jpeg: &[u8]) -> FrameAnswer {
        let nothing = FrameAnswer { ok: false, hint: Some(Hint::NoFace) };
        let Ok(rgb) = photo::open(jpeg, FRAME_SIDE_MIN_PX) else { return nothing };
        face::frame_answer(&self.models, &rgb).unwrap_or(nothing)
    }

    /// Draws the stickers of an outfit from a photo that [`check_photo`](Self::check_photo) accepted, in the order of the
    /// outfit's slots. `on_sticker` hears of each as it is finished and may break off; that is answered as
    /// [`CompositeError::Cancelled`].
    pub fn composite(
        &self,
        photo: &[u8],
        template_id: &str,
        language: Language,
        on_sticker: &mut dyn FnMut(usize, &Sticker) -> ControlFlow<()>,
    ) -> Result<Vec<Sticker>, CompositeError> {
        let template = self.templates.get(template_id).ok_or(CompositeError::UnknownTemplate)?;
        let rgb = photo::open(photo, FRAME_SIDE_MIN_PX)?;
        let studio = composite::Studio { models: &self.models, typeface: &self.typeface };
        composite::pack(&studio, &rgb, template, language, on_sticker)
    }

    /// The figures of an outfit as an image provider should draw them: no caption, no outline, no shadow, straight alpha. The
    /// stand-ins of the providers draw with them.
    pub fn figures(&self, photo: &[u8], template_id: &str) -> Result<Vec<RgbaImage>, CompositeError> {
        let template = self.templates.get(template_id).ok_or(CompositeError::UnknownTemplate)?;
        let rgb = photo::open(photo, FRAME_SIDE_MIN_PX)?;
        composite::figures(
            &composite::Studio { models: &self.models, typeface: &self.typeface },
            &rgb,
            template,
        )
    }

    /// Cuts the first `figures` cells (by rows) out of a provider's sheet: figures without ground, or why a cell has none.
    pub fn cut_sheet(
        &self,
        sheet: &[u8],
        grid: Grid,
        key: KeyColour,
        figures: usize,
    ) -> Result<Cells, SheetProblem> {
        cells::cut(sheet, grid, key, figures)
    }

    /// Makes the sticker of a slot (by its place in the outfit) from a figure that was cut out.
    pub fn finish_figure(
        &self,
        figure: &Figure,
        template_id: &str,
        place: usize,
        language: Language,
    ) -> Result<Sticker, CompositeError> {
        let slot = self.templates.get(template_id).and_then(|template| template.slots.get(place));
        let slot = slot.ok_or(CompositeError::UnknownTemplate)?;
        Ok(cells::finish(figure, &self.typeface, slot, language)?)
    }

    /// The key colour that suits the guest of a photo.
    pub fn key_colour(&self, photo: &[u8]) -> Result<KeyColour, CompositeError> {
        Ok(cells::key_for(&photo::open(photo, FRAME_SIDE_MIN_PX)?))
    }
}
