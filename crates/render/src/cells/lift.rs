//! Lifts a figure off the ground: alpha at its edge, colours unmixed from the ground, nothing left that leans to the key.

use image::RgbImage;

use super::check::Home;
use super::ground::Ground;
use super::parts::{Found, Part};
use super::{Figure, KeyColour};

/// Pixels round a figure that may still be a part of its edge.
const EDGE: usize = 2;
/// Ground up to this much is none (compression leaves as much), and from this much on it is all.
const ALPHA_FROM: f32 = 0.07;
const ALPHA_TO: f32 = 0.9;
/// Below this alpha a colour cannot be unmixed.
const UNMIX_MIN: f32 = 0.2;

/// The picture of a figure, cut to its parts.
pub(super) fn figure(
    sheet: &RgbImage,
    key: KeyColour,
    ground: &Ground,
    keyed: &[u8],
    found: &Found,
    home: &Home,
) -> Figure {
    let crop = Crop::around(found, home);
    let (w, h) = (crop.w, crop.h);
    let own: Vec<u8> = crop.map(found, |at| u8::from(crop.owners[found.owner[at] as usize]));
    // Chroma is coarser than light in a JPEG: the key bleeds some pixels into the figure, more on a larger sheet.
    let bleed = EDGE + found.width.div_ceil(512);
    let near_figure = grown(&own, w, h, EDGE);
    let not_own: Vec<u8> = own.iter().map(|value| 1 - value).collect();
    let near_ground = grown(&not_own, w, h, bleed);
    let mut data = vec![0u8; w * h * 4];
    for y in 0..h {
        for x in 0..w {
            let at = y * w + x;
            if near_figure[at] == 0 {
                continue;
            }
            let (sx, sy) = (crop.x + x, crop.y + y);
            let from = sy * found.width + sx;
            let foreign = own[at] == 0 && found.owner[from] != 0;
            if foreign {
                continue;
            }
            let colour = sheet.get_pixel(sx as u32, sy as u32).0;
            let pixel = if near_ground[at] == 0 {
                [colour[0], colour[1], colour[2], 255]
            } else {
                edge(colour, keyed[from], ground.at(sx, sy), key)
            };
            data[at * 4..at * 4 + 4].copy_from_slice(&pixel);
        }
    }
    Figure { left: crop.x as u32, top: crop.y as u32, width: w as u32, height: h as u32, data }
}

/// A pixel of the edge, premultiplied.
fn edge(colour: [u8; 3], keyed: u8, ground: [f32; 3], key: KeyColour) -> [u8; 4] {
    let clear = (f32::from(keyed) / 255.0 - ALPHA_FROM) / (ALPHA_TO - ALPHA_FROM);
    let alpha = 1.0 - clear.clamp(0.0, 1.0);
    if alpha <= 0.0 {
        return [0; 4];
    }
    let share = alpha.max(UNMIX_MIN);
    let mut own = [0u8; 3];
    for channel in 0..3 {
        let unmixed = (f32::from(colour[channel]) - (1.0 - share) * ground[channel]) / share;
        own[channel] = unmixed.clamp(0.0, 255.0) as u8;
    }
    let [r, g, b] = key.despilled(own).map(|value| (f32::from(value) * alpha + 0.5) as u8);
    [r, g, b, (alpha * 255.0 + 0.5) as u8]
}

/// The box of a figure with room for its edge.
struct Crop {
    x: usize,
    y: usize,
    w: usize,
    h: usize,
    /// Whether a part is one of the figure's, by the number of its owner.
    owners: Vec<bool>,
}

impl Crop {
    fn around(found: &Found, home: &Home) -> Crop {
        let mut owners = vec![false; found.parts.len() + 1];
        home.parts.iter().for_each(|part| owners[part + 1] = true);
        let parts: Vec<&Part> = home.parts.iter().map(|part| &found.parts[*part]).collect();
        let least =
            |i: usize| parts.iter().map(|part| part.bounds[i]).min().unwrap_or(0).saturating_sub(EDGE);
        let most = |i: usize, end: usize| {
            (parts.iter().map(|part| part.bounds[i]).max().unwrap_or(0) + EDGE).min(end)
        };
        let (x, y) = (least(0), least(1));
        Crop { x, y, w: most(2, found.width) - x, h: most(3, found.height) - y, owners }
    }

    /// A value for each pixel of the box, from the index in the sheet.
    fn map(&self, found: &Found, value: impl Fn(usize) -> u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.w * self.h);
        for y in self.y..self.y + self.h {
            let row = y * found.width + self.x;
            out.extend((row..row + self.w).map(&value));
        }
        out
    }
}

/// 1 within a square of `reach` pixels of a 1.
fn grown(plane: &[u8], w: usize, h: usize, reach: usize) -> Vec<u8> {
    let mut across = plane.to_vec();
    for (out, row) in across.chunks_exact_mut(w).zip(plane.chunks_exact(w)) {
        for step in 1..=reach.min(w - 1) {
            out[step..].iter_mut().zip(row).for_each(|(out, value)| *out |= value);
            out.iter_mut().zip(&row[step..]).for_each(|(out, value)| *out |= value);
        }
    }
    let mut out = across.clone();
    for step in 1..=reach.min(h - 1) {
        let shift = step * w;
        out[shift..].iter_mut().zip(&across).for_each(|(out, value)| *out |= value);
        out.iter_mut().zip(&across[shift..]).for_each(|(out, value)| *out |= value);
    }
    out
}
