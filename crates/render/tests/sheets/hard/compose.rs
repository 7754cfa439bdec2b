//! Composes a sheet from figures whose alpha is known.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use render::KeyColour;

/// Part of a cell that the longer side of a figure takes, and of one that makes room for its neighbour's arm.
const PART: f32 = 0.74;
const SMALL: f32 = 0.55;
/// Room round a figure for what is drawn on it, as a part of a cell.
const ROOM: f32 = 0.25;
/// What a strong compression leaves, and a usual one.
const ROUGH: u8 = 72;
const USUAL: u8 = 92;
const HAIR: [u8; 3] = [58, 40, 30];
const SKIN: [u8; 3] = [226, 178, 150];
const SLEEVE: [u8; 3] = [176, 58, 70];
const IRIS: [u8; 3] = [62, 148, 84];

/// What is hard about a sheet.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Names it in tables and files.
    pub name: &'static str,
    /// Its ground.
    pub key: KeyColour,
    /// Figures side by side, and one below the other.
    pub columns: u32,
    /// See above.
    pub rows: u32,
    /// PNG instead of JPEG.
    pub png: bool,
    /// Darker towards a corner and towards all sides, with a cast.
    pub uneven: bool,
    /// A soft shadow below each figure.
    pub shadow: bool,
    /// A JPEG with half the colour resolution and much compression.
    pub rough: bool,
    /// Single hairs.
    pub wisps: bool,
    /// Thin fingers.
    pub fingers: bool,
    /// Green clothes and eyes.
    pub green: bool,
    /// An arm that reaches into the next cell.
    pub over: bool,
    /// A figure some pixels from the border.
    pub edge: bool,
    /// Something of this width, px, that the fourth figure and the fifth have in common.
    pub bridge: Option<f32>,
}

/// A figure as it lies on the sheet.
pub struct Layer {
    pub left: i64,
    pub top: i64,
    pub picture: RgbaImage,
}

/// A sheet and the truth about it.
pub struct Composed {
    /// JPEG or PNG.
    pub file: Vec<u8>,
    /// Side of the sheet, px.
    pub side: u32,
    /// The figures by rows.
    pub layers: Vec<Layer>,
}

/// Composes a sheet of `side` px from figures, beginning anew when there are more cells.
pub fn compose(figures: &[RgbaImage], case: &Case, side: u32) -> Composed {
    let places = figures.iter().cycle().take((case.columns * case.rows) as usize).enumerate();
    let layers: Vec<Layer> = places.map(|(place, figure)| layer(figure, case, place as u32, side)).collect();
    let mut sheet = ground(case, side);
    if case.shadow {
        layers.iter().for_each(|layer| shadow(&mut sheet, layer, side));
    }
    layers.iter().for_each(|layer| lay(&mut sheet, layer));
    if let (Some(width), [.., fourth, fifth, _, _, _, _]) = (case.bridge, layers.as_slice()) {
        lay(&mut sheet, &bridge(fourth, fifth, width, side));
    }
    let mut file = Cursor::new(Vec::new());
    if case.rough {
        half_colour(&mut sheet);
    }
    let quality = if case.rough { ROUGH } else { USUAL };
    let written = if case.png {
        sheet.write_to(&mut file, ImageFormat::Png)
    } else {
        sheet.write_with_encoder(JpegEncoder::new_with_quality(&mut file, quality))
    };
    written.expect("a picture in memory can be written");
    Composed { file: file.into_inner(), side, layers }
}

fn layer(figure: &RgbaImage, case: &Case, place: u32, side: u32) -> Layer {
    let (width, height) = (side as f32 / case.columns as f32, side as f32 / case.rows as f32);
    let (cell, unit) = (width.min(height), side as f32 / 1024.0);
    let part = if case.over && place == 3 { SMALL } else { PART };
    let figure = trimmed(figure);
    let k = cell * part / figure.width().max(figure.height()) as f32;
    let size = |length: u32| ((length as f32 * k) as u32).max(1);
    let scaled =
        imageops::resize(&figure, size(figure.width()), size(figure.height()), FilterType::CatmullRom);
    let room = (cell * ROOM) as u32;
    let mut picture = RgbaImage::new(scaled.width() + 2 * room, scaled.height() + 2 * room);
    imageops::replace(&mut picture, &scaled, i64::from(room), i64::from(room));
    if case.green {
        green(&mut picture, unit);
    }
    if case.wisps {
        wisps(&mut picture, unit);
    }
    if case.fingers {
        fingers(&mut picture, unit);
    }
    if case.over && place == 4 {
        arm(&mut picture, cell * 0.3, unit);
    }
    let middle = [(place % case.columns) as f32 + 0.5, (place / case.columns) as f32 + 0.5];
    let mut left = (middle[0] * width) as i64 - i64::from(picture.width() / 2);
    let top = (middle[1] * height) as i64 - i64::from(picture.height() / 2);
    if case.edge && place == 3 {
        let first = solid(&picture).map(|(x, _)| x).min().unwrap_or(0);
        left = 3 - i64::from(first);
    }
    Layer { left, top, picture }
}

fn solid(picture: &RgbaImage) -> impl Iterator<Item = (u32, u32)> {
    picture.enumerate_pixels().filter(|(_, _, pixel)| pixel[3] > 128).map(|(x, y, _)| (x, y))
}

fn trimmed(picture: &RgbaImage) -> RgbaImage {
    let left = solid(picture).map(|(x, _)| x).min().unwrap_or(0);
    let right = solid(picture).map(|(x, _)| x).max().unwrap_or(0);
    let top = solid(picture).map(|(_, y)| y).min().unwrap_or(0);
    let bottom = solid(picture).map(|(_, y)| y).max().unwrap_or(0);
    imageops::crop_imm(picture, left, top, right - left + 1, bottom - top + 1).to_image()
}

/// A stroke with round ends over what is there; straight alpha.
fn stroke(picture: &mut RgbaImage, from: [f32; 2], to: [f32; 2], half: f32, colour: [u8; 3]) {
    let (w, h) = (picture.width() as f32, picture.height() as f32);
    let range = |a: f32, b: f32, end: f32| {
        ((a.min(b) - half - 2.0).max(0.0) as u32, (a.max(b) + half + 2.0).min(end - 1.0) as u32)
    };
    let ((x0, x1), (y0, y1)) = (range(from[0], to[0], w), range(from[1], to[1], h));
    let way = [to[0] - from[0], to[1] - from[1]];
    let length = (way[0] * way[0] + way[1] * way[1]).max(1e-6);
    for y in y0..=y1 {
        for x in x0..=x1 {
            let at = [x as f32 - from[0], y as f32 - from[1]];
            let t = ((at[0] * way[0] + at[1] * way[1]) / length).clamp(0.0, 1.0);
            let over = (half + 0.5 - (at[0] - t * way[0]).hypot(at[1] - t * way[1])).clamp(0.0, 1.0);
            if over > 0.0 {
                blend(picture.get_pixel_mut(x, y), colour, over);
            }
        }
    }
}

fn blend(pixel: &mut Rgba<u8>, colour: [u8; 3], over: f32) {
    let under = f32::from(pixel[3]) / 255.0 * (1.0 - over);
    let alpha = over + under;
    for (value, new) in pixel.0.iter_mut().zip(colour) {
        *value = ((f32::from(new) * over + f32::from(*value) * under) / alpha) as u8;
    }
    pixel[3] = (alpha * 255.0).round() as u8;
}

/// Single hairs that stand off the head.
fn wisps(picture: &mut RgbaImage, unit: f32) {
    let Some((x, y)) = solid(picture).min_by_key(|(_, y)| *y) else { return };
    for hair in 0..9 {
        let lean = (hair as f32 - 4.0) * 0.32;
        let mut at =
            [x as f32 + (hair as f32 - 4.0) * 5.0 * unit, y as f32 + (4.0 + lean * lean * 6.0) * unit];
        for step in 0..6 {
            let angle = lean + step as f32 * 0.09 * lean.signum();
            let next = [at[0] + angle.sin() * 5.0 * unit, at[1] - angle.cos() * 5.0 * unit];
            stroke(picture, at, next, 0.62 * unit, HAIR);
            at = next;
        }
    }
}

/// Four thin fingers at the left side.
fn fingers(picture: &mut RgbaImage, unit: f32) {
    let Some((x, y)) = solid(picture).min_by_key(|(x, _)| *x) else { return };
    for finger in 0..4 {
        let angle = (finger as f32 - 1.5) * 0.5;
        let from = [x as f32 + 5.0 * unit, y as f32 + (finger as f32 - 1.5) * 2.0 * unit];
        let to = [from[0] - angle.cos() * 26.0 * unit, from[1] + angle.sin() * 26.0 * unit];
        stroke(picture, from, to, 2.2 * unit, SKIN);
    }
}

/// An arm to the left.
fn arm(picture: &mut RgbaImage, length: f32, unit: f32) {
    let Some((x, y)) = solid(picture).min_by_key(|(x, _)| *x) else { return };
    let from = [x as f32 + 20.0 * unit, y as f32];
    let to = [(from[0] - length).max(0.0), from[1] - 6.0 * unit];
    stroke(picture, from, to, 7.0 * unit, SLEEVE);
    stroke(picture, [to[0] + 8.0 * unit, to[1]], to, 6.0 * unit, SKIN);
}

/// A line from one body to the next.
fn bridge(from: &Layer, to: &Layer, width: f32, side: u32) -> Layer {
    let waist = |layer: &Layer| {
        let (w, h) = (layer.picture.width() as f32, layer.picture.height() as f32);
        [layer.left as f32 + w * 0.5, layer.top as f32 + h * 0.7]
    };
    let mut picture = RgbaImage::new(side, side);
    stroke(&mut picture, waist(from), waist(to), width / 2.0, HAIR);
    Layer { left: 0, top: 0, picture }
}

/// Clothes between the key and grey, and eyes of that colour.
fn green(picture: &mut RgbaImage, unit: f32) {
    let (w, h) = (picture.width(), picture.height());
    for (_, y, pixel) in picture.enumerate_pixels_mut() {
        if y > h * 11 / 20 && pixel[3] > 0 {
            let light = (f32::from(pixel[0]) + f32::from(pixel[1]) + f32::from(pixel[2])) / 3.0;
            let cloth = [0.5, 0.85, 0.55].map(|part| (light * part) as u8);
            pixel.0[..3].copy_from_slice(&cloth);
        }
    }
    for side in [-1.0, 1.0] {
        let eye = [w as f32 / 2.0 + side * 18.0 * unit, h as f32 * 0.4];
        stroke(picture, eye, eye, 4.0 * unit, IRIS);
    }
}

fn ground(case: &Case, side: u32) -> RgbImage {
    let key: [f32; 3] = if case.key == KeyColour::Green { [0.0, 255.0, 0.0] } else { [255.0, 0.0, 255.0] };
    RgbImage::from_fn(side, side, |x, y| {
        let (u, v) = (x as f32 / side as f32, y as f32 / side as f32);
        let dark = 1.0 - 0.3 * (0.6 * u + 0.4 * v);
        let vignette = 1.0 - 0.5 * ((u - 0.5).powi(2) + (v - 0.5).powi(2));
        let (light, cast) = if case.uneven { (dark * vignette, 16.0) } else { (1.0, 0.0) };
        Rgb(key.map(|value| (value * light + cast).min(255.0) as u8))
    })
}

/// An ellipse of shade under the feet.
fn shadow(sheet: &mut RgbImage, layer: &Layer, side: u32) {
    let bottom = solid(&layer.picture).map(|(_, y)| y).max().unwrap_or(0);
    let middle = [layer.left + i64::from(layer.picture.width() / 2), layer.top + i64::from(bottom)];
    let reach = side as f32 * 0.11;
    for (x, y, pixel) in sheet.enumerate_pixels_mut() {
        let dx = (i64::from(x) - middle[0]) as f32 / reach;
        let dy = (i64::from(y) - middle[1]) as f32 / (reach * 0.3);
        let shade = (1.0 - dx * dx - dy * dy).max(0.0) * 0.35;
        pixel.0 = pixel.0.map(|value| (f32::from(value) * (1.0 - shade)) as u8);
    }
}

fn lay(sheet: &mut RgbImage, layer: &Layer) {
    let (w, h) = (i64::from(sheet.width()), i64::from(sheet.height()));
    for (x, y, pixel) in layer.picture.enumerate_pixels() {
        let (x, y) = (layer.left + i64::from(x), layer.top + i64::from(y));
        if pixel[3] == 0 || !(0..w).contains(&x) || !(0..h).contains(&y) {
            continue;
        }
        let alpha = u32::from(pixel[3]);
        let under = sheet.get_pixel_mut(x as u32, y as u32);
        for channel in 0..3 {
            let mixed = u32::from(pixel[channel]) * alpha + u32::from(under[channel]) * (255 - alpha);
            under[channel] = ((mixed + 127) / 255) as u8;
        }
    }
}

/// Colour at half the resolution, as most JPEG files have it (the encoder at hand keeps all of it).
fn half_colour(sheet: &mut RgbImage) {
    let split = |p: &Rgb<u8>| {
        let [r, g, b] = p.0.map(f32::from);
        let y = 0.299 * r + 0.587 * g + 0.114 * b;
        [y, (b - y) * 0.564, (r - y) * 0.713]
    };
    let (w, h) = sheet.dimensions();
    for (x, y) in (0..h).step_by(2).flat_map(|y| (0..w).step_by(2).map(move |x| (x, y))) {
        let block =
            || [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| ((x + dx).min(w - 1), (y + dy).min(h - 1)));
        let parts = block().map(|(x, y)| split(sheet.get_pixel(x, y)));
        let mean = |part: usize| parts.iter().map(|all| all[part]).sum::<f32>() / 4.0;
        let (cb, cr) = (mean(1), mean(2));
        for ((x, y), [light, ..]) in block().into_iter().zip(parts) {
            let (r, b) = (light + cr / 0.713, light + cb / 0.564);
            let g = (light - 0.299 * r - 0.114 * b) / 0.587;
            sheet.put_pixel(x, y, Rgb([r, g, b].map(|value| value.clamp(0.0, 255.0) as u8)));
        }
    }
}
