//! Contact sheets: finished stickers on one picture, for people to look at.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage, RgbaImage};

use crate::composite::Sticker;

/// What lies behind the stickers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Nearly white.
    Light,
    /// A dark chat.
    Dark,
    /// The green of Telegram's usual wallpaper.
    Chat,
}

impl Background {
    fn at(self, y: f32) -> Rgb<u8> {
        match self {
            Background::Light => Rgb([247, 247, 247]),
            Background::Dark => Rgb([23, 33, 43]),
            Background::Chat => {
                let mix = |a: f32, b: f32| (a * (1.0 - y) + b * y) as u8;
                Rgb([mix(140.0, 204.0), mix(189.0, 222.0), mix(128.0, 158.0)])
            }
        }
    }
}

const GAP: u32 = 10;
const COLUMNS: usize = 3;
const CELL: u32 = 512;

/// One pack, three in a row, at full size; PNG.
pub fn contact_sheet(stickers: &[Sticker], background: Background) -> Vec<u8> {
    let rows: Vec<Vec<&RgbaImage>> =
        stickers.chunks(COLUMNS).map(|c| c.iter().map(|s| &s.rgba).collect()).collect();
    sheet(&rows, CELL, background)
}

/// Several packs, one a row, each sticker `cell` px wide; PNG.
pub fn pack_rows(packs: &[Vec<Sticker>], cell: u32, background: Background) -> Vec<u8> {
    let rows: Vec<Vec<&RgbaImage>> = packs.iter().map(|p| p.iter().map(|s| &s.rgba).collect()).collect();
    sheet(&rows, cell, background)
}

fn sheet(rows: &[Vec<&RgbaImage>], cell: u32, background: Background) -> Vec<u8> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let (w, h) = (columns * (cell + GAP) + GAP, rows.len() as u32 * (cell + GAP) + GAP);
    let mut out = RgbImage::from_fn(w, h, |_, y| background.at(y as f32 / h as f32));
    for (y, row) in rows.iter().enumerate() {
        for (x, sticker) in row.iter().enumerate() {
            let place = (GAP + x as u32 * (cell + GAP), GAP + y as u32 * (cell + GAP));
            paste(&mut out, sticker, place, cell);
        }
    }
    let mut bytes = Vec::new();
    let written = out.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png);
    debug_assert!(written.is_ok(), "writing a PNG to memory cannot fail");
    bytes
}

/// Averages what falls into each pixel, with alpha as weight.
fn paste(out: &mut RgbImage, sticker: &RgbaImage, place: (u32, u32), cell: u32) {
    let (w, h) = sticker.dimensions();
    let k = w.max(h) as f32 / cell as f32;
    let (cw, ch) = ((w as f32 / k) as u32, (h as f32 / k) as u32);
    let range = |i: u32, n: u32| ((i as f32 * k) as u32, (((i + 1) as f32 * k).ceil() as u32).min(n));
    for y in 0..ch {
        let (y0, y1) = range(y, h);
        for x in 0..cw {
            let (x0, x1) = range(x, w);
            let (mut sum, mut alpha) = ([0.0f32; 3], 0.0f32);
            for v in y0..y1 {
                for u in x0..x1 {
                    let p = sticker.get_pixel(u, v);
                    let a = f32::from(p[3]);
                    alpha += a;
                    sum.iter_mut().zip(p.0).for_each(|(s, c)| *s += f32::from(c) * a);
                }
            }
            let cover = alpha / (255.0 * ((y1 - y0) * (x1 - x0)).max(1) as f32);
            let to = out.get_pixel_mut(place.0 + x + (cell - cw) / 2, place.1 + y + (cell - ch) / 2);
            for c in 0..3 {
                let own = if alpha > 0.0 { sum[c] / alpha } else { 0.0 };
                to[c] = (own * cover + f32::from(to[c]) * (1.0 - cover) + 0.5) as u8;
            }
        }
    }
}
