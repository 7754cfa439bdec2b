//! Packs from the committed portrait and what is made from it: every outfit, every sticker.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::collections::HashSet;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage, imageops};
use render::{Background, CompositeError, Language, Refusal, Renderer, Sticker, Templates, contact_sheet};

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| Renderer::new(Templates::built_in()).unwrap());
static CHAPAN: LazyLock<Vec<Sticker>> = LazyLock::new(|| pack(ASTRONAUT, "chapan", Language::Ru));
const ASTRONAUT: &[u8] = include_bytes!("data/astronaut.png");
const PROFILE: &[u8] = include_bytes!("data/camera.png");

fn pack(photo: &[u8], id: &str, language: Language) -> Vec<Sticker> {
    RENDERER.composite(photo, id, language, &mut |_, _| ControlFlow::Continue(())).unwrap()
}

fn astronaut() -> RgbImage {
    image::load_from_memory(ASTRONAUT).unwrap().into_rgb8()
}

fn jpeg(picture: RgbImage) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture).write_to(&mut out, ImageFormat::Jpeg).unwrap();
    out.into_inner()
}

fn first_sticker(photo: &[u8], id: &str) -> RgbaImage {
    let mut out = None;
    let ended = RENDERER.composite(photo, id, Language::Ru, &mut |_, sticker| {
        out = Some(sticker.rgba.clone());
        ControlFlow::Break(())
    });
    assert!(matches!(ended, Err(CompositeError::Cancelled)), "{ended:?}");
    out.unwrap()
}

fn mean_difference(a: &RgbaImage, b: &RgbaImage) -> f32 {
    let sum: u64 = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f32 / a.as_raw().len() as f32
}

#[test]
fn every_outfit_has_nine_stickers_of_its_own_in_three_languages() {
    assert!(RENDERER.templates().iter().len() >= 6);
    for template in RENDERER.templates().iter() {
        assert_eq!(template.slots.len(), 9, "{}", template.id);
        let ids: HashSet<&str> = template.slots.iter().map(|s| s.id.as_str()).collect();
        assert_eq!(ids.len(), 9, "{}", template.id);
        assert!(template.titles.all().iter().all(|t| !t.is_empty()));
        assert!(!template.prompt.is_empty());
    }
}

#[test]
fn a_pack_has_the_slots_of_its_outfit_in_order() {
    let template = RENDERER.templates().get("chapan").unwrap();
    let got: Vec<_> = CHAPAN.iter().map(|s| (s.slot.as_str(), s.emoji.as_str())).collect();
    let want: Vec<_> = template.slots.iter().map(|s| (s.id.as_str(), s.emoji.as_str())).collect();
    assert_eq!(got, want);
}

#[test]
fn stickers_are_what_telegram_takes() {
    for sticker in CHAPAN.iter() {
        assert_eq!((sticker.width, sticker.height), (512, 512));
        assert!(sticker.webp.len() < 512 * 1024, "{} is {} bytes", sticker.slot, sticker.webp.len());
        let decoded =
            image::load_from_memory_with_format(&sticker.webp, ImageFormat::WebP).unwrap().into_rgba8();
        assert_eq!(decoded.dimensions(), (512, 512));
        assert_eq!(decoded.get_pixel(0, 0)[3], 0, "{} has a transparent corner", sticker.slot);
        assert!(mean_difference(&decoded, &sticker.rgba) < 30.0, "{}", sticker.slot);
    }
}

/// Outline and shadow end inside the frame, and the longer side is filled.
#[test]
fn nothing_is_cut_off_at_the_frame() {
    for template in RENDERER.templates().iter() {
        for sticker in pack(ASTRONAUT, &template.id, Language::Uz) {
            let solid = |x: u32, y: u32| sticker.rgba.get_pixel(x, y)[3] > 2;
            let name = format!("{}, {}", template.id, sticker.slot);
            let border = (0..512).any(|i| solid(i, 0) || solid(i, 511) || solid(0, i) || solid(511, i));
            assert!(!border, "{name} touches the frame");
            let across: Vec<u32> = (0..512).filter(|x| (0..512).any(|y| solid(*x, y))).collect();
            let down: Vec<u32> = (0..512).filter(|y| (0..512).any(|x| solid(x, *y))).collect();
            let longer = across.len().max(down.len());
            assert!(longer > 460, "{name} is only {longer} px");
        }
    }
}

#[test]
fn the_outline_is_white_and_as_wide_as_it_should_be() {
    for sticker in CHAPAN.iter() {
        let row = (0..512).map(|x| *sticker.rgba.get_pixel(x, 120));
        let solid: Vec<_> = row.skip_while(|p| p[3] < 250).take(6).collect();
        assert!(
            solid.iter().skip(1).all(|p| p[0] > 235 && p[1] > 235 && p[2] > 235),
            "{}: {solid:?}",
            sticker.slot
        );
    }
}

#[test]
fn the_same_photo_gives_the_same_bytes() {
    let again = pack(ASTRONAUT, "chapan", Language::Ru);
    assert!(CHAPAN.iter().zip(&again).all(|(a, b)| a.webp == b.webp));
}

#[test]
fn no_two_stickers_of_a_pack_are_alike() {
    for (i, a) in CHAPAN.iter().enumerate() {
        for b in &CHAPAN[..i] {
            assert!(mean_difference(&a.rgba, &b.rgba) > 12.0, "{} and {}", a.slot, b.slot);
        }
    }
}

#[test]
fn the_caption_is_in_the_language_of_the_guest() {
    let english = pack(ASTRONAUT, "chapan", Language::En);
    for (ru, en) in CHAPAN.iter().zip(&english) {
        let template = RENDERER.templates().get("chapan").unwrap();
        let slot = template.slots.iter().find(|s| s.id == ru.slot).unwrap();
        let same_words = slot.caption.ru == slot.caption.en;
        assert_eq!(ru.webp == en.webp, same_words, "{}", ru.slot);
    }
}

#[test]
fn progress_is_told_after_each_sticker_and_can_break_off() {
    let mut seen = Vec::new();
    let ended = RENDERER.composite(ASTRONAUT, "chapan", Language::Ru, &mut |index, sticker| {
        seen.push((index, sticker.slot.clone()));
        if index == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(ended, Err(CompositeError::Cancelled)));
    assert_eq!(seen.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(seen[1].1, CHAPAN[1].slot);
}

#[test]
fn an_unknown_outfit_and_an_empty_photo_are_told_apart() {
    let none = &mut |_: usize, _: &Sticker| ControlFlow::Continue(());
    let unknown = RENDERER.composite(ASTRONAUT, "tuxedo", Language::Ru, none);
    assert!(matches!(unknown, Err(CompositeError::UnknownTemplate)));
    let grey = jpeg(RgbImage::from_pixel(600, 600, image::Rgb([128, 128, 128])));
    let empty = RENDERER.composite(&grey, "chapan", Language::Ru, none);
    assert!(matches!(empty, Err(CompositeError::Photo(Refusal::NoFace))));
}

/// The astronaut as other cameras would have seen her.
fn variants() -> Vec<(&'static str, Vec<u8>)> {
    let plain = astronaut();
    let mut dark = plain.clone();
    dark.iter_mut().for_each(|v| *v = (f32::from(*v) * 0.45) as u8);
    let mut warm = plain.clone();
    warm.pixels_mut().for_each(|p| p[2] = (f32::from(p[2]) * 0.7) as u8);
    let mut wide = RgbImage::from_pixel(1280, 960, image::Rgb([70, 96, 104]));
    imageops::overlay(&mut wide, &plain, 640, 400);
    let edge = imageops::crop_imm(&plain, 150, 30, 362, 482).to_image();
    let large = imageops::resize(&plain, 2000, 2000, imageops::FilterType::CatmullRom);
    vec![
        ("mirrored", jpeg(imageops::flip_horizontal(&plain))),
        ("darker", jpeg(dark)),
        ("under a warm lamp", jpeg(warm)),
        ("small in a wide frame", jpeg(wide)),
        ("at the edge", jpeg(edge)),
        ("from a large camera", jpeg(large)),
    ]
}

#[test]
fn a_head_is_found_and_drawn_however_the_photo_was_taken() {
    let usual = &CHAPAN[0].rgba;
    let cover = |s: &RgbaImage| s.pixels().filter(|p| p[3] > 128).count() as f32;
    for (name, photo) in variants() {
        let sticker = first_sticker(&photo, "chapan");
        let ratio = cover(&sticker) / cover(usual);
        assert!((0.8..1.2).contains(&ratio), "{name}: {ratio} of the usual area");
    }
}

#[test]
fn hands_have_the_colour_of_the_face() {
    let tone = |photo: &[u8]| {
        let sticker = first_sticker(photo, "chapan");
        // the palm of the waving hand
        let palm =
            sticker.enumerate_pixels().filter(|(x, y, _)| (60..160).contains(x) && (180..300).contains(y));
        let like_skin =
            |p: &image::Rgba<u8>| p[3] == 255 && p[0] < 240 && u32::from(p[0]) > u32::from(p[2]) + 25;
        let mut skin: Vec<u8> = palm.filter(|(_, _, p)| like_skin(p)).map(|(_, _, p)| p[1]).collect();
        skin.sort_unstable();
        skin[skin.len() / 2]
    };
    let mut dark = astronaut();
    dark.iter_mut().for_each(|v| *v = (f32::from(*v) * 0.4) as u8);
    assert!(tone(ASTRONAUT) > tone(&jpeg(dark)) + 40);
}

#[test]
fn an_old_photo_of_somebody_who_looks_away_is_served_as_a_badge_or_refused() {
    let done = RENDERER.composite(PROFILE, "chapan", Language::Ru, &mut |_, _| ControlFlow::Continue(()));
    match done {
        Ok(stickers) => assert_eq!(stickers.len(), 9),
        Err(e) => assert!(matches!(e, CompositeError::Photo(Refusal::NoFace)), "{e}"),
    }
}

#[test]
fn a_contact_sheet_holds_the_whole_pack() {
    let sheet = image::load_from_memory(&contact_sheet(&CHAPAN, Background::Chat)).unwrap().into_rgb8();
    assert_eq!(sheet.dimensions(), (3 * 522 + 10, 3 * 522 + 10));
    let light = image::load_from_memory(&contact_sheet(&CHAPAN[..4], Background::Light)).unwrap().into_rgb8();
    assert_eq!(light.dimensions(), (3 * 522 + 10, 2 * 522 + 10));
    assert_eq!(light.get_pixel(2, 2).0, [247, 247, 247]);
}

/// Portraits of people are not in the repository; where a folder of them exists it is used, else the variants above.
fn portraits() -> Vec<(String, Vec<u8>)> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the folder of portraits is told to tests by the environment"
    )]
    let named = std::env::var_os("PORTRAITS_DIR").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = named.unwrap_or_else(|| root.join("../shared/samples/faces"));
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        out.push((entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()));
    }
    if out.is_empty() {
        out = variants().into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    }
    out.sort();
    out
}

#[test]
fn nearly_every_portrait_becomes_a_sticker() {
    let all = portraits();
    let (mut drawn, mut failed) = (0, Vec::new());
    for (name, bytes) in &all {
        match RENDERER.check_photo(bytes) {
            Ok(photo) => {
                let sticker = first_sticker(&photo.jpeg, "hoodie");
                let cover = sticker.pixels().filter(|p| p[3] > 128).count();
                assert!((45_000..190_000).contains(&cover), "{name} covers {cover} px");
                drawn += 1;
            }
            Err(refusal) => failed.push(format!("{name}: {refusal}")),
        }
    }
    assert!(drawn * 10 >= all.len() * 8, "refused: {failed:?}");
}
