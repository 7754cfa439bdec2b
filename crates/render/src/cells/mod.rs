//! A sheet of figures on a flat key colour becomes figures without ground, or a list of the cells to draw again.
//!
//! Figures are cut by what hangs together, not by the lines of the grid: a hand that reaches into the next cell stays on its arm. The
//! ground is measured where it is, because models miss the colour that they were asked for, shade it and send JPEG; what lies at the
//! edge is unmixed from it. Everything is integers on bytes but the unmixing, since a sheet has four million pixels.

mod check;
mod ground;
mod lift;
mod parts;
mod sticker;

use image::{RgbImage, RgbaImage};

pub(crate) use sticker::finish;

use crate::photo;

/// The flat colour behind the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyColour {
    /// `#00FF00`: farthest from skin.
    Green,
    /// `#FF00FF`: for guests and outfits with green.
    Magenta,
}

impl KeyColour {
    /// As prompts name it.
    pub fn hex(self) -> &'static str {
        match self {
            KeyColour::Green => "#00FF00",
            KeyColour::Magenta => "#FF00FF",
        }
    }

    /// How far a colour leans to the key, -255 to 255.
    pub(crate) fn strength(self, [r, g, b]: [u8; 3]) -> i32 {
        let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
        match self {
            KeyColour::Green => g - r.max(b),
            KeyColour::Magenta => r.min(b) - g,
        }
    }

    /// The colour without what the key lent to it.
    pub(crate) fn despilled(self, [r, g, b]: [u8; 3]) -> [u8; 3] {
        let over = self.strength([r, g, b]).clamp(0, 255) as u8;
        match self {
            KeyColour::Green => [r, g - over, b],
            KeyColour::Magenta => [r - over, g, b - over],
        }
    }
}

/// Columns and rows of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Cells side by side.
    pub columns: u32,
    /// Cells one below the other.
    pub rows: u32,
}

impl Grid {
    /// The smallest square grid with room for so many figures, up to 5 x 5.
    pub fn of(figures: usize) -> Grid {
        let side = (1..5u32).find(|side| (side * side) as usize >= figures).unwrap_or(5);
        Grid { columns: side, rows: side }
    }

    /// Cells in all.
    pub fn cells(self) -> usize {
        (self.columns * self.rows) as usize
    }
}

/// Why a whole sheet is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SheetProblem {
    /// The file cannot be read, or is too large or too small.
    #[error("the sheet is not a picture that can be read")]
    NotAPicture,
    /// Not square, so the grid cannot be what was asked for.
    #[error("the sheet is {width} x {height} px instead of square")]
    Shape {
        /// Width in px.
        width: u32,
        /// Height in px.
        height: u32,
    },
    /// The ground is not the key colour: a chessboard, a painted room, white.
    #[error("the ground of the sheet is not the key colour")]
    Ground,
    /// So many cells hold no figure or several that nobody can tell which drawing is meant for which cell.
    #[error("{wrong} of {cells} cells hold no figure or several")]
    Count {
        /// Cells without a figure or with several.
        wrong: usize,
        /// Cells in all.
        cells: usize,
    },
}

/// Why a cell must be drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CellProblem {
    /// Nothing is in it.
    #[error("empty")]
    Empty,
    /// Something is in it, but no figure of the size of the others.
    #[error("the figure is missing or too small")]
    Missing,
    /// Its figure hangs together with that of another cell.
    #[error("figures touch")]
    Touching,
    /// The border of the picture cuts its figure.
    #[error("cut off by the border")]
    Cut,
    /// More than one figure.
    #[error("several figures")]
    Several,
    /// The same drawing as in an earlier cell.
    #[error("the same as in cell {0}")]
    Same(usize),
}

/// A figure without ground.
#[derive(Clone)]
pub struct Figure {
    /// Where it lay on the sheet.
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Premultiplied, four bytes a pixel.
    pub(crate) data: Vec<u8>,
}

impl Figure {
    /// Where its upper left corner lay on the sheet, in px.
    pub fn place(&self) -> (u32, u32) {
        (self.left, self.top)
    }

    /// The picture, straight alpha.
    pub fn picture(&self) -> RgbaImage {
        let mut out = RgbaImage::new(self.width, self.height);
        for (pixel, from) in out.pixels_mut().zip(self.data.chunks_exact(4)) {
            let alpha = u32::from(from[3]);
            for channel in 0..3 {
                pixel[channel] = ((u32::from(from[channel]) * 255 + alpha / 2) / alpha.max(1)).min(255) as u8;
            }
            pixel[3] = from[3];
        }
        out
    }
}

impl std::fmt::Debug for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Figure of {} x {} px", self.width, self.height)
    }
}

/// The cells of a sheet by rows: a figure, or why there is none.
pub type Cells = Vec<Result<Figure, CellProblem>>;

/// Shortest side of a sheet that can become stickers.
const SIDE_MIN_PX: u32 = 256;
/// A sheet may be so much wider than high, or higher than wide.
const SQUARE: f32 = 1.08;

/// Cuts the first `figures` cells out of a sheet.
pub(crate) fn cut(sheet: &[u8], grid: Grid, key: KeyColour, figures: usize) -> Result<Cells, SheetProblem> {
    let picture = photo::open(sheet, SIDE_MIN_PX).map_err(|_| SheetProblem::NotAPicture)?;
    let (width, height) = picture.dimensions();
    if width.max(height) as f32 > width.min(height) as f32 * SQUARE {
        return Err(SheetProblem::Shape { width, height });
    }
    let (ground, keyed) = ground::measure(&picture, key).ok_or(SheetProblem::Ground)?;
    let found = parts::find(&keyed, width as usize, height as usize, grid);
    let homes = check::homes(&found, grid, figures.min(grid.cells()));
    check::count(&homes)?;
    let mut cells: Cells = homes
        .into_iter()
        .map(|home| Ok(lift::figure(&picture, key, &ground, &keyed, &found, &home?)))
        .collect();
    check::no_twins(&mut cells);
    Ok(cells)
}

/// The key colour that is farther from what a photo shows: green, unless the middle of the photo has more of it than of magenta.
pub(crate) fn key_for(photo: &RgbImage) -> KeyColour {
    let (w, h) = photo.dimensions();
    let mut counts = [0u32; 2];
    for (x, y, pixel) in photo.enumerate_pixels() {
        let middle = (w / 6..w - w / 6).contains(&x) && y > h / 12;
        if middle {
            counts[0] += u32::from(KeyColour::Green.strength(pixel.0) > LEANS);
            counts[1] += u32::from(KeyColour::Magenta.strength(pixel.0) > LEANS);
        }
    }
    let many = w * h / 100;
    if counts[0] > many && counts[0] > counts[1] { KeyColour::Magenta } else { KeyColour::Green }
}

/// From this strength on a colour of a photo is too near to the key.
const LEANS: i32 = 45;

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_grid_is_the_smallest_square_that_holds_the_figures() {
        let sides = [1, 2, 4, 5, 9, 10, 16, 30].map(|figures| Grid::of(figures).columns);
        assert_eq!(sides, [1, 2, 2, 3, 3, 4, 4, 5]);
    }

    #[test]
    fn a_guest_in_green_is_drawn_on_magenta_and_everybody_else_on_green() {
        let photo = |colour: [u8; 3]| RgbImage::from_pixel(120, 120, Rgb(colour));
        assert_eq!(key_for(&photo([40, 160, 60])), KeyColour::Magenta);
        assert_eq!(key_for(&photo([200, 150, 130])), KeyColour::Green);
        assert_eq!(key_for(&photo([220, 40, 200])), KeyColour::Green);
    }

    #[test]
    fn nothing_leans_to_the_key_after_the_despill() {
        for key in [KeyColour::Green, KeyColour::Magenta] {
            for colour in [[10, 200, 30], [200, 20, 180], [90, 90, 90], [255, 0, 255], [0, 255, 0]] {
                assert!(key.strength(key.despilled(colour)) <= 0, "{key:?} {colour:?}");
            }
        }
    }
}
