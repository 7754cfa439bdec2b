//! Stickers from sheets that the stand-ins of the image providers draw, good ones and those with something wrong.

use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::ImageFormat;
use render::{CellProblem, Cells, KeyColour, Language, SheetProblem, Sticker};
use serde_json::{Value, json};
use simulator::VirtualClock;
use simulator::images::{Defect, GEMINI_KEY, ImageWorld, PictureFormat, Scripted};

use crate::hard::fringe;
use crate::{NINE, RENDERER};

/// A sheet of nine figures as a provider sends it.
fn sheet(key: KeyColour, format: PictureFormat, defects: &[Defect]) -> Vec<u8> {
    let world = ImageWorld::new(Arc::new(VirtualClock::at(0))).unwrap();
    world.draw_as(format);
    defects.iter().for_each(|defect| assert!(world.order(Scripted::drawn(*defect))));
    let poses: String = (1..=9).map(|number| format!("{number}. pose {number}\n")).collect();
    let prompt = format!("One image, exactly 3 columns x 3 rows on flat {}.\n{poses}", key.hex());
    let order = json!({
        "contents": [{"parts": [{"text": prompt}]}],
        "generationConfig": {"responseModalities": ["TEXT", "IMAGE"], "imageConfig": {"imageSize": "1K"}}
    });
    let request = Request::post("/v1beta/models/gemini-nano-banana-2.1:generateContent")
        .header("x-goog-api-key", GEMINI_KEY)
        .body(Body::from(order.to_string()))
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer =
        runtime.block_on(async { to_bytes(world.ask(request).await.into_body(), 1 << 26).await.unwrap() });
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let parts = answer["candidates"][0]["content"]["parts"].as_array().unwrap();
    STANDARD.decode(parts.last().unwrap()["inlineData"]["data"].as_str().unwrap()).unwrap()
}

fn cells(key: KeyColour, format: PictureFormat, defects: &[Defect]) -> Cells {
    RENDERER.cut_sheet(&sheet(key, format, defects), NINE, key, 9).unwrap()
}

/// The stickers of a sheet without a problem.
fn pack(key: KeyColour, format: PictureFormat, defects: &[Defect]) -> Vec<Sticker> {
    let cells = cells(key, format, defects);
    let finish = |(place, cell): (usize, &Result<render::Figure, CellProblem>)| {
        let figure = cell.as_ref().unwrap_or_else(|problem| panic!("cell {place}: {problem}"));
        RENDERER.finish_figure(figure, "chapan", place, Language::En).unwrap()
    };
    cells.iter().enumerate().map(finish).collect()
}

fn problems(defects: &[Defect]) -> Vec<Option<CellProblem>> {
    cells(KeyColour::Green, PictureFormat::Jpeg, defects).into_iter().map(Result::err).collect()
}

/// What is wrong with nine cells of which the named ones are bad.
fn only(bad: &[(usize, CellProblem)]) -> Vec<Option<CellProblem>> {
    (0..9).map(|cell| bad.iter().find(|(at, _)| *at == cell).map(|(_, problem)| *problem)).collect()
}

/// How far a colour leans to the key.
fn strength([r, g, b, _]: [u8; 4], key: KeyColour) -> i16 {
    let (r, g, b) = (i16::from(r), i16::from(g), i16::from(b));
    if key == KeyColour::Green { g - r.max(b) } else { r.min(b) - g }
}

/// Leaves the stickers where a person can look at them, when a folder was named.
fn show(name: &str, stickers: &[Sticker]) {
    if let Some(folder) = option_env!("STICKERS_SHOW") {
        let file = Path::new(folder).join(format!("{name}.png"));
        std::fs::write(file, render::contact_sheet(stickers, render::Background::Chat)).unwrap();
    }
}

fn assert_fine(name: &str, key: KeyColour, stickers: &[Sticker]) {
    show(name, stickers);
    assert_eq!(stickers.len(), 9);
    let slots = &RENDERER.templates().get("chapan").unwrap().slots;
    for (sticker, slot) in stickers.iter().zip(slots) {
        assert_eq!((sticker.width, sticker.height, &sticker.slot), (512, 512, &slot.id));
        assert!(sticker.webp.len() < 512 * 1024);
        let file = image::load_from_memory_with_format(&sticker.webp, ImageFormat::WebP).unwrap();
        assert!(file.color().has_alpha());
        let solid = sticker.rgba.pixels().filter(|pixel| pixel[3] > 250).count();
        assert!((50_000..180_000).contains(&solid), "{name}, {}: {solid} solid pixels", slot.id);
        let glows =
            sticker.rgba.pixels().filter(|pixel| pixel[3] > 60 && strength(pixel.0, key) > 130).count();
        assert_eq!(glows, 0, "{name}, {}: ground shows through a hole", slot.id);
        let part = fringe(&sticker.rgba, key);
        assert!(part < 0.005, "{name}, {}: {part} of the edge leans to the key", slot.id);
    }
}

#[test]
fn a_clean_sheet_becomes_nine_stickers_on_either_key() {
    for (name, key) in [("green", KeyColour::Green), ("magenta", KeyColour::Magenta)] {
        assert_fine(name, key, &pack(key, PictureFormat::Png, &[]));
    }
}

#[test]
fn jpeg_noise_and_an_uneven_ground_leave_no_fringe() {
    let cases: [(&str, &[Defect]); 5] = [
        ("jpeg", &[]),
        ("noise", &[Defect::Noise]),
        ("uneven", &[Defect::Uneven]),
        ("off-key", &[Defect::OffKey]),
        ("all", &[Defect::Uneven, Defect::Noise, Defect::OffKey]),
    ];
    for (name, defects) in cases {
        for key in [KeyColour::Green, KeyColour::Magenta] {
            assert_fine(&format!("{name}-{key:?}"), key, &pack(key, PictureFormat::Jpeg, defects));
        }
    }
}

#[test]
fn no_limb_and_no_star_is_lost() {
    let clean = pack(KeyColour::Green, PictureFormat::Png, &[]);
    let hard = pack(KeyColour::Green, PictureFormat::Jpeg, &[Defect::Uneven, Defect::Noise]);
    for (clean, hard) in clean.iter().zip(&hard) {
        let solid = |sticker: &Sticker| sticker.rgba.pixels().filter(|pixel| pixel[3] > 128).count() as f32;
        let ratio = solid(hard) / solid(clean);
        assert!((0.985..1.015).contains(&ratio), "{}: {ratio}", clean.slot);
    }
}

#[test]
fn a_bad_cell_is_named_and_the_others_are_kept() {
    let rows = [
        (Defect::Empty(4), CellProblem::Empty),
        (Defect::Tiny(2), CellProblem::Missing),
        (Defect::Two(7), CellProblem::Several),
        (Defect::Cut(1), CellProblem::Cut),
        (Defect::Cut(8), CellProblem::Cut),
        (Defect::Same(5), CellProblem::Same(4)),
    ];
    for (defect, problem) in rows {
        let (Defect::Empty(at) | Defect::Tiny(at) | Defect::Two(at) | Defect::Cut(at) | Defect::Same(at)) =
            defect
        else {
            unreachable!()
        };
        assert_eq!(problems(&[defect]), only(&[(at, problem)]), "{defect:?}");
    }
}

#[test]
fn figures_that_touch_are_both_drawn_again() {
    let touching = CellProblem::Touching;
    assert_eq!(problems(&[Defect::Touching(3)]), only(&[(3, touching), (4, touching)]));
}

#[test]
fn a_good_sheet_has_no_bad_cell_on_any_ground() {
    for defects in [&[][..], &[Defect::Uneven], &[Defect::Noise, Defect::OffKey]] {
        assert_eq!(problems(defects), only(&[]), "{defects:?}");
    }
}

#[test]
fn a_sheet_without_key_colour_or_of_another_shape_is_refused_whole() {
    let cut = |bytes: &[u8]| RENDERER.cut_sheet(bytes, NINE, KeyColour::Green, 9).map(|cells| cells.len());
    let drawn = |defect| sheet(KeyColour::Green, PictureFormat::Jpeg, &[defect]);
    assert_eq!(cut(&drawn(Defect::Chessboard)), Err(SheetProblem::Ground));
    assert_eq!(cut(&drawn(Defect::Wide)), Err(SheetProblem::Shape { width: 2_048, height: 1_024 }));
    assert_eq!(cut(b"\xff\xd8\xff nonsense"), Err(SheetProblem::NotAPicture));
    let magenta = sheet(KeyColour::Magenta, PictureFormat::Jpeg, &[]);
    assert_eq!(cut(&magenta), Err(SheetProblem::Ground), "the wrong key");
}

#[test]
fn the_same_sheet_gives_the_same_pixels() {
    let bytes = sheet(KeyColour::Green, PictureFormat::Jpeg, &[Defect::Noise]);
    let first = |_: u32| {
        let cells = RENDERER.cut_sheet(&bytes, NINE, KeyColour::Green, 1).unwrap();
        RENDERER.finish_figure(cells[0].as_ref().unwrap(), "chapan", 0, Language::Ru).unwrap().webp
    };
    assert_eq!(first(1), first(2));
}
