//! The ground as it is: its colour in each block of the sheet, and how much of it every pixel is.

use image::RgbImage;

use super::KeyColour;

/// Blocks along each side.
const BLOCKS: usize = 32;
/// Width of the frame in which the ground is looked for, as a part of the side.
const FRAME: f32 = 0.015;
/// The weakest ground that can be told from figures.
const STRENGTH_MIN: i32 = 70;
/// So much of the frame must be ground; a figure that is cut off takes the rest.
const FRAME_PART_MIN: f32 = 0.75;
/// A pixel of this part of the ground's strength is counted as ground when it is measured.
const GROUND_FROM: f32 = 0.55;
/// With fewer such pixels, as a part of its own, a block is filled from its neighbours.
const BLOCK_PART_MIN: f32 = 0.1;

/// Colours of the blocks.
pub(super) struct Ground {
    colours: Vec<[f32; 3]>,
    width: usize,
    height: usize,
}

impl Ground {
    /// The colour at a pixel: that of its block (the ground changes slowly).
    pub fn at(&self, x: usize, y: usize) -> [f32; 3] {
        self.colours[(y * BLOCKS / self.height) * BLOCKS + x * BLOCKS / self.width]
    }
}

/// The ground, and for each pixel how much of it there is: 255 is all. None when the frame of the sheet is something else.
pub(super) fn measure(sheet: &RgbImage, key: KeyColour) -> Option<(Ground, Vec<u8>)> {
    let (w, h) = (sheet.width() as usize, sheet.height() as usize);
    let strength: Vec<i16> =
        sheet.as_raw().chunks_exact(3).map(|p| key.strength([p[0], p[1], p[2]]) as i16).collect();
    let usual = frame_strength(&strength, w, h)?;
    let ground = blocks(sheet, &strength, (usual as f32 * GROUND_FROM) as i16)?;
    let mut keyed = vec![0u8; w * h];
    for (y, (row, out)) in strength.chunks_exact(w).zip(keyed.chunks_exact_mut(w)).enumerate() {
        let scales = row_scales(&ground, key, y);
        for (x, (strength, out)) in row.iter().zip(out).enumerate() {
            *out = (f32::from(*strength) * scales.at(x)).clamp(0.0, 255.0) as u8;
        }
    }
    Some((ground, keyed))
}

/// Median strength of the frame, when most of it is ground.
fn frame_strength(strength: &[i16], w: usize, h: usize) -> Option<i32> {
    let wide = ((w.min(h) as f32 * FRAME) as usize).max(2);
    let mut values: Vec<i16> = Vec::with_capacity(2 * wide * (w + h));
    for y in 0..h {
        let row = &strength[y * w..(y + 1) * w];
        if y < wide || y + wide >= h {
            values.extend(row);
        } else {
            values.extend(&row[..wide]);
            values.extend(&row[w - wide..]);
        }
    }
    let all = values.len();
    values.retain(|value| i32::from(*value) >= STRENGTH_MIN);
    if (values.len() as f32) < all as f32 * FRAME_PART_MIN {
        return None;
    }
    let middle = values.len() / 2;
    let (_, median, _) = values.select_nth_unstable(middle);
    Some(i32::from(*median))
}

fn blocks(sheet: &RgbImage, strength: &[i16], from: i16) -> Option<Ground> {
    let (w, h) = (sheet.width() as usize, sheet.height() as usize);
    let mut sums = vec![[0u64; 4]; BLOCKS * BLOCKS];
    let column: Vec<usize> = (0..w).map(|x| x * BLOCKS / w).collect();
    for (y, (row, pixels)) in strength.chunks_exact(w).zip(sheet.as_raw().chunks_exact(3 * w)).enumerate() {
        let sums = &mut sums[(y * BLOCKS / h) * BLOCKS..][..BLOCKS];
        for ((strength, pixel), column) in row.iter().zip(pixels.chunks_exact(3)).zip(&column) {
            if *strength >= from {
                let sum = &mut sums[*column];
                for (sum, value) in sum.iter_mut().zip(pixel) {
                    *sum += u64::from(*value);
                }
                sum[3] += 1;
            }
        }
    }
    let least = ((w * h / (BLOCKS * BLOCKS)) as f32 * BLOCK_PART_MIN) as u64;
    let known = |sum: &[u64; 4]| {
        (sum[3] > least).then(|| [sum[0], sum[1], sum[2]].map(|total| total as f32 / sum[3] as f32))
    };
    let colours = filled(sums.iter().map(known).collect())?;
    Some(Ground { colours, width: w, height: h })
}

/// Blocks without ground take the mean of their neighbours, from the outside inwards.
fn filled(mut blocks: Vec<Option<[f32; 3]>>) -> Option<Vec<[f32; 3]>> {
    blocks.iter().any(Option::is_some).then_some(())?;
    while blocks.iter().any(Option::is_none) {
        let before = blocks.clone();
        for (at, block) in blocks.iter_mut().enumerate().filter(|(_, block)| block.is_none()) {
            let (x, y) = (at % BLOCKS, at / BLOCKS);
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                let (Some(nx), Some(ny)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                    continue;
                };
                if nx >= BLOCKS || ny >= BLOCKS {
                    continue;
                }
                if let Some(colour) = before[ny * BLOCKS + nx] {
                    sum.iter_mut().zip(colour).for_each(|(sum, value)| *sum += value);
                    count += 1.0;
                }
            }
            if count > 0.0 {
                *block = Some(sum.map(|sum| sum / count));
            }
        }
    }
    Some(blocks.into_iter().flatten().collect())
}

/// What a strength is multiplied with in one row, between the middles of the blocks.
struct RowScales {
    values: [f32; BLOCKS],
    per_block: f32,
}

impl RowScales {
    fn at(&self, x: usize) -> f32 {
        let place = ((x as f32 + 0.5) / self.per_block - 0.5).clamp(0.0, (BLOCKS - 1) as f32);
        let left = (place as usize).min(BLOCKS - 2);
        let part = place - left as f32;
        self.values[left] * (1.0 - part) + self.values[left + 1] * part
    }
}

fn row_scales(ground: &Ground, key: KeyColour, y: usize) -> RowScales {
    let place =
        ((y as f32 + 0.5) * BLOCKS as f32 / ground.height as f32 - 0.5).clamp(0.0, (BLOCKS - 1) as f32);
    let above = (place as usize).min(BLOCKS - 2);
    let part = place - above as f32;
    let scale = |row: usize, column: usize| {
        let colour = ground.colours[row * BLOCKS + column].map(|value| value as u8);
        255.0 / key.strength(colour).max(1) as f32
    };
    let values =
        std::array::from_fn(|column| scale(above, column) * (1.0 - part) + scale(above + 1, column) * part);
    RowScales { values, per_block: ground.width as f32 / BLOCKS as f32 }
}
