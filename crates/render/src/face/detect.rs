//! The detector's output as boxes: anchors, scores, and one box for many.

use image::RgbImage;

use crate::RenderError;
use crate::photo::{Part, scaled};
use crate::raster::sample::mirrored;
use crate::raster::{Picture, Plane};

use super::models::{DETECTION_SIDE, Models};

const GRID: usize = 48;
/// Below this a face is not believed.
const SCORE_MIN: f32 = 0.5;
/// A second face must be more certain: one false face of 0.598 was seen.
const SECOND_SCORE_MIN: f32 = 0.6;
/// What further looks must say for a face that the first one did not show clearly.
pub(super) const SURE_SCORE_MIN: f32 = 0.6;
/// From this on, a place at which two further looks agree may hold a face.
const WEAK_SCORE_MIN: f32 = 0.4;
/// The look from further away has the photo in a frame this many times as large.
const FURTHER: f32 = 1.7;
const SAME_FACE_OVERLAP: f32 = 0.3;

/// A face as the detector sees it, in pixels of the photo.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// 0..1.
    pub score: f32,
    /// Centre of the box.
    pub centre: [f32; 2],
    /// Width and height of the box.
    pub size: [f32; 2],
    /// The eye at the left of the picture (the person's right one).
    pub left_eye: [f32; 2],
    /// The eye at the right of the picture.
    pub right_eye: [f32; 2],
}

/// Faces of a photo, most certain first.
pub(crate) fn detect(models: &Models, photo: &RgbImage) -> Result<Vec<Found>, RenderError> {
    look(models, photo, &Look { mirrored: false, room: 1.0 }, SCORE_MIN)
}

/// Where a face may be that the first look missed: the network sees a profile under a hat in the mirror image of the photo
/// or in a smaller copy, and not in the photo. Answers the places at which two of four looks agree.
pub(super) fn detect_again(models: &Models, photo: &RgbImage) -> Result<Vec<Found>, RenderError> {
    let mut seen = Vec::new();
    for (mirrored, room) in [(false, 1.0), (true, 1.0), (false, FURTHER), (true, FURTHER)] {
        seen.push(look(models, photo, &Look { mirrored, room }, WEAK_SCORE_MIN)?);
    }
    Ok(agreed(&seen))
}

/// Places that two looks have in common, most certain first, as certain as the second of the looks is: what is no face
/// hardly ever looks like one twice.
fn agreed(looks: &[Vec<Found>]) -> Vec<Found> {
    let mut out = Vec::new();
    for (n, own) in looks.iter().enumerate() {
        for found in own {
            let others = looks.iter().enumerate().filter(|(m, _)| *m != n).flat_map(|(_, look)| look);
            let same = others.filter(|other| overlap(found, other) > SAME_FACE_OVERLAP);
            if let Some(second) = same.map(|other| other.score).max_by(f32::total_cmp) {
                out.push((found.score, Found { score: found.score.min(second), ..*found }));
            }
        }
    }
    out.sort_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(b.total_cmp(a)));
    out.into_iter().map(|(_, found)| found).collect()
}

/// How the network is shown a photo.
struct Look {
    mirrored: bool,
    /// Side of the frame in longer sides of the photo, 1 or more.
    room: f32,
}

fn look(models: &Models, photo: &RgbImage, look: &Look, score_min: f32) -> Result<Vec<Found>, RenderError> {
    let (w, h) = (photo.width(), photo.height());
    let side = w.max(h) as f32 * look.room;
    let small = |length: u32| ((length as f32 * DETECTION_SIDE as f32 / side).round() as u32).max(1);
    let (small_w, small_h) = (small(w), small(h));
    let (left, top) = ((DETECTION_SIDE - small_w as usize) / 2, (DETECTION_SIDE - small_h as usize) / 2);
    let mut square = Picture::from_rgb(&scaled(photo, Part::whole(photo), small_w, small_h));
    if look.mirrored {
        square = square.each(mirrored);
    }
    let (regressors, scores) = models.faces(&square.each(|p| padded(p, left, top)))?;
    let (kx, ky) = (w as f32 / small_w as f32, h as f32 / small_h as f32);
    let n = DETECTION_SIDE as f32;
    let map = |p: [f32; 2]| {
        let x = (p[0] * n - left as f32) * kx;
        [if look.mirrored { w as f32 - x } else { x }, (p[1] * n - top as f32) * ky]
    };
    let mut all = decode(&regressors, &scores, score_min);
    for f in &mut all {
        let eyes = [map(f.left_eye), map(f.right_eye)];
        [f.left_eye, f.right_eye] = if look.mirrored { [eyes[1], eyes[0]] } else { eyes };
        f.centre = map(f.centre);
        f.size = [f.size[0] * n * kx, f.size[1] * n * ky];
    }
    Ok(merge(all))
}

/// The small picture inside black borders that make it square.
fn padded(p: &Plane, left: usize, top: usize) -> Plane {
    let mut out = Plane::new(DETECTION_SIDE, DETECTION_SIDE, 0.0);
    for y in 0..p.h {
        let at = (y + top) * DETECTION_SIDE + left;
        out.d[at..at + p.w].copy_from_slice(p.row(y));
    }
    out
}

/// Everything above a score, in fractions of the square.
fn decode(regressors: &[f32], scores: &[f32], score_min: f32) -> Vec<Found> {
    let n = DETECTION_SIDE as f32;
    let anchor = |i: usize| [(i % GRID) as f32, (i / GRID) as f32].map(|v| (v + 0.5) / GRID as f32);
    let certain = scores.iter().enumerate().map(|(i, s)| (i, 1.0 / (1.0 + (-s.clamp(-80.0, 80.0)).exp())));
    certain
        .filter(|(_, score)| *score >= score_min)
        .filter_map(|(i, score)| {
            let r = regressors.get(i * 16..i * 16 + 16)?;
            let a = anchor(i);
            let point = |k: usize| [a[0] + r[k] / n, a[1] + r[k + 1] / n];
            Some(Found {
                score,
                centre: point(0),
                size: [r[2] / n, r[3] / n],
                left_eye: point(4),
                right_eye: point(6),
            })
        })
        .collect()
}

/// Averages boxes that mean the same face, weighted by score.
fn merge(mut all: Vec<Found>) -> Vec<Found> {
    all.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut out: Vec<Found> = Vec::new();
    while let Some(best) = all.first().copied() {
        let (same, rest): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|f| overlap(&best, f) > SAME_FACE_OVERLAP);
        all = rest;
        let total: f32 = same.iter().map(|f| f.score).sum();
        let mean = |of: fn(&Found) -> [f32; 2]| {
            let sum =
                same.iter().fold([0.0; 2], |s, f| [s[0] + of(f)[0] * f.score, s[1] + of(f)[1] * f.score]);
            sum.map(|v| v / total)
        };
        let merged = Found {
            score: best.score,
            centre: mean(|f| f.centre),
            size: mean(|f| f.size),
            left_eye: mean(|f| f.left_eye),
            right_eye: mean(|f| f.right_eye),
        };
        if out.is_empty() || merged.score >= SECOND_SCORE_MIN {
            out.push(merged);
        }
        if same.is_empty() {
            break; // a box without area overlaps nothing, itself included
        }
    }
    out
}

fn overlap(a: &Found, b: &Found) -> f32 {
    let side = |i: usize| {
        let low = (a.centre[i] - a.size[i] / 2.0).max(b.centre[i] - b.size[i] / 2.0);
        let high = (a.centre[i] + a.size[i] / 2.0).min(b.centre[i] + b.size[i] / 2.0);
        (high - low).max(0.0)
    };
    let both = side(0) * side(1);
    both / (a.size[0] * a.size[1] + b.size[0] * b.size[1] - both).max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(score: f32, x: f32) -> Found {
        Found { score, centre: [x, 100.0], size: [80.0; 2], left_eye: [x; 2], right_eye: [x; 2] }
    }

    #[test]
    fn a_place_counts_when_two_looks_see_it_and_as_much_as_the_less_certain_of_them() {
        let looks =
            [vec![found(0.5, 100.0)], vec![found(0.8, 105.0)], vec![found(0.7, 95.0), found(0.9, 400.0)]];
        let got: Vec<(f32, f32)> = agreed(&looks).iter().map(|f| (f.score, f.centre[0])).collect();
        assert_eq!(got, [(0.7, 105.0), (0.7, 95.0), (0.5, 100.0)]);
    }

    #[test]
    fn what_one_look_alone_sees_is_nothing() {
        assert!(
            agreed(&[vec![found(0.9, 100.0), found(0.9, 102.0)], vec![], vec![found(0.9, 300.0)]]).is_empty()
        );
    }
}
