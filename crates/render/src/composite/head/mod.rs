//! The guest's head, cut out: a level, evenly scaled patch of the photo, what of it is head, and its colours.
//!
//! Numbers are in pixels of the patch (560 px, forehead to chin 196 px); they were settled by trying on many portraits.

mod border;
mod classes;
mod hair;
mod mask;
mod patch;
mod strangers;
mod straw;

pub(crate) use patch::FACE_HEIGHT;

use patch::Patch;

use image::RgbImage;

use crate::RenderError;
use crate::face::{Face, Models};
use crate::raster::filter::foreground;
use crate::raster::{Area, Picture, Plane};

/// Room left round the head.
const MARGIN_PX: usize = 16;

/// A cut-out head, cropped to its box, with what later steps want to know.
pub(crate) struct Head {
    /// Colours without the background that shone through.
    pub rgb: Picture,
    /// 1 where the head is.
    pub alpha: Plane,
    /// The landmarks, in these pictures.
    pub points: Vec<[f32; 2]>,
    /// What was measured on the way.
    pub facts: Facts,
}

/// Measured while cutting; colours are Lab.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Skin of cheeks and nose.
    pub skin: [f32; 3],
    /// Hair, or what covers it.
    pub hair: [f32; 3],
    /// What lies under the chin.
    pub under: [f32; 3],
    /// The neck is bare: hands and neck may have the skin's colour.
    pub bare_neck: bool,
    /// How much darker than the cheek the eyes are, with their surroundings: sunglasses are below -40.
    pub eye_light: f32,
    /// Pixels of the outline on the photo's border.
    pub border_px: usize,
    /// How raggedly the outline runs: its squared length over its area, as a multiple of a circle's.
    pub ragged: f32,
    /// How much of the face's oval the head covers.
    pub face_part: f32,
    /// Part of the outline's surroundings about which the mask was unsure.
    pub unsure: f32,
}

/// Cuts the head out of a photo.
pub(crate) fn cut(models: &Models, photo: &RgbImage, face: &Face) -> Result<Head, RenderError> {
    let patch = Patch::take(photo, face);
    let person = mask::person(models, &patch)?;
    let classes = classes::Classes::learn(&patch, &person.alpha);
    let strangers = strangers::Strangers::find(&patch, &person.alpha, &classes);
    let shape = hair::head(&patch, &person.alpha.zip(&strangers.things, |a, t| a * (1.0 - t)), &classes);
    let (alpha, border_px) = border::rounded(&patch, shape, strangers.hands);
    let facts = Facts {
        skin: classes.skin,
        hair: classes.hair,
        under: classes.under,
        bare_neck: classes.bare_neck,
        eye_light: classes.eye_light,
        border_px,
        ragged: border::raggedness(&alpha),
        unsure: person.unsure_at(&alpha),
        face_part: face_part(&patch.from_face, &alpha),
    };
    let area = around(&alpha);
    let rgb = foreground(&patch.rgb.each(|p| p.crop(area)), &person.alpha.crop(area), [31, 4]);
    let points: Vec<[f32; 2]> =
        patch.points.iter().map(|p| [p[0] - area.x as f32, p[1] - area.y as f32]).collect();
    let alpha = alpha.crop(area);
    Ok(Head { rgb: straw::without(rgb, &alpha, &points), alpha, points, facts })
}

/// How much of the face's oval is in the mask.
fn face_part(from_face: &Plane, alpha: &Plane) -> f32 {
    let face = from_face.d.iter().zip(&alpha.d).filter(|(far, _)| **far <= 0.0);
    let (all, covered) = face.fold((0.0f32, 0.0f32), |(all, covered), (_, a)| (all + 1.0, covered + a));
    covered / all.max(1.0)
}

/// The box of the head with a margin; all that is drawn later happens in it.
fn around(alpha: &Plane) -> Area {
    let rows: Vec<usize> = (0..alpha.h).filter(|y| alpha.row(*y).iter().any(|v| *v > 0.02)).collect();
    let columns: Vec<usize> = (0..alpha.w).filter(|x| (0..alpha.h).any(|y| alpha.at(*x, y) > 0.02)).collect();
    let range = |all: &[usize], n: usize| {
        let (a, b) = (all.first().copied().unwrap_or(0), all.last().copied().unwrap_or(n - 1));
        let low = a.saturating_sub(MARGIN_PX);
        (low, (b + MARGIN_PX + 1).min(n) - low)
    };
    let ((x, w), (y, h)) = (range(&columns, alpha.w), range(&rows, alpha.h));
    Area { x, y, w, h }
}

#[cfg(test)]
mod tests {
    use super::patch::PATCH;
    use super::*;

    #[test]
    fn a_mask_with_half_of_the_face_says_so() {
        let face = Area { x: 200, y: 200, w: 160, h: 200 };
        let inside = |x: usize, y: usize, right: usize| {
            (face.x..right).contains(&x) && (face.y..face.y + face.h).contains(&y)
        };
        let from_face = Plane::from_fn(PATCH, PATCH, |x, y| if inside(x, y, 360) { 0.0 } else { 9.0 });
        let mask = |right| Plane::from_fn(PATCH, PATCH, |x, y| if inside(x, y, right) { 1.0 } else { 0.0 });
        assert_eq!(face_part(&from_face, &mask(360)), 1.0);
        assert_eq!(face_part(&from_face, &mask(280)), 0.5);
        assert_eq!(face_part(&from_face, &Plane::new(PATCH, PATCH, 0.0)), 0.0);
    }
}
