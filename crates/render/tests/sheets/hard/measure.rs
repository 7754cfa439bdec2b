//! Measures cut figures against the truth, and finished stickers by their edges.

use image::RgbaImage;
use render::KeyColour;

use super::compose::Layer;

/// Truth is solid from here on, and nothing up to there.
const SOLID: u8 = 230;
const NOTHING: u8 = 8;
/// Ground so near to a figure may be a part of its edge.
const NEAR: i64 = 2;

/// What a cut made of its figure, as parts of the figure's solid pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// Solid pixels, not at the very edge, that the cut made transparent: a lost limb.
    pub lost: f32,
    /// Pixels well outside the figure that the cut kept: ground, or a part of the neighbour.
    pub kept: f32,
    /// Pixels well inside the figure whose colour is another one.
    pub changed: f32,
}

/// Compares a cut, which lay at `left` and `top` of the sheet, with the truth. No cut at all has lost everything.
pub fn shares(truth: &Layer, side: u32, cut: Option<(i64, i64, &RgbaImage)>) -> Share {
    let Some((left, top, picture)) = cut else { return Share { lost: 1.0, ..Share::default() } };
    let inside = |x: i64, y: i64| (0..i64::from(side)).contains(&x) && (0..i64::from(side)).contains(&y);
    let real = |x: i64, y: i64| pixel(&truth.picture, x - truth.left, y - truth.top);
    let around = |x: i64, y: i64, reach: i64, fits: &dyn Fn(u8) -> bool| {
        (-reach..=reach).all(|dy| (-reach..=reach).all(|dx| fits(real(x + dx, y + dy)[3])))
    };
    let (mut solid, mut lost, mut kept, mut changed) = (0u32, 0u32, 0u32, 0u32);
    let right = (truth.left + i64::from(truth.picture.width())).max(left + i64::from(picture.width()));
    let bottom = (truth.top + i64::from(truth.picture.height())).max(top + i64::from(picture.height()));
    for y in truth.top.min(top)..bottom {
        for x in truth.left.min(left)..right {
            if !inside(x, y) {
                continue;
            }
            let (is, made) = (real(x, y), pixel(picture, x - left, y - top));
            if is[3] >= SOLID && around(x, y, 1, &|alpha| alpha >= SOLID) {
                solid += 1;
                lost += u32::from(made[3] < 128);
                let other = (0..3).any(|channel| is[channel].abs_diff(made[channel]) > 48);
                changed += u32::from(other && around(x, y, 2 * NEAR, &|alpha| alpha >= SOLID));
            } else if made[3] >= 128 && around(x, y, NEAR, &|alpha| alpha <= NOTHING) {
                kept += 1;
            }
        }
    }
    let part = |count: u32| count as f32 / solid.max(1) as f32;
    Share { lost: part(lost), kept: part(kept), changed: part(changed) }
}

fn pixel(picture: &RgbaImage, x: i64, y: i64) -> [u8; 4] {
    let inside =
        (0..i64::from(picture.width())).contains(&x) && (0..i64::from(picture.height())).contains(&y);
    if inside { picture.get_pixel(x as u32, y as u32).0 } else { [0; 4] }
}

/// Hue in degrees; none for greys.
fn hue(pixel: [u8; 4]) -> Option<f32> {
    let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(f32::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    (range > 24.0).then(|| {
        let hue = if most == r {
            (g - b) / range
        } else if most == g {
            2.0 + (b - r) / range
        } else {
            4.0 + (r - g) / range
        };
        (hue * 60.0).rem_euclid(360.0)
    })
}

/// Share of the pixels beside the white outline of a sticker whose hue is within 30 degrees of the key.
pub fn fringe(sticker: &RgbaImage, key: KeyColour) -> f32 {
    let key = if key == KeyColour::Green { 120.0 } else { 300.0 };
    let white = |x: u32, y: u32| sticker.get_pixel(x, y).0.iter().all(|value| *value > 235);
    let (mut edge, mut bad) = (0u32, 0u32);
    for y in 4..508 {
        for x in 4..508 {
            let near = [(x - 3, y), (x + 3, y), (x, y - 3), (x, y + 3)].iter().any(|(x, y)| white(*x, *y));
            let pixel = sticker.get_pixel(x, y).0;
            if !near || white(x, y) || pixel[3] < 30 {
                continue;
            }
            edge += 1;
            bad += u32::from(hue(pixel).is_some_and(|hue| (hue - key).abs() < 30.0));
        }
    }
    bad as f32 / edge.max(1) as f32
}
