//! Which part of the person is head: above the jaw line all of it, below only hair that hangs on the head, and beards.

use super::classes::Classes;
use super::patch::{FACE_HEIGHT, PATCH, Patch};
use crate::face::points::{JAW, SIDES};
use crate::raster::blur::gaussian;
use crate::raster::shape::{Parts, closed, distance_within, grown, opened, parts};
use crate::raster::{Plane, smoothstep};

/// What hangs on the head by less than twice this is cut off: ends of scarves, straps.
const BRIDGE_PX: f32 = 9.0;

/// The head's shape, 0..1, before its outline is rounded at the photo's border.
pub(super) fn head(patch: &Patch, alpha: &Plane, classes: &Classes) -> Plane {
    let jaw = Jaw::of(patch, classes.dark_beard);
    let up = Plane::from_fn(PATCH, PATCH, |x, y| {
        ((jaw.y[x] + 0.02 * FACE_HEIGHT - y as f32) / (0.03 * FACE_HEIGHT) + 0.5).clamp(0.0, 1.0)
    });
    let beside = beside_the_face(patch, alpha, classes);
    let hair = hair_below(patch, alpha, classes, &jaw, &up, &beside);
    let beard = beard_below(patch, alpha, classes, &jaw, &up);
    let low = lower_part(&jaw, &hair.zip(&beard, f32::max));
    let mut keep = beside.zip(&up, |a, u| a * u);
    for (i, v) in keep.d.iter_mut().enumerate() {
        *v = v.max(alpha.d[i] * ((low.d[i] - 0.3) / 0.4).clamp(0.0, 1.0));
    }
    with_the_nose(patch, keep)
}

/// The line that the lower half of the face's oval draws, for every column.
struct Jaw {
    y: Vec<f32>,
    left_end: f32,
    right_end: f32,
}

impl Jaw {
    fn of(patch: &Patch, dark_beard: bool) -> Jaw {
        let mut curve: Vec<[f32; 2]> = JAW.iter().map(|i| patch.points[*i]).collect();
        curve.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let (left_end, right_end) = (curve[0][0], curve[curve.len() - 1][0]);
        let mut line = Plane::from_fn(PATCH, 1, |x, _| {
            let x = x as f32;
            if x < left_end {
                patch.points[132][1] + 0.02 * FACE_HEIGHT
            } else if x > right_end {
                patch.points[361][1] + 0.02 * FACE_HEIGHT
            } else {
                between(&curve, x)
            }
        });
        line = gaussian(&line, 4.2);
        if dark_beard {
            for (x, v) in line.d.iter_mut().enumerate() {
                let t = (x as f32 - patch.middle_x) / (0.8 * patch.half_width);
                *v += 0.065 * FACE_HEIGHT * (1.0 - t * t).max(0.0);
            }
        }
        Jaw { y: line.d, left_end, right_end }
    }
}

fn between(curve: &[[f32; 2]], x: f32) -> f32 {
    let i = curve.partition_point(|p| p[0] <= x).clamp(1, curve.len() - 1);
    let (a, b) = (curve[i - 1], curve[i]);
    let t = ((x - a[0]) / (b[0] - a[0]).max(1e-6)).clamp(0.0, 1.0);
    a[1] + (b[1] - a[1]) * t
}

/// The mask without arms, hands and jackets beside the face: what lies there below the temple must look like hair and hang
/// on the hair above.
fn beside_the_face(patch: &Patch, alpha: &Plane, classes: &Classes) -> Plane {
    let apart = |i: usize| patch.from_face.d[i] > 0.16 * FACE_HEIGHT && (i / PATCH) as f32 > patch.temple_y;
    let mut hair = Plane::new(PATCH, PATCH, 0.0);
    for (i, v) in hair.d.iter_mut().enumerate() {
        *v = flag(apart(i) && alpha.d[i] > 0.5 && classes.hair_side.d[i] > 0.38);
    }
    let mut hair = opened(&hair, 4.2);
    let found = parts(&hair, true);
    let hangs = touching(&found, &hair, |i| ((i / PATCH) as f32 - patch.temple_y).abs() < 5.6);
    keep_parts(&mut hair, &found, &hangs);
    let soft = gaussian(&grown(&closed(&hair, 7.0), 1.5), 1.4);
    let mut out = alpha.clone();
    for (i, v) in out.d.iter_mut().enumerate() {
        if apart(i) {
            *v *= soft.d[i];
        }
    }
    out
}

/// Hair below the jaw line, inside a bowl that makes a round bob of every long hair, and only where it is connected to hair
/// at the ears whose column is hair from the temple down: dark suits and raised shoulders are not.
fn hair_below(
    patch: &Patch,
    alpha: &Plane,
    classes: &Classes,
    jaw: &Jaw,
    up: &Plane,
    beside: &Plane,
) -> Plane {
    let seed = seeds(patch, alpha, classes, jaw, beside);
    let bottom = patch.chin_y + 0.42 * FACE_HEIGHT - patch.ear_y;
    let mut hair = Plane::new(PATCH, PATCH, 0.0);
    for (i, v) in hair.d.iter_mut().enumerate() {
        let (x, y) = ((i % PATCH) as f32, (i / PATCH) as f32);
        let across = (x - patch.middle_x) / (patch.half_width * 2.15);
        let far = across.hypot((y - patch.ear_y).max(0.0) / bottom);
        let bowl = 1.0 - smoothstep(0.93, 1.0, far);
        *v = flag(classes.hair_low.d[i] > 0.5 && alpha.d[i] > 0.5 && bowl > 0.5 && up.d[i] < 0.5);
    }
    let mut hair = opened(&hair, 2.8);
    let mut joined = hair.clone();
    for (i, v) in joined.d.iter_mut().enumerate() {
        *v = v.max(flag(seed[i] && up.d[i] < 0.5));
    }
    let found = parts(&joined, true);
    let mut counts = vec![0usize; found.size.len()];
    for (i, s) in seed.iter().enumerate() {
        counts[found.label[i] as usize] += usize::from(*s);
    }
    let mut hangs = touching(&found, &hair, |i| seed[i]);
    for (id, keep) in hangs.iter_mut().enumerate() {
        *keep &= counts[id] as f32 > (0.04 * FACE_HEIGHT) * (0.05 * FACE_HEIGHT);
    }
    keep_parts(&mut hair, &found, &hangs);
    hair
}

/// Where hair beside the face reaches the jaw line.
fn seeds(patch: &Patch, alpha: &Plane, classes: &Classes, jaw: &Jaw, beside: &Plane) -> Vec<bool> {
    let ear_row =
        ((patch.points[SIDES[0]][1] + patch.points[SIDES[1]][1]) / 2.0).clamp(0.0, (PATCH - 1) as f32);
    let wide = |list: Vec<bool>, by: usize| -> Vec<bool> {
        (0..PATCH).map(|x| list[x.saturating_sub(by)..(x + by + 1).min(PATCH)].iter().any(|v| *v)).collect()
    };
    let at_ear = wide((0..PATCH).map(|x| alpha.at(x, ear_row as usize) > 0.5).collect(), 3);
    let column = |x: usize| {
        let rows = patch.temple_y.max(0.0) as usize + 1..(jaw.y[x].max(0.0) as usize).min(PATCH);
        let all = rows.len().max(1);
        let hair = rows.filter(|y| classes.hair_side.at(x, *y) > 0.38 && alpha.at(x, *y) > 0.5).count();
        hair as f32 > 0.55 * all as f32
    };
    let hairy = wide((0..PATCH).map(column).collect(), 2);
    let mut out = vec![false; PATCH * PATCH];
    for x in 0..PATCH {
        let aside = (x as f32) < jaw.left_end + 5.6 || x as f32 > jaw.right_end - 5.6;
        if !(aside && at_ear[x] && hairy[x]) {
            continue;
        }
        let half = 0.04 * FACE_HEIGHT;
        for y in (jaw.y[x] - half).max(0.0) as usize..((jaw.y[x] + half) as usize + 1).min(PATCH) {
            out[y * PATCH + x] = (y as f32 - jaw.y[x]).abs() < half && beside.at(x, y) > 0.5;
        }
    }
    out
}

/// A light beard below the jaw line; a short piece of it when the clothes have its colour.
fn beard_below(patch: &Patch, alpha: &Plane, classes: &Classes, jaw: &Jaw, up: &Plane) -> Plane {
    let mut beard = Plane::new(PATCH, PATCH, 0.0);
    let Some(likely) = &classes.beard else { return beard };
    for (i, v) in beard.d.iter_mut().enumerate() {
        let (x, y) = ((i % PATCH) as f32, (i / PATCH) as f32);
        let near =
            (x - patch.middle_x).abs() < 0.8 * patch.half_width && y < patch.chin_y + 0.5 * FACE_HEIGHT;
        *v = flag(near && likely.d[i] > 0.5 && alpha.d[i] > 0.5 && up.d[i] < 0.6);
    }
    let mut beard = opened(&beard, 2.8);
    let found = parts(&beard, true);
    let hangs = touching(&found, &beard, |i| {
        let (x, y) = (i % PATCH, (i / PATCH) as f32);
        (y - jaw.y[x]).abs() < 0.05 * FACE_HEIGHT
            && (x as f32 - patch.middle_x).abs() < 0.5 * patch.half_width
    });
    keep_parts(&mut beard, &found, &hangs);
    if classes.clothes_like_beard {
        let end = (patch.chin_y + 0.14 * FACE_HEIGHT).max(0.0) as usize;
        beard.d[end.min(PATCH) * PATCH..].fill(0.0);
    }
    beard
}

/// Hair and beard below the line with a soft seam to what is above it.
fn lower_part(jaw: &Jaw, low: &Plane) -> Plane {
    let mut out = grown(low, 5.6);
    for (i, v) in out.d.iter_mut().enumerate() {
        let at_line = ((i / PATCH) as f32) < jaw.y[i % PATCH] + 0.08 * FACE_HEIGHT;
        if !at_line && low.d[i] < 0.5 {
            *v = 0.0;
        }
    }
    gaussian(&out, 1.75)
}

/// The connected part with the nose, without thin bridges and small holes.
fn with_the_nose(patch: &Patch, mut keep: Plane) -> Plane {
    let solid = opened(&keep.map(|v| flag(v > 0.5)), BRIDGE_PX);
    let found = parts(&solid, true);
    let nose = patch.points[1].map(|v| v.clamp(0.0, (PATCH - 1) as f32) as usize);
    let own = found.label[nose[1] * PATCH + nose[0]];
    let mut head =
        Plane { w: PATCH, h: PATCH, d: found.label.iter().map(|l| flag(*l == own && own != 0)).collect() };
    let holes = parts(&head.map(|v| 1.0 - v), false);
    for (v, label) in head.d.iter_mut().zip(&holes.label) {
        if *label != 0 && holes.size[*label as usize] < 1225 {
            *v = 1.0;
        }
    }
    let reach = distance_within(&head, 1.5, |v| v > 0.5);
    for (i, v) in keep.d.iter_mut().enumerate() {
        if head.d[i] > 0.5 && *v < 0.5 && solid.d[i] < 0.5 {
            *v = 1.0;
        }
        *v *= flag(reach.d[i] <= 1.5 && patch.inside.d[i] > 0.5);
    }
    keep
}

fn flag(yes: bool) -> f32 {
    if yes { 1.0 } else { 0.0 }
}

/// Which parts have a pixel of `shape` at which `f` holds.
fn touching(found: &Parts, shape: &Plane, f: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut out = vec![false; found.size.len()];
    for (i, label) in found.label.iter().enumerate() {
        if *label != 0 && shape.d[i] > 0.5 && f(i) {
            out[*label as usize] = true;
        }
    }
    out
}

fn keep_parts(shape: &mut Plane, found: &Parts, keep: &[bool]) {
    for (v, label) in shape.d.iter_mut().zip(&found.label) {
        if *label == 0 || !keep[*label as usize] {
            *v = 0.0;
        }
    }
}
