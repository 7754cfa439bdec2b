//! What a guest drinks through: a vivid stripe from the lips over the chin reads as blood once it is drawn. It is painted over
//! with the colours at both of its sides.

use super::patch::FACE_HEIGHT;
use crate::face::points::CHIN;
use crate::raster::blur::gaussian;
use crate::raster::lab::{self, chroma};
use crate::raster::shape::{grown, parts};
use crate::raster::{Picture, Plane, median};

/// Middle of the lower lip's inner and outer edge, and the corners of the mouth.
const INNER_LIP: usize = 14;
const LOWER_LIP: usize = 17;
const CORNERS: [usize; 2] = [61, 291];
/// So much more colourful than the chin is no skin and no beard.
const VIVID: f32 = 20.0;
/// Wider parts of the chin than this are no straw.
const WIDE: f32 = 0.4;
const GROWN_PX: f32 = 3.5;
/// Shorter stripes than this, in heights of the face, are left alone.
const SHORT: f32 = 0.06;

/// Paints over what sticks in the mouth.
pub(super) fn without(mut rgb: Picture, alpha: &Plane, points: &[[f32; 2]]) -> Picture {
    let Some(stripe) = stripe(&rgb, points) else { return rgb };
    let stripe = grown(&stripe, GROWN_PX);
    let sides = bridged(&rgb, alpha, &stripe);
    let soft = gaussian(&stripe, 1.2);
    for (plane, filled) in rgb.0.iter_mut().zip(&sides.0) {
        let filled = gaussian(filled, 1.5);
        for (i, v) in plane.d.iter_mut().enumerate() {
            *v += (filled.d[i] - *v) * soft.d[i];
        }
    }
    rgb
}

/// The pixels of a stripe that begins at the lips and runs down the chin.
fn stripe(rgb: &Picture, points: &[[f32; 2]]) -> Option<Plane> {
    let (w, h) = (rgb.w(), rgb.h());
    let row = |y: f32| y.clamp(0.0, h as f32) as usize;
    let column = |x: f32| x.clamp(0.0, w as f32) as usize;
    let lip_y = points[LOWER_LIP][1];
    let (top, bottom) = (row(lip_y), row(points[CHIN][1] + 0.1 * FACE_HEIGHT));
    let (left, right) = (column(points[CORNERS[0]][0]), column(points[CORNERS[1]][0]));
    let chin: Vec<[f32; 3]> = (row(lip_y + 0.03 * FACE_HEIGHT)..row(points[CHIN][1]))
        .flat_map(|y| (left..right).map(move |x| y * w + x))
        .map(|i| lab::from_rgb(rgb.get(i)))
        .collect();
    let limit = chroma(median(&chin)?) + VIVID;
    let is_vivid = |x: usize, y: usize| chroma(lab::from_rgb(rgb.get(y * w + x))) > limit;
    let vivid = Plane::from_fn(w, h, |x, y| {
        let there = (top..bottom).contains(&y) && (left..right).contains(&x);
        f32::from(u8::from(there && is_vivid(x, y)))
    });
    let mut out = Plane::new(w, h, 0.0);
    for rows in runs(&vivid) {
        let narrow: Vec<&Run> =
            rows.iter().filter(|r| (r.columns.len() as f32) < WIDE * (right - left) as f32).collect();
        let begins_at_lips = rows.first().is_some_and(|r| (r.y as f32) < lip_y + 0.05 * FACE_HEIGHT);
        let long = narrow.len() as f32 > SHORT * FACE_HEIGHT && narrow.len() * 4 > rows.len() * 3;
        if !(begins_at_lips && long) {
            continue;
        }
        narrow.iter().for_each(|r| r.columns.iter().for_each(|x| out.d[r.y * w + x] = 1.0));
        // over the lip it goes on in the same columns
        for y in row(points[INNER_LIP][1])..top {
            let columns = narrow.first().map(|r| r.columns.as_slice()).unwrap_or_default();
            columns.iter().filter(|x| is_vivid(**x, y)).for_each(|x| out.d[y * w + x] = 1.0);
        }
    }
    out.d.iter().any(|v| *v > 0.5).then_some(out)
}

/// What a connected part has in one row.
struct Run {
    y: usize,
    columns: Vec<usize>,
}

/// The connected parts of a shape, row by row from the top.
fn runs(shape: &Plane) -> Vec<Vec<Run>> {
    let found = parts(shape, true);
    let mut out: Vec<Vec<Run>> = found.size.iter().map(|_| Vec::new()).collect();
    for (i, label) in found.label.iter().enumerate().filter(|(_, label)| **label != 0) {
        let (x, y) = (i % shape.w, i / shape.w);
        let rows = &mut out[*label as usize];
        match rows.last_mut().filter(|r| r.y == y) {
            Some(run) => run.columns.push(x),
            None => rows.push(Run { y, columns: vec![x] }),
        }
    }
    out
}

/// Every row of a stripe bridged from its left to its right side.
fn bridged(rgb: &Picture, alpha: &Plane, stripe: &Plane) -> Picture {
    let (w, h) = (rgb.w(), rgb.h());
    let mut out = rgb.clone();
    for y in 0..h {
        let mut x = 0;
        while x < w {
            if stripe.at(x, y) <= 0.5 {
                x += 1;
                continue;
            }
            let end = (x..w).find(|x| stripe.at(*x, y) <= 0.5).unwrap_or(w);
            let side = |x: usize| (x < w && alpha.at(x, y) > 0.5).then(|| rgb.get(y * w + x));
            let (left, right) = (x.checked_sub(1).and_then(side), side(end));
            let (Some(a), Some(b)) = (left.or(right), right.or(left)) else {
                x = end;
                continue;
            };
            for at in x..end {
                let t = (at - x + 1) as f32 / (end - x + 1) as f32;
                out.set(y * w + at, std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t));
            }
            x = end;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKIN: [f32; 3] = [0.85, 0.62, 0.50];
    const RED: [f32; 3] = [0.88, 0.12, 0.15];

    /// A face with something red on it, from the lower lip (y 100) to the chin (y 150), between two columns.
    fn chin(columns: std::ops::Range<usize>, colour: [f32; 3]) -> (Picture, Plane, Vec<[f32; 2]>) {
        let mut rgb = Picture::new(200, 200, SKIN);
        for y in 96..160 {
            columns.clone().for_each(|x| rgb.set(y * 200 + x, colour));
        }
        let mut points = vec![[100.0, 60.0]; 468];
        (points[INNER_LIP], points[LOWER_LIP], points[CHIN]) =
            ([100.0, 94.0], [100.0, 100.0], [100.0, 150.0]);
        (points[CORNERS[0]], points[CORNERS[1]]) = ([70.0, 96.0], [130.0, 96.0]);
        (rgb, Plane::new(200, 200, 1.0), points)
    }

    #[test]
    fn a_straw_gets_the_colour_of_the_skin_beside_it() {
        let (rgb, alpha, points) = chin(96..104, RED);
        let clean = without(rgb, &alpha, &points);
        for y in [98, 110, 130, 150] {
            let [r, g, b] = clean.get(y * 200 + 100);
            assert!(
                (r - SKIN[0]).abs() < 0.06 && (g - SKIN[1]).abs() < 0.06 && (b - SKIN[2]).abs() < 0.06,
                "{y}: {r} {g} {b}"
            );
        }
    }

    #[test]
    fn a_broad_thing_and_a_beard_stay() {
        for (columns, colour) in [(72..128, RED), (96..104, [0.25, 0.16, 0.10])] {
            let (rgb, alpha, points) = chin(columns, colour);
            assert_eq!(without(rgb.clone(), &alpha, &points), rgb);
        }
    }
}
