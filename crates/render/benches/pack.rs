//! Selfie to finished pack against bare libwebp encoding of the same nine pictures: CPU time, wall time, peak memory. And how
//! long a photo that is not taken keeps the guest waiting.
//!
//! `cargo bench -p render --bench pack` (Linux: times and memory are read from `/proc`).

use std::fs;
use std::hint::black_box;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, RgbImage};
use render::{Language, Renderer, Sticker, Templates};
use webp::{Encoder, WebPConfig};

const PHOTO: &[u8] = include_bytes!("../tests/data/astronaut.png");
const TWO: &[u8] = include_bytes!("../tests/data/two_people_synthetic.png");
const ROUNDS: usize = 9;

/// CPU time of all threads so far.
fn cpu() -> Duration {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let run = |task: fs::DirEntry| -> u64 {
        let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    Duration::from_nanos(tasks.map(run).sum())
}

/// Median CPU and wall time in ms.
fn median(mut work: impl FnMut()) -> (f64, f64) {
    let (mut cpus, mut walls) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (c, w) = (cpu(), Instant::now());
        work();
        cpus.push((cpu() - c).as_secs_f64() * 1e3);
        walls.push(w.elapsed().as_secs_f64() * 1e3);
    }
    cpus.sort_by(f64::total_cmp);
    walls.sort_by(f64::total_cmp);
    (cpus[ROUNDS / 2], walls[ROUNDS / 2])
}

fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn encode(stickers: &[Sticker]) {
    for sticker in stickers {
        let mut config = WebPConfig::new().expect("libwebp has a default configuration");
        (config.method, config.quality) = (4, 90.0);
        let encoder = Encoder::from_rgba(sticker.rgba.as_raw(), sticker.width, sticker.height);
        black_box(encoder.encode_advanced(&config).expect("512 x 512 px can be encoded"));
    }
}

/// A pack and the bare encoding of its pictures in turn, so that a busy machine slows both alike.
fn compare(renderer: &Renderer, photo: &[u8], id: &str) {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let (start, clock) = (cpu(), Instant::now());
        let on_sticker = &mut |_: usize, _: &Sticker| ControlFlow::Continue(());
        let pack = renderer.composite(photo, id, Language::Ru, on_sticker).expect("a pack");
        let (middle, wall) = (cpu(), clock.elapsed());
        encode(&pack);
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        rounds.push((ms(middle - start), ms(cpu() - middle), ms(wall)));
    }
    rounds.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (pack, bare, wall) = rounds[ROUNDS / 2];
    let ratio = pack / bare;
    println!(
        "{id}: pack {pack:.0} ms CPU, {wall:.0} ms wall, bare encoding {bare:.0} ms CPU, ratio {ratio:.2}"
    );
}

/// Photos that are not taken, by the reason.
fn refused() -> Vec<(&'static str, Vec<u8>)> {
    let plain = RgbImage::from_fn(4000, 3000, |x, y| image::Rgb([90, 120, ((x + y) % 200) as u8]));
    let mut nobody = Cursor::new(Vec::new());
    let jpeg = DynamicImage::ImageRgb8(plain).write_to(&mut nobody, ImageFormat::Jpeg);
    jpeg.expect("a picture in memory can be written");
    let mut huge = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xc3\x50\0\0\xc3\x50\x08\x02\0\0\0".to_vec();
    huge.extend([0; 16]);
    vec![
        ("not an image", b"this is a poem, not a photo".repeat(64)),
        ("11 MiB of something", vec![0xff; 11 * 1024 * 1024]),
        ("a PNG header of 50,000 x 50,000", huge),
        ("no face, 12 megapixels", nobody.into_inner()),
        ("two faces", TWO.to_vec()),
    ]
}

fn main() {
    let started = (cpu(), Instant::now());
    let renderer = Renderer::new(Templates::built_in()).expect("the built-in outfits are checked by tests");
    println!(
        "start (networks, outfits, font): {:.0} ms CPU, {:.0} ms wall, {:.0} MiB",
        (cpu() - started.0).as_secs_f64() * 1e3,
        started.1.elapsed().as_secs_f64() * 1e3,
        peak_mib()
    );
    let photo = renderer.check_photo(PHOTO).expect("the portrait is accepted");
    let report = |what: &str, (cpu, wall): (f64, f64)| println!("{what}: {cpu:.0} ms CPU, {wall:.0} ms wall");
    report("photo check", median(|| drop(black_box(renderer.check_photo(PHOTO)))));
    report("camera frame check", median(|| _ = black_box(renderer.check_frame(&photo.jpeg))));
    for (what, photo) in refused() {
        let code = renderer.check_photo(&photo).err().map_or("accepted", |refusal| refusal.code());
        report(&format!("{what} ({code})"), median(|| drop(black_box(renderer.check_photo(&photo)))));
    }
    for template in renderer.templates().iter() {
        compare(&renderer, &photo.jpeg, &template.id);
    }
    println!("peak memory: {:.0} MiB", peak_mib());
}
