//! The guest as a drawing: colours for hands and neck, how large the head is drawn, whether a hat fits.

use super::draw::hex_lab;
use super::head::{FACE_HEIGHT, Facts};
use super::look::Portrait;
use crate::face::points::{CHIN, SIDES, TOP};
use crate::raster::lab::{self, chroma};
use crate::raster::shape::disc;
use crate::raster::{median, percentile};

/// Height of a face in figure px, and the largest head.
const FACE_FIGURE_PX: f32 = 184.0;
const HEAD_WIDTH_MAX: f32 = 306.0;
const HEAD_HEIGHT_MAX: f32 = 272.0;
const SKIN_DISC_PX: f32 = 6.3;
/// Hands have the lightness below which this part of the face's places is; faces lighter than the second number need no such
/// help.
const LIT_PART: f32 = 0.65;
const LIT_L_MAX: f32 = 74.0;
const LIT_MORE_L: f32 = 7.0;

/// What the figure needs to know about its guest.
pub(crate) struct Guest {
    /// The head in the drawn look.
    pub portrait: Portrait,
    /// What was measured.
    pub facts: Facts,
    /// Skin of the hands and the neck, its lines and shade.
    pub skin: String,
    pub skin_line: String,
    pub skin_shade: String,
    /// The neck, which may be a scarf's.
    pub neck: String,
    pub neck_shade: String,
    /// Figure px for one px of the portrait.
    pub scale: f32,
    /// How far the hair rises above the forehead, in heights of the face.
    pub hair_top: f32,
    /// The guest wears something on the head already.
    pub covered: bool,
    /// Outline of the head: pixels with a neighbour outside.
    pub outline: Vec<[f32; 2]>,
}

impl Guest {
    /// Measures a portrait.
    pub fn new(portrait: Portrait, facts: Facts) -> Guest {
        let skin = skin_of(&portrait);
        let (neck, neck_shade) = if facts.bare_neck {
            (hex_lab(skin), shade_of(skin))
        } else {
            let u = facts.under;
            (hex_lab(u), hex_lab([u[0] * 0.78, u[1], u[2]]))
        };
        let outline = outline(&portrait);
        let bounds = bounds(&outline);
        let points = &portrait.points;
        let k = FACE_FIGURE_PX / FACE_HEIGHT;
        let (width, height) = ((bounds[2] - bounds[0]) * k, (points[CHIN][1] - bounds[1]) * k);
        let scale = k * (HEAD_WIDTH_MAX / width).min(HEAD_HEIGHT_MAX / height).min(1.0);
        let hair_top = (points[TOP][1] - bounds[1]) / FACE_HEIGHT;
        let covered = covered(&outline, &portrait, &facts, hair_top);
        Guest {
            skin: hex_lab(skin),
            skin_line: hex_lab([skin[0] * 0.62, skin[1] * 1.15, skin[2] * 1.1]),
            skin_shade: shade_of(skin),
            neck,
            neck_shade,
            scale,
            hair_top,
            covered,
            outline,
            portrait,
            facts,
        }
    }

    /// Middle of the face across, in the portrait.
    pub fn middle_x(&self) -> f32 {
        (self.portrait.points[SIDES[0]][0] + self.portrait.points[SIDES[1]][0]) / 2.0
    }

    /// Width of the face.
    pub fn face_width(&self) -> f32 {
        let [a, b] = SIDES.map(|i| self.portrait.points[i]);
        (b[0] - a[0]).hypot(b[1] - a[1])
    }
}

fn shade_of(skin: [f32; 3]) -> String {
    hex_lab([skin[0] * 0.78, skin[1] * 1.1 + 3.0, skin[2]])
}

/// Median of forehead, nose and the nearer cheek without the darkest fifth, kept within what skin can be: shadowed or
/// sunburnt faces would get grey hands otherwise.
fn skin_of(portrait: &Portrait) -> [f32; 3] {
    let points = &portrait.points;
    let nose = points[1][0];
    let (left, right) = (nose - points[SIDES[0]][0], points[SIDES[1]][0] - nose);
    let mut places = vec![6, 195, 151];
    if left > 0.45 * right {
        places.extend([117, 118, 50, 101]);
    }
    if right > 0.45 * left {
        places.extend([346, 347, 280, 330]);
    }
    let mut colours = Vec::new();
    for place in places {
        disc(portrait.alpha.w, portrait.alpha.h, points[place], SKIN_DISC_PX, |i| {
            colours.push(lab::from_rgb(portrait.rgb.get(i)));
        });
    }
    let mut light: Vec<f32> = colours.iter().map(|c| c[0]).collect();
    let dark = percentile(&mut light, 0.2).unwrap_or(0.0);
    colours.retain(|c| c[0] >= dark);
    let skin = median(&colours).unwrap_or([65.0, 16.0, 20.0]);
    let mut light: Vec<f32> = colours.iter().map(|c| c[0]).collect();
    let lit = percentile(&mut light, LIT_PART).unwrap_or(skin[0]);
    let l = hand_light(skin[0], lit).clamp(38.0, 86.0);
    let hue = skin[2].atan2(skin[1]).to_degrees().clamp(38.0, 66.0).to_radians();
    let colour = chroma(skin).clamp(if l < 45.0 { 15.0 } else { 19.0 }, 46.0);
    [l, colour * hue.cos(), colour * hue.sin()]
}

/// A half-lit face counts by its lit side: the hand has no shadow on it.
fn hand_light(median: f32, lit: f32) -> f32 {
    lit.min(median + LIT_MORE_L).min(LIT_L_MAX).max(median)
}

fn outline(portrait: &Portrait) -> Vec<[f32; 2]> {
    let a = &portrait.alpha;
    let solid = |x: usize, y: usize| a.at(x, y) > 0.5;
    let mut out = Vec::new();
    for y in 0..a.h {
        for x in 0..a.w {
            if !solid(x, y) {
                continue;
            }
            let edge = x == 0 || y == 0 || x + 1 == a.w || y + 1 == a.h;
            if edge || !(solid(x - 1, y) && solid(x + 1, y) && solid(x, y - 1) && solid(x, y + 1)) {
                out.push([x as f32, y as f32]);
            }
        }
    }
    if out.is_empty() { vec![[0.0, 0.0], [a.w as f32, a.h as f32]] } else { out }
}

/// Left, top, right and bottom of points.
pub(crate) fn bounds(points: &[[f32; 2]]) -> [f32; 4] {
    let start = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
    points.iter().fold(start, |b, p| [b[0].min(p[0]), b[1].min(p[1]), b[2].max(p[0]), b[3].max(p[1])])
}

/// A hat of the outfit goes on hair only: not on something very tall, colourful or with a brim.
fn covered(outline: &[[f32; 2]], portrait: &Portrait, facts: &Facts, hair_top: f32) -> bool {
    let hair = facts.hair;
    let hue = hair[2].atan2(hair[1]).to_degrees();
    let temple_y = (portrait.points[127][1] + portrait.points[356][1]) / 2.0;
    let above: Vec<[f32; 2]> = outline.iter().copied().filter(|p| p[1] < temple_y).collect();
    let b = bounds(&above);
    let brim = (b[2] - b[0]) / (portrait.points[SIDES[1]][0] - portrait.points[SIDES[0]][0]);
    let colourful = chroma(hair) > 32.0 || (chroma(hair) > 14.0 && !(30.0..97.0).contains(&hue));
    hair_top > 0.58 || colourful || (brim > 1.9 && hair[0] > 60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_of_a_half_lit_face_are_as_light_as_its_lit_side_and_those_of_a_fair_one_no_lighter_than_it() {
        assert_eq!(hand_light(65.0, 70.0), 70.0);
        assert_eq!(hand_light(65.0, 90.0), 72.0);
        assert_eq!(hand_light(72.0, 90.0), 74.0);
        assert_eq!(hand_light(82.0, 90.0), 82.0);
    }
}
