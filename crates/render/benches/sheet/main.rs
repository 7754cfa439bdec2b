//! A provider's sheet to nine finished stickers: against bare libwebp encoding of the same nine pictures in CPU time, against the truth
//! about sheets that are hard on purpose, and, when they are named, against scripts of the same work on other libraries.
//!
//! `cargo bench -p render --bench sheet` (Linux: times are read from `/proc`); `make bench-sheets` with the scripts.

#[path = "../../tests/sheets/hard/mod.rs"]
mod hard;
mod peers;

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use hard::{CASES, Case, Composed, Share, USUAL, compose, fringe, shares};
use image::RgbaImage;
use peers::{Peer, Times};
use render::{Cells, Grid, Language, Renderer, SheetProblem, Sticker, Templates};
use webp::{Encoder, WebPConfig};

const PHOTO: &[u8] = include_bytes!("../../tests/data/astronaut.png");
const ROUNDS: usize = 15;
/// Rounds when other libraries are measured too.
const ROUNDS_WITH_PEERS: usize = 7;
/// The side of a sheet in tables.
const SIDE: u32 = 1_024;
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

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn cut(renderer: &Renderer, case: &Case, sheet: &[u8]) -> Result<Cells, SheetProblem> {
    renderer.cut_sheet(sheet, NINE, case.key, 9)
}

fn pack(renderer: &Renderer, case: &Case, sheet: &[u8]) -> Vec<Option<Sticker>> {
    let cells = cut(renderer, case, sheet).expect("a good sheet");
    let finish = |(place, cell): (usize, &Result<render::Figure, render::CellProblem>)| {
        let figure = cell.as_ref().ok()?;
        Some(renderer.finish_figure(figure, "chapan", place, Language::Ru).expect("a sticker"))
    };
    cells.iter().enumerate().map(finish).collect()
}

fn encode(stickers: &[Option<Sticker>], method: i32) {
    for sticker in stickers.iter().flatten() {
        let mut config = WebPConfig::new().expect("libwebp has a default configuration");
        (config.method, config.quality) = (method, 90.0);
        let encoder = Encoder::from_rgba(sticker.rgba.as_raw(), sticker.width, sticker.height);
        black_box(encoder.encode_advanced(&config).expect("512 x 512 px can be encoded"));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Our times beside the bare encoding and the peers, in turn, so that a busy machine slows all alike.
fn speed(renderer: &Renderer, figures: &[RgbaImage], side: u32, peers: &[Peer]) {
    let sheet = compose(figures, &USUAL, side);
    let rounds = if peers.is_empty() { ROUNDS } else { ROUNDS_WITH_PEERS };
    let (mut ratios, mut ours, mut bares) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cuts, mut walls, mut quick) = (Vec::new(), Vec::new(), Vec::new());
    let mut others: Vec<Vec<Times>> = peers.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        let start = cpu();
        drop(black_box(cut(renderer, &USUAL, &sheet.file)));
        let (again, clock) = (cpu(), Instant::now());
        let stickers = pack(renderer, &USUAL, &sheet.file);
        let (made, wall) = (cpu(), clock.elapsed());
        encode(&stickers, 4);
        let bare = cpu();
        encode(&stickers, 2);
        quick.push(ms(cpu() - bare));
        cuts.push(ms(again - start));
        ours.push(ms(made - again));
        walls.push(ms(wall));
        bares.push(ms(bare - made));
        ratios.push(ms(made - again) / ms(bare - made));
        for (peer, times) in peers.iter().zip(&mut others) {
            times.push(peer.run("speed", &USUAL, &sheet.file, 3).expect("the peer works").times);
        }
    }
    println!("\n{side} px, nine figures, medians of {rounds} rounds:");
    println!(
        "  ours: {:.0} ms CPU, {:.0} ms wall (cutting {:.0} ms); bare encoding {:.0} ms CPU (as fast as ours encodes: {:.0} ms)",
        median(ours),
        median(walls),
        median(cuts),
        median(bares),
        median(quick)
    );
    println!("  ratio to bare encoding: {:.2} (to reach: 1.25)", median(ratios));
    for (peer, times) in peers.iter().zip(others) {
        let of = |part: fn(&Times) -> f64| median(times.iter().map(part).collect());
        println!("  {}: {:.0} ms CPU, {:.0} ms wall", peer.name, of(|t| t.cpu_ms), of(|t| t.wall_ms));
    }
}

/// What was lost, kept and changed on a sheet, as means over its figures, and the worst edge.
fn table_row(
    who: &str,
    composed: &Composed,
    case: &Case,
    cuts: &[Option<Cut>],
    stickers: &[Option<RgbaImage>],
) {
    let each = composed.layers.iter().zip(cuts).map(|(truth, cut)| {
        let cut = cut.as_ref().map(|cut| (cut.left, cut.top, &cut.picture));
        shares(truth, composed.side, cut)
    });
    let each: Vec<Share> = each.collect();
    let mean =
        |part: fn(&Share) -> f32| each.iter().map(part).sum::<f32>() / each.len().max(1) as f32 * 100.0;
    let worst = each.iter().map(|share| share.lost).fold(0.0, f32::max) * 100.0;
    let edges = stickers.iter().flatten().map(|sticker| fringe(sticker, case.key));
    let edges: Vec<f32> = edges.collect();
    let edge = edges.iter().sum::<f32>() / edges.len().max(1) as f32 * 100.0;
    println!(
        "  {:<17} {:<7} {} of 9  lost {:>6.3} % (worst {:>6.3})  kept {:>6.3} %  changed {:>6.3} %  fringe {:>6.3} %",
        case.name,
        who,
        edges.len(),
        mean(|s| s.lost),
        worst,
        mean(|s| s.kept),
        mean(|s| s.changed),
        edge
    );
}

/// A figure as it was cut out of a sheet.
pub struct Cut {
    left: i64,
    top: i64,
    picture: RgbaImage,
}

fn quality(renderer: &Renderer, figures: &[RgbaImage], peers: &[Peer]) {
    println!("\n{SIDE} px, against the truth:");
    for case in CASES {
        let composed = compose(figures, &case, SIDE);
        let cells = cut(renderer, &case, &composed.file).expect("a good sheet");
        let cuts = cells.iter().map(|cell| {
            let figure = cell.as_ref().ok()?;
            let (left, top) = figure.place();
            Some(Cut { left: left.into(), top: top.into(), picture: figure.picture() })
        });
        let cuts: Vec<Option<Cut>> = cuts.collect();
        let stickers = pack(renderer, &case, &composed.file);
        let pictures: Vec<_> =
            stickers.into_iter().map(|sticker| sticker.map(|sticker| sticker.rgba)).collect();
        table_row("ours", &composed, &case, &cuts, &pictures);
        for peer in peers {
            let made = peer.run(case.name, &case, &composed.file, 1).expect("the peer works");
            table_row(peer.name, &composed, &case, &made.cuts, &made.stickers);
        }
    }
}

fn main() {
    let peers = peers::named(std::env::args().skip(1));
    let renderer = Renderer::new(Templates::built_in()).expect("the built-in outfits are checked by tests");
    let photo = renderer.check_photo(PHOTO).expect("the portrait is accepted");
    let figures = renderer.figures(&photo.jpeg, "chapan").expect("nine figures");
    for side in [1_024, 2_048] {
        speed(&renderer, &figures, side, &peers);
    }
    quality(&renderer, &figures, &peers);
}
