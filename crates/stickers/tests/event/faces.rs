//! How guests of an event are told apart: each selfie carries two colours in a corner, a stand-in for an image provider draws figures in these
//! two colours, and the finished stickers show whose they are, through every step of the product.

use image::{ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

/// Colours that lean neither to green nor to magenta and lie far apart.
fn palette() -> &'static [[u8; 3]] {
    static COLOURS: OnceLock<Vec<[u8; 3]>> = OnceLock::new();
    COLOURS.get_or_init(|| {
        const LEVELS: [u8; 4] = [50, 110, 170, 230];
        let mut colours = Vec::new();
        for a in LEVELS {
            for b in LEVELS.into_iter().filter(|b| *b <= a) {
                for c in LEVELS.into_iter().filter(|c| *c <= b) {
                    colours.push([a, b, c]);
                    if a != c {
                        colours.push([c, b, a]);
                    }
                }
            }
        }
        colours
    })
}

/// Guests that can be told apart.
pub fn most() -> usize {
    palette().len() * palette().len()
}

/// Two colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face(usize);

impl Face {
    /// The face of a guest.
    pub fn of(number: usize) -> Face {
        assert!(number < most(), "only {} guests can be told apart", most());
        Face(number)
    }

    fn colours(self) -> [[u8; 3]; 2] {
        let colours = palette();
        [colours[self.0 / colours.len()], colours[self.0 % colours.len()]]
    }

    /// The face whose colours are nearest.
    fn nearest(pair: [[u8; 3]; 2]) -> Face {
        let place = |seen: [u8; 3]| {
            let far = |colour: &[u8; 3]| -> u32 {
                colour.iter().zip(seen).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
            };
            let nearest = palette().iter().enumerate().min_by_key(|(_, colour)| far(colour));
            nearest.map_or(0, |(place, _)| place)
        };
        Face(place(pair[0]) * palette().len() + place(pair[1]))
    }

    /// A selfie of this guest: the committed portrait with the two colours in its upper left corner.
    pub fn selfie(self) -> Vec<u8> {
        static PORTRAIT: OnceLock<RgbImage> = OnceLock::new();
        let portrait = PORTRAIT.get_or_init(|| {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/assets/astronaut.png");
            image::open(file).expect("the portrait").to_rgb8()
        });
        let mut selfie = portrait.clone();
        for (x, y) in (0..2 * PATCH).flat_map(|x| (0..PATCH).map(move |y| (x, y))) {
            selfie.put_pixel(x, y, Rgb(self.colours()[usize::from(x >= PATCH)]));
        }
        let mut file = Cursor::new(Vec::new());
        selfie.write_to(&mut file, ImageFormat::Jpeg).expect("a JPEG");
        file.into_inner()
    }

    /// Whose selfie this is, as far as its corner tells.
    pub fn of_selfie(selfie: &[u8]) -> Face {
        let picture = image::load_from_memory(selfie).expect("a picture").to_rgb8();
        // The product may have made it smaller.
        let patch = PATCH * picture.width() / 512;
        let colour = |column: u32| picture.get_pixel(patch * column + patch / 2, patch / 2).0;
        Face::nearest([colour(0), colour(1)])
    }

    /// Whose sticker this is, by the two halves of its figure.
    pub fn of_sticker(picture: &RgbaImage) -> Face {
        // The figure fills the middle of the sticker; its width varies, its halves meet in the middle.
        let (middle, level) = (picture.width() / 2, picture.height() * 2 / 5);
        let colour = |x: u32| {
            let Rgba([r, g, b, _]) = *picture.get_pixel(x, level);
            [r, g, b]
        };
        Face::nearest([colour(middle - HALF), colour(middle + HALF)])
    }

    /// A square sheet of `cells` figures of this guest on the key colour, as PNG.
    pub fn sheet(self, cells: usize, key: [u8; 3]) -> Vec<u8> {
        let columns = (1..=5u32).find(|side| (side * side) as usize >= cells).unwrap_or(5);
        let cell = SHEET / columns;
        let mut sheet = RgbImage::from_pixel(SHEET, SHEET, Rgb(key));
        for place in 0..columns * columns {
            let (left, top) = (place % columns * cell, place / columns * cell);
            let (width, height) = (cell * 46 / 100, cell * 76 / 100);
            let (x, y) = (left + (cell - width) / 2, top + (cell - height) / 2);
            for (dx, dy) in (0..width).flat_map(|dx| (0..height).map(move |dy| (dx, dy))) {
                let own = self.colours()[usize::from(dx >= width / 2)];
                let colour = if on_band(place, dy as f32 / height as f32) { against(own) } else { own };
                sheet.put_pixel(x + dx, y + dy, Rgb(colour));
            }
        }
        let mut file = Cursor::new(Vec::new());
        sheet.write_to(&mut file, ImageFormat::Png).expect("a PNG");
        file.into_inner()
    }
}

/// Whether a point so far down the figure of a cell lies on one of its bands: no two cells are alike, or one would be drawn again.
fn on_band(place: u32, down: f32) -> bool {
    const FIRST: f32 = 0.58;
    const HEIGHT: f32 = 0.08;
    // With its parity behind it, each number differs from every other in two bands at least.
    let bands = (place % 16) << 1 | (place.count_ones() & 1);
    let band = ((down - FIRST) / HEIGHT).floor();
    (0.0..5.0).contains(&band) && bands >> (band as u32) & 1 == 1
}

/// A colour that is easily told from another.
fn against(colour: [u8; 3]) -> [u8; 3] {
    let light: u32 = colour.iter().map(|value| u32::from(*value)).sum();
    if light > 3 * 127 { [20; 3] } else { [235; 3] }
}

/// Side of a patch of colour on a selfie of 512 px.
const PATCH: u32 = 48;
/// Side of a sheet, px: small, because only its way through the product matters.
const SHEET: u32 = 480;
/// How far from the middle of a sticker a half is looked at, px.
const HALF: u32 = 40;

/// Whether the picture has room around its figure.
pub fn is_transparent(picture: &RgbaImage) -> bool {
    picture.pixels().any(|pixel| pixel.0[3] == 0)
}
