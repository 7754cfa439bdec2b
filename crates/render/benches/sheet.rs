//! A provider's sheet to nine finished stickers against bare libwebp encoding of the same nine pictures, in CPU time.
//!
//! `cargo bench -p render --bench sheet` (Linux: times are read from `/proc`).

use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::time::Duration;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use render::{Grid, KeyColour, Language, Renderer, Sticker, Templates};
use webp::{Encoder, WebPConfig};

const PHOTO: &[u8] = include_bytes!("../tests/data/astronaut.png");
const ROUNDS: usize = 15;
const NINE: Grid = Grid { columns: 3, rows: 3 };

/// CPU time of all threads so far.
fn cpu() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let run = |task: fs::DirEntry| -> u64 {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    Duration::from_nanos(tasks.map(run).sum())
}

/// Nine figures on green as a JPEG of `side` px.
fn sheet(renderer: &Renderer, side: u32) -> Vec<u8> {
    let photo = renderer.check_photo(PHOTO).expect("the portrait is accepted");
    let mut sheet = RgbImage::from_pixel(side, side, Rgb([0, 255, 0]));
    let cell = side / 3;
    for (place, figure) in renderer.figures(&photo.jpeg, "chapan").expect("nine figures").iter().enumerate() {
        let small = imageops::resize(figure, cell * 8 / 10, cell * 8 / 10, FilterType::CatmullRom);
        let (left, top) = (place as u32 % 3 * cell + cell / 10, place as u32 / 3 * cell + cell / 10);
        for (x, y, pixel) in small.enumerate_pixels() {
            let alpha = u32::from(pixel[3]);
            let under = sheet.get_pixel_mut(left + x, top + y);
            for c in 0..3 {
                under[c] = ((u32::from(pixel[c]) * alpha + u32::from(under[c]) * (255 - alpha)) / 255) as u8;
            }
        }
    }
    let mut file = Cursor::new(Vec::new());
    sheet.write_with_encoder(JpegEncoder::new_with_quality(&mut file, 92)).expect("a JPEG");
    file.into_inner()
}

fn pack(renderer: &Renderer, sheet: &[u8]) -> Vec<Sticker> {
    let cells = renderer.cut_sheet(sheet, NINE, KeyColour::Green, 9).expect("a good sheet");
    let finish = |(place, cell): (usize, &Result<render::Figure, render::CellProblem>)| {
        let figure = cell.as_ref().expect("a good cell");
        renderer.finish_figure(figure, "chapan", place, Language::Ru).expect("a sticker")
    };
    cells.iter().enumerate().map(finish).collect()
}

fn encode(stickers: &[Sticker]) {
    for sticker in stickers {
        let mut config = WebPConfig::new().expect("libwebp has a default configuration");
        (config.method, config.quality) = (4, 90.0);
        let encoder = Encoder::from_rgba(sticker.rgba.as_raw(), sticker.width, sticker.height);
        black_box(encoder.encode_advanced(&config).expect("512 x 512 px can be encoded"));
    }
}

fn main() {
    let renderer = Renderer::new(Templates::built_in()).expect("the built-in outfits are checked by tests");
    for side in [1_024, 2_048] {
        let sheet = sheet(&renderer, side);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let mut rounds = Vec::new();
        // In turn, so that a busy machine slows both alike.
        for _ in 0..ROUNDS {
            let start = cpu();
            let cut = black_box(renderer.cut_sheet(&sheet, NINE, KeyColour::Green, 9));
            let after_cut = cpu();
            drop(cut);
            let again = cpu();
            let stickers = pack(&renderer, &sheet);
            let made = cpu();
            encode(&stickers);
            rounds.push((ms(made - again), ms(cpu() - made), ms(after_cut - start)));
        }
        rounds.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
        let (made, bare, cut) = rounds[ROUNDS / 2];
        println!(
            "{side} px: sheet to stickers {made:.0} ms CPU (cutting {cut:.0}), bare encoding {bare:.0} ms CPU, ratio {:.2}",
            made / bare
        );
    }
}
