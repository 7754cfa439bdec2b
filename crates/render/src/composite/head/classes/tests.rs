//! What counts as hair, on a painted guest: a face in an oval of hair, before a wall.

use super::*;
use crate::raster::shape::distance_to;

pub(crate) const WALL: [f32; 3] = [0.62, 0.66, 0.70];
pub(crate) const HAIR: [f32; 3] = [0.30, 0.18, 0.10];
pub(crate) const SKIN_RGB: [f32; 3] = [0.85, 0.62, 0.50];
pub(crate) const SHIRT: [f32; 3] = [0.75, 0.15, 0.18];
const MIDDLE: [f32; 2] = [280.0, 308.0];

fn in_oval(x: usize, y: usize, rx: f32, ry: f32) -> bool {
    ((x as f32 - MIDDLE[0]) / rx).hypot((y as f32 - MIDDLE[1]) / ry) < 1.0
}

/// The guest with something of a colour beside the hair, from the temple down, which the mask takes for the guest.
pub(crate) fn guest_beside(thing: [f32; 3]) -> (Patch, Plane) {
    let at_thing = |x: usize, y: usize| (400..460).contains(&x) && (255..460).contains(&y);
    let (mut rgb, mut alpha) = (Picture::new(PATCH, PATCH, WALL), Plane::new(PATCH, PATCH, 0.0));
    for y in 0..PATCH {
        for x in 0..PATCH {
            let colour = if in_oval(x, y, 75.0, 98.0) {
                SKIN_RGB
            } else if in_oval(x, y, 130.0, 150.0) {
                HAIR
            } else if at_thing(x, y) {
                thing
            } else if y > 440 && (120..440).contains(&x) {
                SHIRT
            } else {
                continue;
            };
            rgb.set(y * PATCH + x, colour);
            alpha.d[y * PATCH + x] = 1.0;
        }
    }
    let mut points = vec![MIDDLE; 468];
    (points[SIDES[0]], points[SIDES[1]], points[TOP]) = ([205.0, 308.0], [355.0, 308.0], [280.0, 210.0]);
    let face = Plane::from_fn(PATCH, PATCH, |x, y| if in_oval(x, y, 75.0, 98.0) { 1.0 } else { 0.0 });
    let patch = Patch {
        rgb,
        inside: Plane::new(PATCH, PATCH, 1.0),
        points,
        from_face: distance_to(&face, |v| v > 0.5),
        middle_x: MIDDLE[0],
        half_width: 75.0,
        chin_y: 406.0,
        ear_y: 340.0,
        temple_y: 260.0,
    };
    (patch, alpha)
}

#[test]
fn a_post_or_a_hand_beside_the_head_is_no_hair_although_the_mask_has_it() {
    for thing in [WALL, [0.95, 0.80, 0.70], SHIRT] {
        let (patch, alpha) = guest_beside(thing);
        let side = Classes::learn(&patch, &alpha).hair_side;
        assert!(side.at(430, 300) < 0.2, "{thing:?}: {}", side.at(430, 300));
        for [x, y] in [[180, 300], [385, 300], [280, 180]] {
            assert!(side.at(x, y) > 0.8, "hair beside {thing:?}: {} at {x}, {y}", side.at(x, y));
        }
    }
}

#[test]
fn hair_of_the_walls_colour_stays_hair() {
    let (mut patch, alpha) = guest_beside(HAIR);
    for (i, a) in alpha.d.iter().enumerate() {
        if *a < 0.5 {
            patch.rgb.set(i, HAIR);
        }
    }
    let side = Classes::learn(&patch, &alpha).hair_side;
    for [x, y] in [[180, 300], [385, 300], [430, 300]] {
        assert!(side.at(x, y) > 0.38, "{} at {x}, {y}", side.at(x, y));
    }
}
