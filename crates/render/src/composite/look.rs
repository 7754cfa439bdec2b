//! The drawn look: the photo's head as if painted, in the one light and ink of the figures.
//!
//! Smoothing comes before lines (else pores become dirt), colour is never posterised (else patches on the cheeks). Dark
//! skin stays dark: exposure moves the skin's median only into a wide range.

use super::head::{FACE_HEIGHT, Head};
use crate::face::points::OVAL;
use crate::raster::blur::gaussian;
use crate::raster::filter::{bilateral, bilateral_plane, kuwahara};
use crate::raster::shape::polygon;
use crate::raster::{Picture, Plane, lab, percentile};

/// Exposure brings the skin's L between these.
const SKIN_L: (f32, f32) = (40.0, 78.0);
const GAMMA: (f32, f32) = (0.7, 1.25);
/// Part of the photo's own light on the face that is taken away.
const FLATTEN: f32 = 0.5;
const SATURATION: f32 = 1.22;
/// The painted share against the smooth one.
const PAINTED: f32 = 0.75;
/// Share of lightness in steps, and how large a step is.
const POSTERISED: f32 = 0.65;
const STEP_L: f32 = 10.0;
/// Strength and colour of the lines.
const LINES: f32 = 0.55;
const LINE_COLOUR: [f32; 3] = [0.20, 0.09, 0.12];

/// The head in the drawn look.
pub(crate) struct Portrait {
    /// Colours.
    pub rgb: Picture,
    /// 1 where the head is.
    pub alpha: Plane,
    /// Landmarks, in this picture.
    pub points: Vec<[f32; 2]>,
}

/// Draws the head.
pub(crate) fn drawn(head: &Head) -> Portrait {
    let (alpha, points) = (head.alpha.clone(), head.points.clone());
    let mut colours = lab::picture_from_rgb(&head.rgb);
    expose(&mut colours.0[0], head.facts.skin[0]);
    flatten_light(&mut colours.0[0], &points);
    enliven(&mut colours);
    let painted = paint(&lab::picture_to_rgb(&colours));
    Portrait { rgb: ink_lines(painted), alpha, points }
}

/// A whole picture in the same look, without a head cut out of it. Its middle is taken for the face.
pub(crate) fn scene(picture: &Picture) -> Picture {
    let mut colours = lab::picture_from_rgb(picture);
    let l = &mut colours.0[0];
    let (left, top) = (l.w * 2 / 5, l.h * 2 / 5);
    let mut middle: Vec<f32> =
        (top..l.h - top).flat_map(|y| l.row(y)[left..l.w - left].iter().copied()).collect();
    let light = percentile(&mut middle, 0.5).unwrap_or(SKIN_L.0);
    expose(l, light);
    enliven(&mut colours);
    ink_lines(paint(&lab::picture_to_rgb(&colours)))
}

fn expose(l: &mut Plane, skin: f32) {
    let target = skin.clamp(SKIN_L.0, SKIN_L.1);
    let gamma = ((target / 100.0).ln() / (skin.clamp(5.0, 99.0) / 100.0).ln()).clamp(GAMMA.0, GAMMA.1);
    if (gamma - 1.0).abs() > 1e-3 {
        l.d.iter_mut().for_each(|v| *v = 100.0 * (v.max(0.0) / 100.0).powf(gamma));
    }
}

/// Half of the photo's own light is taken from the face: the drawing has its own.
fn flatten_light(l: &mut Plane, points: &[[f32; 2]]) {
    let oval: Vec<[f32; 2]> = OVAL.iter().map(|i| points[*i]).collect();
    let face = polygon(l.w, l.h, &oval);
    let weight = gaussian(&face, 7.0);
    let sigma = FACE_HEIGHT * 0.16;
    let masked = l.zip(&face, |v, f| v * f);
    let (sum, count) = (masked.d.iter().sum::<f32>(), face.d.iter().sum::<f32>().max(1.0));
    let broad = gaussian(&masked, sigma).zip(&gaussian(&face, sigma), |v, f| v / (f + 1e-3));
    for (i, v) in l.d.iter_mut().enumerate() {
        *v -= weight.d[i] * FLATTEN * (broad.d[i] - sum / count);
    }
}

/// Contrast about the middle, deep shadows lifted, more colour, a little warmer.
fn enliven(colours: &mut Picture) {
    let [l, a, b] = &mut colours.0;
    for v in &mut l.d {
        let x = (*v / 100.0).clamp(0.0, 1.0);
        let x = x + 1.1 * x * (1.0 - x) * (x - 0.42);
        *v = (0.03 + 0.97 * x) * 100.0;
    }
    a.d.iter_mut().for_each(|v| *v *= SATURATION);
    b.d.iter_mut().for_each(|v| *v = *v * SATURATION + 1.5);
}

/// Even areas with clear edges.
fn paint(picture: &Picture) -> Picture {
    let smooth = bilateral(&bilateral(picture, 3, 0.09, 4.2), 3, 0.09, 4.2);
    let mut out = kuwahara(&smooth, 4);
    for (to, from) in out.0.iter_mut().zip(&smooth.0) {
        to.d.iter_mut()
            .zip(&from.d)
            .for_each(|(t, f)| *t = PAINTED * t.clamp(0.0, 1.0) + (1.0 - PAINTED) * f);
    }
    out
}

/// Soft steps of lightness and lines where it changes.
fn ink_lines(picture: Picture) -> Picture {
    let mut colours = lab::picture_from_rgb(&picture);
    for v in &mut colours.0[0].d {
        let level = (*v / STEP_L).round() * STEP_L;
        let stepped = level + STEP_L / 2.0 * ((*v - level) / STEP_L * 2.0 * 1.6).tanh();
        *v = (1.0 - POSTERISED) * *v + POSTERISED * stepped;
    }
    let light = bilateral_plane(&colours.0[0].map(|v| v / 100.0), 2, 0.08, 2.1);
    let difference = gaussian(&light, 0.91).zip(&gaussian(&light, 1.456), |a, b| a - 0.985 * b);
    let lines = difference.map(|d| if d > -0.004 { 0.0 } else { -(140.0 * (d + 0.004)).tanh() });
    let lines = gaussian(&lines, 0.56);
    let mut out = lab::picture_to_rgb(&colours);
    for (plane, ink) in out.0.iter_mut().zip(LINE_COLOUR) {
        plane.d.iter_mut().zip(&lines.d).for_each(|(v, line)| *v *= 1.0 - LINES * line * (1.0 - ink));
    }
    out
}
