//! What the person's mask has beside the head and is none of it: a door frame next to the cheek, a hand in the hair.

use super::classes::Classes;
use super::patch::{FACE_HEIGHT, PATCH, Patch};
use crate::face::points::TOP;
use crate::raster::blur::gaussian;
use crate::raster::shape::{grown, opened, parts};
use crate::raster::{Plane, percentile};

/// Nearer to the face's oval than this everything belongs to the head; up to the second distance, ears do.
const FACE_EDGE: f32 = 0.04 * FACE_HEIGHT;
const EARS: f32 = 0.16 * FACE_HEIGHT;
/// Less likely hair, and skin, than this is neither.
const NEITHER: f32 = 0.15;
/// More likely skin and less likely hair than this is a hand.
const HAND: (f32, f32) = (0.5, 0.3);
/// Things and hands narrower than twice this are left alone: glasses, earrings, gleams on hair.
const THING_PX: f32 = 4.2;
const HAND_PX: f32 = 7.0;
/// Smaller patches of skin are no hand but fur or pale strands of hair.
const HAND_MIN_PX: usize = 1200;

/// What was found.
pub(super) struct Strangers {
    /// 1 where something lies that is neither skin nor hair.
    pub things: Plane,
    /// How far from the middle of the face a hand begins, at the left and at the right.
    pub hands: [Option<f32>; 2],
}

impl Strangers {
    /// Looks beside the head, from the crown to the jaw.
    pub fn find(patch: &Patch, alpha: &Plane, classes: &Classes) -> Strangers {
        Strangers { things: things(patch, alpha, classes), hands: hands(patch, alpha, classes) }
    }
}

/// Pixels of the mask beside the head for which `f` holds (distance from the face, likely hair, likely skin).
fn beside(patch: &Patch, alpha: &Plane, classes: &Classes, f: impl Fn(f32, f32, f32) -> bool) -> Plane {
    let crown = patch.points[TOP][1] - 0.1 * FACE_HEIGHT;
    let mut out = Plane::new(PATCH, PATCH, 0.0);
    for (i, v) in out.d.iter_mut().enumerate() {
        let (x, y) = ((i % PATCH) as f32, (i / PATCH) as f32);
        let at_side = (x - patch.middle_x).abs() > 0.8 * patch.half_width && y > crown && y < patch.ear_y;
        let there = at_side && alpha.d[i] > 0.5 && patch.inside.d[i] > 0.5;
        if there && f(patch.from_face.d[i], classes.hair_side.d[i], classes.skin_side.d[i]) {
            *v = 1.0;
        }
    }
    out
}

fn things(patch: &Patch, alpha: &Plane, classes: &Classes) -> Plane {
    let neither = |far: f32, hair: f32, skin: f32| far > FACE_EDGE && hair < NEITHER && skin < NEITHER;
    gaussian(&grown(&opened(&beside(patch, alpha, classes, neither), THING_PX), 2.0), 1.4)
}

fn hands(patch: &Patch, alpha: &Plane, classes: &Classes) -> [Option<f32>; 2] {
    let is_hand = |far: f32, hair: f32, skin: f32| far > EARS && skin > HAND.0 && hair < HAND.1;
    let found = parts(&opened(&beside(patch, alpha, classes, is_hand), HAND_PX), true);
    let mut away: [Vec<f32>; 2] = [Vec::new(), Vec::new()];
    for (i, label) in found.label.iter().enumerate() {
        if *label != 0 && found.size[*label as usize] >= HAND_MIN_PX {
            let x = (i % PATCH) as f32 - patch.middle_x;
            away[usize::from(x >= 0.0)].push(x.abs());
        }
    }
    away.map(|mut side| percentile(&mut side, 0.03))
}

#[cfg(test)]
mod tests {
    use super::super::classes::tests::{HAIR, SHIRT, SKIN_RGB, WALL, guest_beside};
    use super::*;

    /// What is found of a thing of a colour beside the hair.
    fn found(thing: [f32; 3]) -> Strangers {
        let (patch, alpha) = guest_beside(thing);
        Strangers::find(&patch, &alpha, &Classes::learn(&patch, &alpha))
    }

    #[test]
    fn a_post_beside_the_head_is_a_stranger_and_hair_and_ears_are_not() {
        for thing in [WALL, SHIRT] {
            let things = found(thing).things;
            assert!(things.at(430, 300) > 0.9, "{thing:?}: {}", things.at(430, 300));
            for [x, y] in [[180, 300], [370, 300], [280, 300], [280, 180]] {
                assert!(things.at(x, y) < 0.1, "{thing:?} at {x}, {y}: {}", things.at(x, y));
            }
        }
        assert!(found(HAIR).things.at(430, 300) < 0.1);
    }

    #[test]
    fn a_hand_beside_the_head_is_found_on_its_side_where_it_begins() {
        let [left, right] = found(SKIN_RGB).hands;
        assert_eq!(left, None);
        // the hand begins 120 px from the middle; hair ends at 130
        assert!(right.is_some_and(|r| (115.0..140.0).contains(&r)), "{right:?}");
        assert_eq!(found(SHIRT).hands, [None; 2]);
        assert_eq!(found(HAIR).hands, [None; 2]);
    }
}
