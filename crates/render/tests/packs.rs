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
fn assert_fills_the_frame(sticker: &Sticker, name: &str) {
    let solid = |x: u32, y: u32| sticker.rgba.get_pixel(x, y)[3] > 2;
    let border = (0..512).any(|i| solid(i, 0) || solid(i, 511) || solid(0, i) || solid(511, i));
    assert!(!border, "{name} touches the frame");
    let across = (0..512).filter(|x| (0..512).any(|y| solid(*x, y))).count();
    let down = (0..512).filter(|y| (0..512).any(|x| solid(x, *y))).count();
    assert!(across.max(down) > 460, "{name} is only {across} x {down} px");
}

/// Everything that is drawn has white round it: within four pixels of what can be seen through nothing is coloured.
fn assert_outlined(sticker: &Sticker, name: &str) {
    let rgba = &sticker.rgba;
    let clear = |x: i32, y: i32| rgba.get_pixel(x as u32, y as u32)[3] < 60;
    for (x, y, pixel) in rgba.enumerate_pixels() {
        let (x, y) = (x as i32, y as i32);
        if pixel[3] < 250 || !(4..508).contains(&x) || !(4..508).contains(&y) {
            continue;
        }
        let at_edge = clear(x - 4, y) || clear(x + 4, y) || clear(x, y - 4) || clear(x, y + 4);
        assert!(
            !at_edge || pixel.0[..3].iter().all(|v| *v > 215),
            "{name}: {pixel:?} at {x}, {y} has no outline"
        );
    }
}

#[test]
fn nothing_is_cut_off_at_the_frame_and_all_is_outlined() {
    for template in RENDERER.templates().iter() {
        for sticker in pack(ASTRONAUT, &template.id, Language::Uz) {
            let name = format!("{}, {}", template.id, sticker.slot);
            assert_fills_the_frame(&sticker, &name);
            assert_outlined(&sticker, &name);
        }
    }
}

/// The face's finder sees the drawn face too. In a picture of 1080 px that counts from 150 px on (100 px where 720 are
/// expected), so a sticker that is found has a face of 29 px where chats show it 100 px wide.
#[test]
fn a_face_can_still_be_read_where_a_sticker_is_a_hundred_pixels_wide() {
    for template in RENDERER.templates().iter() {
        let sticker = first_sticker(ASTRONAUT, &template.id);
        let mut page = RgbaImage::from_pixel(1080, 1080, image::Rgba([143, 185, 143, 255]));
        imageops::overlay(&mut page, &sticker, 284, 284);
        let answer = RENDERER.check_frame(&jpeg(DynamicImage::ImageRgba8(page).into_rgb8()));
        assert!(answer.ok, "{}: {answer:?}", template.id);
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

/// How many pixels have a colour, more or less.
fn count_of(sticker: &Sticker, colour: &str) -> usize {
    let part = |at: usize| u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
    let want = [part(1), part(3), part(5)];
    let alike = |p: &&image::Rgba<u8>| p[3] == 255 && (0..3).all(|c| p[c].abs_diff(want[c]) < 10);
    sticker.rgba.pixels().filter(alike).count()
}

/// Slots that all outfits share and their colours.
const COLOURS: [(&str, &str); 7] = [
    ("hi", "#ff8a00"),
    ("laugh", "#ffc400"),
    ("love", "#ff2f57"),
    ("like", "#24b35a"),
    ("sleep", "#4a7dff"),
    ("angry", "#ff3b30"),
    ("thanks", "#00a6a6"),
];

#[test]
fn an_old_photo_of_somebody_who_looks_away_is_served_as_a_badge() {
    let badges = pack(PROFILE, "chapan", Language::Ru);
    let slots = &RENDERER.templates().get("chapan").unwrap().slots;
    assert!(badges.iter().map(|s| &s.slot).eq(slots.iter().map(|s| &s.id)));
    for sticker in &badges {
        assert_fills_the_frame(sticker, &sticker.slot);
        assert_outlined(sticker, &sticker.slot);
    }
    for (id, colour) in COLOURS {
        let sticker = badges.iter().find(|s| s.slot == id).unwrap();
        // the ring alone is more than ten thousand pixels large, half of that where it lies on a pillow
        let ring = count_of(sticker, colour);
        assert!(ring > 5_000, "{id}: {ring} px of {colour}");
    }
    for (i, a) in badges.iter().enumerate() {
        for b in &badges[..i] {
            assert!(mean_difference(&a.rgba, &b.rgba) > 4.0, "{} and {}", a.slot, b.slot);
        }
    }
}

/// In squares as large as an eye the network sees a face, but not at the first look, and its landmarks cannot be read.
#[test]
fn a_face_that_cannot_be_read_is_refused_when_it_is_taken_and_has_its_badge_when_it_was() {
    let coarse = imageops::resize(&astronaut(), 40, 40, imageops::FilterType::Triangle);
    let photo = jpeg(imageops::resize(&coarse, 1024, 1024, imageops::FilterType::Triangle));
    assert_eq!(RENDERER.check_photo(&photo).err().map(|r| r.code()), Some("no_face"));
    assert!(count_of(&pack(&photo, "chapan", Language::Uz)[0], "#ff8a00") > 10_000);
}

#[test]
fn an_old_photo_of_a_profile_has_its_badge() {
    let profile = image::load_from_memory(PROFILE).unwrap().into_rgb8();
    let large = imageops::resize(&profile, 1536, 1536, imageops::FilterType::CatmullRom);
    let checked = RENDERER.check_old_photo(&jpeg(large)).unwrap();
    assert!(count_of(&pack(&checked.jpeg, "chapan", Language::Uz)[0], "#ff8a00") > 10_000);
}

/// The astronaut with something painted over, in fractions of the picture: left, top, right, bottom.
fn with_patch(colour: [u8; 3], part: [f32; 4]) -> RgbImage {
    let mut out = astronaut();
    let [l, t, r, b] = part.map(|v| (v * 512.0) as u32);
    (t..b).for_each(|y| (l..r).for_each(|x| out.put_pixel(x, y, image::Rgb(colour))));
    out
}

#[test]
fn a_red_straw_is_not_drawn_as_blood_on_the_chin() {
    let red = |sticker: &RgbaImage| {
        let chin =
            sticker.enumerate_pixels().filter(|(x, y, _)| (150..360).contains(x) && (200..340).contains(y));
        chin.filter(|(_, _, p)| p[3] == 255 && p[0] > 150 && p[1] < 70 && p[2] < 90).count()
    };
    let straw = with_patch([225, 30, 40], [0.43, 0.299, 0.446, 0.38]);
    let (usual, with_straw) = (first_sticker(ASTRONAUT, "hoodie"), first_sticker(&jpeg(straw), "hoodie"));
    let (usual, with_straw) = (red(&usual), red(&with_straw));
    assert!(with_straw <= usual + 60, "{with_straw} red pixels, usually {usual}");
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
        match RENDERER.check_old_photo(bytes) {
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
