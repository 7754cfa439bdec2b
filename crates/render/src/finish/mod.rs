//! What makes a drawing a sticker: the white outline, the soft shadow, the file.

mod webp;

pub(crate) use webp::encode;

use image::RgbaImage;
use resvg::tiny_skia::Pixmap;

use crate::raster::Plane;
use crate::raster::blur::gaussian;
use crate::raster::sample::{halved, resample};
use crate::raster::shape::distance_within;

/// Side of a sticker.
pub(crate) const SIDE: u32 = 512;
/// What stays free round the drawing for outline and shadow.
pub(crate) const MARGIN: f32 = 15.0;
/// Width of the white outline.
const OUTLINE_PX: f32 = 9.0;
/// From this alpha on a pixel gets an outline.
const SOLID: f32 = 0.35;
const SHADOW: [f32; 3] = [26.0, 15.0, 41.0];
const SHADOW_DOWN: usize = 4;
const SHADOW_BLUR: f32 = 4.0;
const SHADOW_PART: f32 = 0.34;
/// Over this many pixels at the frame the shadow fades away.
const FADE_PX: f32 = 8.0;

/// White outline and shadow round a drawing (premultiplied in, straight out).
///
/// Closing small gaps first would change nothing: growing by a disc undoes the shrinking half of a closing by the same
/// disc.
pub(crate) fn outlined(drawing: &Pixmap) -> RgbaImage {
    let (w, h) = (drawing.width() as usize, drawing.height() as usize);
    let alpha = Plane { w, h, d: drawing.data().chunks_exact(4).map(|p| f32::from(p[3]) / 255.0).collect() };
    let near =
        distance_within(&alpha, OUTLINE_PX, |v| v > SOLID).map(|d| if d <= OUTLINE_PX { 1.0 } else { 0.0 });
    let white = gaussian(&near, 2.0).map(|v| ((v - 0.5) * 2.2 + 0.5).clamp(0.0, 1.0));
    let soft = gaussian(&halved(&lowered(&white, SHADOW_DOWN)), SHADOW_BLUR / 2.0);
    let shadow = faded(resample(&soft, w, h));
    let mut out = RgbaImage::new(drawing.width(), drawing.height());
    let pixels = out.pixels_mut().zip(drawing.data().chunks_exact(4));
    for ((pixel, from), (white, shadow)) in pixels.zip(white.d.iter().zip(&shadow.d)) {
        let under = shadow * SHADOW_PART;
        let over = f32::from(from[3]) / 255.0;
        // white over shadow, then the drawing over both
        let base = white + under * (1.0 - white);
        let alpha = over + base * (1.0 - over);
        if alpha <= 0.0 {
            continue;
        }
        for c in 0..3 {
            let below = white * 255.0 + SHADOW[c] * under * (1.0 - white);
            pixel[c] = ((f32::from(from[c]) + below * (1.0 - over)) / alpha + 0.5).min(255.0) as u8;
        }
        pixel[3] = (alpha * 255.0 + 0.5) as u8;
    }
    out
}

/// A drawing as it is: premultiplied in, straight out.
pub(crate) fn straight(drawing: &Pixmap) -> RgbaImage {
    let mut out = RgbaImage::new(drawing.width(), drawing.height());
    for (pixel, from) in out.pixels_mut().zip(drawing.pixels()) {
        let colour = from.demultiply();
        pixel.0 = [colour.red(), colour.green(), colour.blue(), colour.alpha()];
    }
    out
}

/// The shadow ends softly inside the frame: cut off there it would show as a line.
fn faded(mut shadow: Plane) -> Plane {
    let (w, h) = (shadow.w, shadow.h);
    let near = FADE_PX as usize;
    for y in 0..h {
        let down = y.min(h - 1 - y);
        for x in 0..w {
            if down >= near && x >= near && x + near < w {
                continue;
            }
            let edge = down.min(x).min(w - 1 - x) as f32;
            shadow.d[y * w + x] *= (edge / FADE_PX).min(1.0);
        }
    }
    shadow
}

fn lowered(p: &Plane, by: usize) -> Plane {
    let mut out = Plane::new(p.w, p.h, 0.0);
    out.d[by * p.w..].copy_from_slice(&p.d[..(p.h - by) * p.w]);
    out
}
