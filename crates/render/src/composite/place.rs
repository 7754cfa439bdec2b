//! Where the head goes on the figure, and what surrounds it there: dome, hat.

use super::draw::Drawing;
use super::guest::{Guest, bounds};
use super::head::FACE_HEIGHT;
use super::hood::{self, Hood};
use super::warp::Warp;
use crate::RenderError;
use crate::face::points::{CHIN, TOP};
use crate::raster::sample::Affine;
use crate::template::{Outfit, Slot};

/// The chin stands here, from the base of the neck.
const CHIN_AT: [f32; 2] = [0.0, -8.0];
/// This much of the chin lies below that point, in px of the portrait.
const CHIN_OVERLAP_PX: f32 = 7.0;
/// The ink round the head, in px of the portrait.
pub(crate) const CONTOUR_PX: f32 = 5.25;
const DOME_RADIUS_MIN: f32 = 108.0;
/// The hat's base stands this far up from the forehead to the top of the hair.
const HAT_RISE: f32 = 0.46;
const HAT_TURN_DEGREES: f32 = -3.0;
/// Hair higher than this (in heights of the face) takes no hat.
const HAT_HAIR_MAX: f32 = 0.75;

/// The head's place, in figure px.
pub(crate) struct Place {
    /// Portrait px to figure px.
    pub map: Affine,
    /// The head with its contour: left, top, right, bottom.
    pub head: [f32; 4],
    /// The dome's centre and radius.
    pub dome: Option<[f32; 3]>,
    /// Head, dome and hat together: what effects keep clear of.
    pub surround: [f32; 4],
    /// The hood that hides a bad outline.
    pub hood: Option<Hood>,
    hat: String,
}

impl Place {
    /// Places the head of a guest for a slot.
    pub fn new(
        guest: &Guest,
        outfit: &Outfit,
        slot: &Slot,
        warp: &Warp,
        hat: &str,
    ) -> Result<Place, RenderError> {
        let points = &guest.portrait.points;
        let chin = points[CHIN];
        let pivot = [(guest.middle_x() + chin[0]) / 2.0, chin[1] - CHIN_OVERLAP_PX];
        let map = Affine::turn_scale(slot.pose.tilt.to_radians(), guest.scale).bringing(pivot, CHIN_AT);
        let mut around: Vec<[f32; 2]> = guest.outline.iter().map(|p| map.apply(*p)).collect();
        around.push(map.apply(warp.points[CHIN]));
        let b = bounds(&around);
        let ink = CONTOUR_PX * guest.scale;
        let head = [b[0] - ink, b[1] - ink, b[2] + ink, b[3] + ink];
        let dome = outfit.dome.then(|| {
            let r = ((head[2] - head[0]) / 2.0 * 0.98)
                .max((head[3].min(12.0) - head[1]) / 2.0 * 1.10)
                .max(DOME_RADIUS_MIN);
            [(head[0] + head[2]) / 2.0, ((head[1] + head[3]) / 2.0).min(18.0 - r * 0.93), r]
        });
        let mut place = Place { map, head, dome, hood: None, surround: head, hat: String::new() };
        if let Some([x, y, r]) = dome {
            let r = r + 5.0;
            place.include([x - r, y - r, x + r, y + r]);
        }
        if hood::wanted(outfit, &guest.facts) {
            let hood = Hood::round(guest, &place.map);
            let edge: Vec<[f32; 2]> = hood.edge().into_iter().map(|p| place.map.apply(p)).collect();
            (place.head, place.hood) = (bounds(&edge), Some(hood));
            place.surround = place.head;
        } else if !hat.is_empty() && !guest.covered && guest.hair_top < HAT_HAIR_MAX {
            place.put_hat(guest, hat)?;
        }
        Ok(place)
    }

    /// A head of the usual size without a guest, for checks.
    pub fn sample(slot: &Slot) -> Place {
        let head = [-72.0, -188.0, 72.0, -4.0];
        let map = Affine::turn_scale(slot.pose.tilt.to_radians(), 1.0);
        Place { map, ..Place::around(head) }
    }

    /// Something else than a head in the place of one, for what is drawn round it.
    pub fn around(head: [f32; 4]) -> Place {
        let map = Affine::turn_scale(0.0, 1.0);
        Place { map, head, dome: None, hood: None, surround: head, hat: String::new() }
    }

    fn include(&mut self, b: [f32; 4]) {
        let s = &mut self.surround;
        *s = [s[0].min(b[0]), s[1].min(b[1]), s[2].max(b[2]), s[3].max(b[3])];
    }

    /// The hat's frame: 100 units are the face's width, high enough to cover the top of the hair.
    fn put_hat(&mut self, guest: &Guest, hat: &str) -> Result<(), RenderError> {
        let points = &guest.portrait.points;
        let rise = guest.hair_top * FACE_HEIGHT;
        let (top, base) = (points[TOP][1] - rise, points[TOP][1] - HAT_RISE * rise);
        let x = points[TOP][0] * 0.6 + guest.middle_x() * 0.4;
        let wide = guest.face_width() * 1.06 / 100.0;
        let high = (guest.face_width() * 0.98 / 100.0).max((base - top + 8.4) / 46.0);
        self.hat = format!(
            r#"<g transform="{} translate({x:.1},{base:.1}) rotate({HAT_TURN_DEGREES}) scale({wide:.3},{high:.3})">{hat}</g>"#,
            self.map.svg()
        );
        if let Some(b) = Drawing::new(&self.hat)?.bounds() {
            self.include(b);
        }
        Ok(())
    }

    /// The hat in its place; empty when there is none or the guest wears something already.
    pub fn hat(&self) -> &str {
        &self.hat
    }
}
