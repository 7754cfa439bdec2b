//! A figure becomes a sticker: brought to size, captioned, outlined, encoded, as the composite does it.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use resvg::tiny_skia::Pixmap;

use super::Figure;
use crate::RenderError;
use crate::composite::{Drawing, Sticker, Typeface};
use crate::finish::{self, MARGIN, SIDE};
use crate::raster::sample::Affine;
use crate::template::{Language, Slot};

/// Size and greatest width of a caption, px.
const CAPTION_SIZE: f32 = 66.0;
const CAPTION_WIDTH: f32 = 400.0;
/// So much of a caption's height stands below the figure; the rest lies over it.
const BELOW: f32 = 0.45;

/// The sticker of a slot.
pub(crate) fn finish(
    figure: &Figure,
    typeface: &Typeface,
    slot: &Slot,
    language: Language,
) -> Result<Sticker, RenderError> {
    let words = slot.caption.get(language);
    let caption = match words.is_empty() {
        true => None,
        false => {
            Some(Drawing::new(&typeface.caption(words, &slot.pose.colour, CAPTION_SIZE, CAPTION_WIDTH))?)
        }
    };
    let bounds = caption.as_ref().and_then(Drawing::bounds);
    let below = bounds.map_or(0.0, |[_, top, _, bottom]| (bottom - top) * BELOW);
    let room = SIDE as f32 - 2.0 * MARGIN;
    let scale = (room / figure.width as f32).min((room - below) / figure.height as f32);
    let size = |length: u32| ((length as f32 * scale).round() as u32).clamp(1, SIDE);
    let (w, h) = (size(figure.width), size(figure.height));
    let top = ((SIDE as f32 - h as f32 - below) / 2.0).max(0.0);
    let mut canvas = canvas(&scaled(figure, w, h)?, (w, h), ((SIDE - w) / 2, top as u32))?;
    if let (Some(caption), Some([left, _, right, bottom])) = (caption, bounds) {
        let place = [SIDE as f32 / 2.0 - (left + right) / 2.0, top + h as f32 + below - bottom];
        caption.onto(&mut canvas, &Affine([1.0, 0.0, place[0], 0.0, 1.0, place[1]]));
    }
    let rgba = finish::outlined(&canvas);
    Ok(Sticker {
        slot: slot.id.clone(),
        emoji: slot.emoji.clone(),
        webp: finish::encode(&rgba)?,
        width: rgba.width(),
        height: rgba.height(),
        rgba,
    })
}

/// The figure in another size, still premultiplied.
fn scaled(figure: &Figure, w: u32, h: u32) -> Result<Vec<u8>, RenderError> {
    let failed = |what: &dyn std::fmt::Display| RenderError::Drawing(format!("figure: {what}"));
    let from =
        ImageRef::new(figure.width, figure.height, &figure.data, PixelType::U8x4).map_err(|e| failed(&e))?;
    let mut to = Image::new(w, h, PixelType::U8x4);
    let options =
        ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom)).use_alpha(false);
    Resizer::new().resize(&from, &mut to, &options).map_err(|e| failed(&e))?;
    let mut data = to.into_vec();
    for pixel in data.chunks_exact_mut(4) {
        // A sharp filter can leave more colour than alpha.
        let alpha = pixel[3];
        pixel[..3].iter_mut().for_each(|value| *value = (*value).min(alpha));
    }
    Ok(data)
}

fn canvas(data: &[u8], (w, h): (u32, u32), (left, top): (u32, u32)) -> Result<Pixmap, RenderError> {
    let mut canvas =
        Pixmap::new(SIDE, SIDE).ok_or_else(|| RenderError::Drawing(format!("no canvas of {SIDE} px")))?;
    let (stride, width) = (SIDE as usize * 4, w as usize * 4);
    let out = canvas.data_mut();
    for (y, row) in data.chunks_exact(width).take(h.min(SIDE - top) as usize).enumerate() {
        let at = (top as usize + y) * stride + left as usize * 4;
        out[at..at + width].copy_from_slice(row);
    }
    Ok(canvas)
}
