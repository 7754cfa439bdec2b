//! The outline: rounded where the photo ends, softened, and measured.

use super::patch::{FACE_HEIGHT, PATCH, Patch};
use crate::raster::blur::gaussian;
use crate::raster::shape::distance_within;
use crate::raster::{Plane, percentile};

/// From this many pixels of outline on the photo's border the head counts as cut by it.
const CUT_PX: usize = 42;
const EXPONENT: f32 = 2.6;

/// Rounds the head off where the photo cut it, and on the side of a hand in the hair where the hand begins (a round end looks
/// meant, a straight one broken); also answers how many pixels lay on the photo's border.
pub(super) fn rounded(patch: &Patch, mut head: Plane, hands: [Option<f32>; 2]) -> (Plane, usize) {
    let near_end = distance_within(&patch.inside, 3.0, |v| v < 0.5);
    let on_border = |i: usize| patch.inside.d[i] > 0.5 && (near_end.d[i] <= 3.0 || at_patch_edge(i));
    let cut: Vec<usize> = (0..PATCH * PATCH).filter(|i| head.d[*i] > 0.5 && on_border(*i)).collect();
    if cut.len() > CUT_PX {
        squeeze(patch, &mut head, &cut, [None; 2]);
    }
    if hands.iter().any(Option::is_some) {
        squeeze(patch, &mut head, &[], hands);
    }
    (gaussian(&head, 0.84), cut.len())
}

fn at_patch_edge(i: usize) -> bool {
    let (x, y) = (i % PATCH, i / PATCH);
    x < 2 || y < 2 || x + 2 >= PATCH || y + 2 >= PATCH
}

/// Multiplies by a superellipse about the nose's root that touches the cut, or reaches as far as it is told at a side (and
/// then changes that side only).
fn squeeze(patch: &Patch, head: &mut Plane, cut: &[usize], reach: [Option<f32>; 2]) {
    let inside: Vec<usize> = (0..PATCH * PATCH).filter(|i| head.d[*i] > 0.5).collect();
    let farthest = |sign: f32| {
        let mut far: Vec<f32> = inside.iter().map(|i| sign * ((i % PATCH) as f32 - patch.middle_x)).collect();
        percentile(&mut far, 0.998).unwrap_or(0.0) + 1.0
    };
    let both = reach.iter().all(Option::is_none);
    let radius = [(-1.0, reach[0]), (1.0, reach[1])]
        .map(|(sign, told)| told.unwrap_or_else(|| farthest(sign)).max(patch.half_width * 1.2));
    let above = (FACE_HEIGHT * 300.0 / 280.0) as usize;
    let mut heights: Vec<f32> = cut.iter().map(|i| (i / PATCH) as f32).collect();
    let top = if cut.iter().any(|i| i / PATCH < above) {
        percentile(&mut heights, 0.02)
    } else {
        inside.first().map(|i| (i / PATCH) as f32)
    };
    let centre_y = patch.points[168][1];
    let up = (centre_y - top.unwrap_or(0.0) + 2.0).max(patch.half_width);
    let down = (patch.chin_y + 0.45 * FACE_HEIGHT - centre_y).max(1.0);
    for i in inside {
        let (x, y) = ((i % PATCH) as f32 - patch.middle_x, (i / PATCH) as f32 - centre_y);
        let side = usize::from(x >= 0.0);
        if !both && reach[side].is_none() {
            continue;
        }
        let across = x.abs() / radius[side];
        let along = if y < 0.0 { -y / up } else { y / down };
        let far = (across.powf(EXPONENT) + along.powf(EXPONENT)).powf(1.0 / EXPONENT);
        head.d[i] *= ((1.0 - far) * 42.0 + 0.5).clamp(0.0, 1.0);
    }
}

/// Squared length of the outline over the area, 1 for a circle.
pub(super) fn raggedness(head: &Plane) -> f32 {
    let (mut area, mut length) = (0.0f32, 0.0f32);
    for y in 1..PATCH - 1 {
        for x in 1..PATCH - 1 {
            let i = y * PATCH + x;
            area += head.d[i];
            let (dx, dy) = (head.d[i + 1] - head.d[i - 1], head.d[i + PATCH] - head.d[i - PATCH]);
            length += 0.5 * dx.hypot(dy);
        }
    }
    length * length / (4.0 * std::f32::consts::PI * area.max(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::classes::tests::{HAIR, guest_beside};
    use super::*;

    #[test]
    fn hair_ends_round_where_a_hand_begins_and_the_other_side_stays() {
        let (mut patch, head) = guest_beside(HAIR);
        patch.points[168] = [280.0, 270.0];
        let (plain, _) = rounded(&patch, head.clone(), [None; 2]);
        let (cut, _) = rounded(&patch, head, [None, Some(100.0)]);
        assert!(plain.at(430, 300) > 0.9 && plain.at(390, 300) > 0.9);
        assert!(cut.at(390, 300) < 0.1, "{}", cut.at(390, 300));
        assert!(cut.at(370, 270) > 0.9, "{}", cut.at(370, 270));
        for [x, y] in [[160, 300], [200, 210], [280, 170]] {
            assert_eq!(cut.at(x, y), plain.at(x, y), "at {x}, {y}");
        }
    }
}
