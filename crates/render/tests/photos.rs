//! Photos of strangers: what is taken, what is refused, and how it is called.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::io::Cursor;
use std::sync::LazyLock;

use image::{DynamicImage, ImageFormat, RgbImage, imageops};
use render::{CheckedPhoto, Hint, Refusal, Renderer, Templates};

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| Renderer::new(Templates::built_in()).unwrap());
const ASTRONAUT: &[u8] = include_bytes!("data/astronaut.png");
const PROFILE: &[u8] = include_bytes!("data/camera.png");
const TWO: &[u8] = include_bytes!("data/two_people_synthetic.png");

fn check(bytes: &[u8]) -> Result<CheckedPhoto, Refusal> {
    RENDERER.check_photo(bytes)
}

fn code(bytes: &[u8]) -> &'static str {
    check(bytes).err().map_or("accepted", |r| r.code())
}

fn astronaut() -> RgbImage {
    image::load_from_memory(ASTRONAUT).unwrap().into_rgb8()
}

fn encoded(picture: RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture).write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// The astronaut at `scale` in the middle of a plain picture.
fn small_in_frame(scale: f32, w: u32, h: u32) -> RgbImage {
    let side = (512.0 * scale) as u32;
    let small = imageops::resize(&astronaut(), side, side, imageops::FilterType::Triangle);
    let mut out = RgbImage::from_pixel(w, h, image::Rgb([96, 112, 120]));
    imageops::overlay(&mut out, &small, i64::from(w - side) / 2, i64::from(h - side) / 2);
    out
}

#[test]
fn a_portrait_is_accepted_in_every_format_that_browsers_send() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let photo = check(&encoded(astronaut(), format)).unwrap();
        assert_eq!((photo.width, photo.height), (512, 512));
        assert!(photo.jpeg.starts_with(&[0xff, 0xd8, 0xff]));
    }
}

#[test]
fn what_is_no_picture_is_refused_as_that() {
    assert_eq!(code(b""), "not_an_image");
    assert_eq!(code(b"GIF89a and more"), "not_an_image");
    assert_eq!(code(b"<html>"), "not_an_image");
    let whole = encoded(astronaut(), ImageFormat::Jpeg);
    assert_eq!(code(&whole[..200]), "not_an_image");
    assert_eq!(code(&ASTRONAUT[..ASTRONAUT.len() / 3]), "not_an_image");
}

#[test]
fn heic_has_its_own_word() {
    assert_eq!(code(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic and then some"), "heic");
}

/// A PNG that says it is huge: signature, IHDR, and an IDAT that would be a bomb.
fn png_header(w: u32, h: u32) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    out.extend(w.to_be_bytes());
    out.extend(h.to_be_bytes());
    out.extend([8, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    out
}

#[test]
fn a_picture_of_too_many_pixels_is_refused_by_its_header() {
    let refusal = check(&png_header(50_000, 50_000)).unwrap_err();
    assert_eq!(refusal, Refusal::TooLarge { width: 50_000, height: 50_000 });
    assert_eq!(code(&png_header(8_001, 5_000)), "too_large");
    assert_eq!(code(&png_header(u32::MAX, u32::MAX)), "too_large");
}

#[test]
fn pixels_are_looked_at_before_faces() {
    let plain = |w, h| encoded(RgbImage::new(w, h), ImageFormat::Png);
    assert_eq!(code(&plain(399, 900)), "too_small");
    assert_eq!(code(&plain(900, 399)), "too_small");
    assert_eq!(code(&plain(400, 900)), "no_face");
}

#[test]
fn a_face_below_a_hundred_pixels_is_too_small() {
    assert_eq!(code(&encoded(small_in_frame(0.6, 700, 500), ImageFormat::Jpeg)), "too_small");
    assert_eq!(code(&encoded(small_in_frame(1.0, 900, 700), ImageFormat::Jpeg)), "accepted");
}

#[test]
fn somebody_who_looks_away_is_no_face() {
    assert_eq!(code(PROFILE), "no_face");
}

#[test]
fn two_people_are_refused_and_a_bystander_is_not() {
    assert_eq!(code(TWO), "several_faces");
    let mut photo = small_in_frame(2.0, 1600, 1100);
    let bystander = imageops::resize(&astronaut(), 350, 350, imageops::FilterType::Triangle);
    imageops::overlay(&mut photo, &bystander, 1250, 700);
    assert_eq!(code(&encoded(photo, ImageFormat::Jpeg)), "accepted");
}

/// A JPEG with an EXIF block that says "turn me" and holds a name.
fn with_exif(picture: RgbImage, orientation: u8) -> Vec<u8> {
    let jpeg = encoded(picture, ImageFormat::Jpeg);
    let mut tiff = b"Exif\0\0II*\0\x08\0\0\0\x02\0".to_vec();
    tiff.extend([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    tiff.extend([0x3b, 0x01, 2, 0, 4, 0, 0, 0, b'S', b'E', b'C', 0]);
    tiff.extend([0; 4]);
    let mut out = vec![0xff, 0xd8, 0xff, 0xe1];
    out.extend(((tiff.len() + 2) as u16).to_be_bytes());
    out.extend(&tiff);
    out.extend(&jpeg[2..]);
    out
}

#[test]
fn a_photo_is_turned_upright_and_its_metadata_is_gone() {
    let wide = small_in_frame(1.0, 760, 520);
    // the camera was held sideways: the stored pixels are turned, the tag says how to turn back
    let photo = check(&with_exif(imageops::rotate270(&wide), 6)).unwrap();
    assert_eq!((photo.width, photo.height), (760, 520));
    assert!(!photo.jpeg.windows(4).any(|w| w == b"Exif" || w == b"SEC\0"));
    assert!(RENDERER.check_frame(&photo.jpeg).ok);
}

#[test]
fn a_large_photo_is_kept_smaller_with_the_face_still_large_enough() {
    let photo = check(&encoded(small_in_frame(5.0, 3000, 2600), ImageFormat::Jpeg)).unwrap();
    assert_eq!(photo.width, 2048);
    let crowd = check(&encoded(small_in_frame(2.6, 4000, 3000), ImageFormat::Jpeg)).unwrap();
    assert_eq!(crowd.width, 4000, "the face is less than 320 px high");
}

#[test]
fn a_frame_is_judged_by_the_rule_of_the_upload() {
    let frame = |picture: RgbImage, w, h| {
        let small = imageops::resize(&picture, w, h, imageops::FilterType::Triangle);
        RENDERER.check_frame(&encoded(small, ImageFormat::Jpeg))
    };
    let good = frame(small_in_frame(2.0, 1280, 1024), 256, 205);
    assert_eq!((good.ok, good.hint), (true, None));
    let far = frame(small_in_frame(1.0, 1280, 1024), 256, 205);
    assert_eq!((far.ok, far.hint), (false, Some(Hint::TooSmall)));
    let empty = frame(RgbImage::from_pixel(640, 480, image::Rgb([90, 90, 90])), 256, 192);
    assert_eq!((empty.ok, empty.hint), (false, Some(Hint::NoFace)));
    let two = RENDERER.check_frame(TWO);
    assert_eq!((two.ok, two.hint), (false, Some(Hint::SeveralFaces)));
    assert_eq!(RENDERER.check_frame(b"no picture").hint, Some(Hint::NoFace));
}

#[test]
fn a_frame_comes_with_advice_when_the_picture_could_be_better() {
    let mut dark = astronaut();
    dark.iter_mut().for_each(|v| *v /= 8);
    let answer = RENDERER.check_frame(&encoded(dark, ImageFormat::Png));
    assert_eq!((answer.ok, answer.hint), (true, Some(Hint::Dark)));
    let mut aside = RgbImage::from_pixel(1400, 512, image::Rgb([96, 112, 120]));
    imageops::overlay(&mut aside, &astronaut(), 0, 0);
    let answer = RENDERER.check_frame(&encoded(aside, ImageFormat::Jpeg));
    assert_eq!((answer.ok, answer.hint), (true, Some(Hint::OffCentre)));
}

#[test]
fn what_was_written_out_is_accepted_again() {
    let once = check(ASTRONAUT).unwrap();
    let again = check(&once.jpeg).unwrap();
    assert_eq!((again.width, again.height), (once.width, once.height));
}
