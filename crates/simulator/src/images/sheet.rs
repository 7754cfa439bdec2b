//! Draws sheets: figures from files on the ground that was asked for, with the defects that were ordered.

use std::io::{self, Cursor};

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{ImageFormat, Rgb, RgbImage, RgbaImage};

use super::fault::Defect;
use super::kinds::PictureFormat;
use super::order::Order;
use crate::chance::Chance;

/// Part of a cell that a figure's longer side takes.
const PART: f32 = 0.78;
/// Of a figure that reaches into its neighbour.
const TOO_LARGE: f32 = 1.5;
const JPEG_QUALITY: u8 = 90;
/// Strongest change of a channel by noise.
const NOISE: u64 = 14;
/// Jitter of a figure's place as a part of its cell: a model does not measure.
const JITTER: f32 = 0.02;

const FILES: [&[u8]; 9] = [
    include_bytes!("../../figures/0.png"),
    include_bytes!("../../figures/1.png"),
    include_bytes!("../../figures/2.png"),
    include_bytes!("../../figures/3.png"),
    include_bytes!("../../figures/4.png"),
    include_bytes!("../../figures/5.png"),
    include_bytes!("../../figures/6.png"),
    include_bytes!("../../figures/7.png"),
    include_bytes!("../../figures/8.png"),
];

/// Nine figures of one guest, without ground.
pub(super) struct Figures(Vec<RgbaImage>);

impl Figures {
    pub fn built_in() -> io::Result<Self> {
        let read = |bytes: &&[u8]| image::load_from_memory_with_format(bytes, ImageFormat::Png);
        let all: Result<Vec<_>, _> = FILES.iter().map(read).collect();
        Ok(Self(
            all.map_err(io::Error::other)?
                .into_iter()
                .map(|picture| trimmed(&picture.into_rgba8()))
                .collect(),
        ))
    }
}

fn trimmed(picture: &RgbaImage) -> RgbaImage {
    let solid = || picture.enumerate_pixels().filter(|(_, _, pixel)| pixel[3] > 8);
    let left = solid().map(|(x, _, _)| x).min().unwrap_or(0);
    let right = solid().map(|(x, _, _)| x).max().unwrap_or(0);
    let top = solid().map(|(_, y, _)| y).min().unwrap_or(0);
    let bottom = solid().map(|(_, y, _)| y).max().unwrap_or(0);
    imageops::crop_imm(picture, left, top, right - left + 1, bottom - top + 1).to_image()
}

/// What is to be drawn.
pub(super) struct Drawing {
    pub order: Order,
    /// The figure of each pose.
    pub figures: Vec<usize>,
    pub width: u32,
    pub height: u32,
    pub defects: Vec<Defect>,
    pub format: PictureFormat,
}

impl Drawing {
    fn has(&self, defect: Defect) -> bool {
        self.defects.contains(&defect)
    }
}

/// The file.
pub(super) fn draw(figures: &Figures, drawing: &Drawing) -> io::Result<Vec<u8>> {
    let width = if drawing.has(Defect::Wide) { drawing.width * 2 } else { drawing.width };
    let mut sheet = ground(drawing, width, drawing.height);
    let mut chance = Chance::seeded(u64::from(width) + drawing.figures.len() as u64);
    for place in 0..drawing.figures.len() {
        place_figure(&mut sheet, figures, drawing, place, &mut chance);
    }
    if drawing.has(Defect::Noise) {
        for value in sheet.iter_mut() {
            let change = chance.below(2 * NOISE + 1) as i16 - NOISE as i16;
            *value = (i16::from(*value) + change).clamp(0, 255) as u8;
        }
    }
    let mut file = Cursor::new(Vec::new());
    let written = match drawing.format {
        PictureFormat::Png => sheet.write_to(&mut file, ImageFormat::Png),
        PictureFormat::Jpeg => {
            sheet.write_with_encoder(JpegEncoder::new_with_quality(&mut file, JPEG_QUALITY))
        }
    };
    written.map_err(io::Error::other)?;
    Ok(file.into_inner())
}

fn ground(drawing: &Drawing, width: u32, height: u32) -> RgbImage {
    let mut key = drawing.order.key;
    if drawing.has(Defect::OffKey) {
        // What a model takes for the colour: less of it, more of the others.
        key = key.map(|value| if value > 127 { value - 55 } else { value + 45 });
    }
    let (uneven, chess) = (drawing.has(Defect::Uneven), drawing.has(Defect::Chessboard));
    let square = (width / 48).max(4);
    RgbImage::from_fn(width, height, |x, y| {
        if chess {
            let grey = if (x / square + y / square).is_multiple_of(2) { 255 } else { 204 };
            return Rgb([grey; 3]);
        }
        if !uneven {
            return Rgb(key);
        }
        let (across, down) = (x as f32 / width as f32, y as f32 / height as f32);
        let light = 1.0 - 0.42 * (across * 0.6 + down * 0.4);
        Rgb(key.map(|value| (f32::from(value) * light + 18.0 * down) as u8))
    })
}

fn place_figure(
    sheet: &mut RgbImage,
    figures: &Figures,
    drawing: &Drawing,
    place: usize,
    chance: &mut Chance,
) {
    let order = &drawing.order;
    let (column, row) = (place as u32 % order.columns, place as u32 / order.columns);
    let (w, h) = (sheet.width() as f32 / order.columns as f32, sheet.height() as f32 / order.rows as f32);
    let mut jitter = || (chance.below(2_001) as f32 / 1_000.0 - 1.0) * JITTER;
    let mut middle = [(column as f32 + 0.5 + jitter()) * w, (row as f32 + 0.5 + jitter()) * h];
    if drawing.has(Defect::Empty(place)) {
        return;
    }
    let mut side = w.min(h) * PART;
    if drawing.has(Defect::Tiny(place)) {
        side *= 0.2;
    }
    if drawing.has(Defect::Touching(place)) {
        side *= TOO_LARGE;
        middle[0] += w * 0.5;
    }
    if drawing.has(Defect::Cut(place)) {
        // Towards the nearest of the upper and lower border.
        middle[1] += if row == 0 { -h * 0.35 } else { h * 0.35 };
    }
    let shown = if drawing.has(Defect::Same(place)) { place.saturating_sub(1) } else { place };
    let Some(figure) = drawing.figures.get(shown).and_then(|at| figures.0.get(at % figures.0.len())) else {
        return;
    };
    let recoloured = drawing.has(Defect::Stranger(place)).then(|| somebody_else(figure));
    let figure = recoloured.as_ref().unwrap_or(figure);
    if drawing.has(Defect::Two(place)) {
        stamp(sheet, figure, [middle[0] - w * 0.22, middle[1]], side * 0.5);
        stamp(sheet, figure, [middle[0] + w * 0.22, middle[1]], side * 0.5);
        return;
    }
    stamp(sheet, figure, middle, side);
}

/// The figure with other colours and the other way round. Red and blue change places, so nothing leans more to a key colour than before.
fn somebody_else(figure: &RgbaImage) -> RgbaImage {
    let mut other = imageops::flip_horizontal(figure);
    other.pixels_mut().for_each(|pixel| pixel.0.swap(0, 2));
    other
}

/// Lays a figure over the sheet, its longer side `side` px, its middle at `middle`.
fn stamp(sheet: &mut RgbImage, figure: &RgbaImage, middle: [f32; 2], side: f32) {
    let k = side / figure.width().max(figure.height()) as f32;
    let size = |length: u32| ((length as f32 * k) as u32).max(1);
    let scaled =
        imageops::resize(figure, size(figure.width()), size(figure.height()), FilterType::CatmullRom);
    let (left, top) =
        (middle[0] as i64 - i64::from(scaled.width() / 2), middle[1] as i64 - i64::from(scaled.height() / 2));
    for (x, y, pixel) in scaled.enumerate_pixels() {
        let (x, y) = (left + i64::from(x), top + i64::from(y));
        let inside =
            (0..i64::from(sheet.width())).contains(&x) && (0..i64::from(sheet.height())).contains(&y);
        if !inside || pixel[3] == 0 {
            continue;
        }
        let under = sheet.get_pixel_mut(x as u32, y as u32);
        let alpha = u32::from(pixel[3]);
        for channel in 0..3 {
            let mixed = u32::from(pixel[channel]) * alpha + u32::from(under[channel]) * (255 - alpha);
            under[channel] = ((mixed + 127) / 255) as u8;
        }
    }
}
