//! Person or background.

use super::patch::{PATCH, Patch};
use crate::RenderError;
use crate::face::{Models, SEGMENTATION_SIDE};
use crate::raster::Plane;
use crate::raster::filter::Guide;
use crate::raster::sample::{mirrored, resample};
use crate::raster::shape::{distance_within, parts};

const GUIDE_RADIUS: usize = 6;
const GUIDE_EPS: f32 = 1e-3;
/// This deep inside the mask everything is the person, this far outside nothing.
const INSIDE_PX: f32 = 4.2;
const OUTSIDE_PX: f32 = 5.6;
/// The mask is called unsure between these.
const UNSURE: (f32, f32) = (0.2, 0.8);

/// The person's mask.
pub(super) struct Person {
    /// With soft edges along those of the picture.
    pub alpha: Plane,
    /// As the network gave it.
    raw: Plane,
}

/// The mask of the patch and of its mirror image, then fitted to the picture's edges.
pub(super) fn person(models: &Models, patch: &Patch) -> Result<Person, RenderError> {
    let small = patch.rgb.each(|p| resample(p, SEGMENTATION_SIDE, SEGMENTATION_SIDE));
    let straight = models.mask(&small)?;
    let turned = mirrored(&models.mask(&small.each(mirrored))?);
    let raw = resample(&straight.zip(&turned, |a, b| (a + b) / 2.0), PATCH, PATCH);
    let soft = Guide::new(&patch.rgb, GUIDE_RADIUS).filter(&raw, GUIDE_EPS);
    let to_inside = distance_within(&raw, OUTSIDE_PX, |v| v > 0.5);
    let to_outside = distance_within(&raw, INSIDE_PX, |v| v <= 0.5);
    let mut alpha = soft;
    for (i, v) in alpha.d.iter_mut().enumerate() {
        let edge = if to_outside.d[i] > INSIDE_PX {
            1.0
        } else if to_inside.d[i] <= OUTSIDE_PX {
            *v
        } else {
            0.0
        };
        *v = ((edge - 0.15) / 0.7).clamp(0.0, 1.0);
    }
    fill_holes(&mut alpha);
    Ok(Person { alpha, raw })
}

/// Holes that touch no border belong to the person: the network leaves some in dark clothes.
fn fill_holes(alpha: &mut Plane) {
    let holes = parts(&alpha.map(|v| 1.0 - v), false);
    for (v, label) in alpha.d.iter_mut().zip(&holes.label) {
        if *label != 0 && !holes.at_border[*label as usize] {
            *v = 1.0;
        }
    }
}

impl Person {
    /// Of the pixels of a shape, the part about which the network was unsure.
    pub fn unsure_at(&self, shape: &Plane) -> f32 {
        let inside = self.raw.d.iter().zip(&shape.d).filter(|(_, a)| **a > 0.5);
        let (all, unsure) = inside.fold((0usize, 0usize), |(all, unsure), (v, _)| {
            (all + 1, unsure + usize::from(*v > UNSURE.0 && *v < UNSURE.1))
        });
        unsure as f32 / all.max(1) as f32
    }
}
