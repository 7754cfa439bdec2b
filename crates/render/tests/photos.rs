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

/// A drawing in SVG as a photo.
fn drawn(body: &str) -> RgbImage {
    let text = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800">{body}</svg>"#);
    let tree = resvg::usvg::Tree::from_str(&text, &resvg::usvg::Options::default()).unwrap();
    let mut canvas = resvg::tiny_skia::Pixmap::new(800, 800).unwrap();
    resvg::render(&tree, resvg::tiny_skia::Transform::default(), &mut canvas.as_mut());
    RgbImage::from_fn(800, 800, |x, y| {
        canvas.pixel(x, y).map_or(image::Rgb([0; 3]), |p| image::Rgb([p.red(), p.green(), p.blue()]))
    })
}

const CAT: &str = r##"<rect width="800" height="800" fill="#8fb98f"/><g fill="#e39a4a"><path d="M190,330 L200,110 L340,220 Z M610,330 L600,110 L460,220 Z"/>
    <ellipse cx="400" cy="420" rx="240" ry="220"/></g><g fill="#cfe06a"><ellipse cx="310" cy="380" rx="42" ry="50"/><ellipse cx="490" cy="380" rx="42" ry="50"/></g>
    <ellipse cx="310" cy="380" rx="12" ry="44"/><ellipse cx="490" cy="380" rx="12" ry="44"/><path d="M375,465 L425,465 L400,495 Z" fill="#c2566a"/>
    <path d="M400,495 Q370,540 330,520 M400,495 Q430,540 470,520" stroke="#5a3018" stroke-width="8" fill="none"/>
    <path d="M300,480 L150,450 M300,500 L150,510 M500,480 L650,450 M500,500 L650,510" stroke="#fff" stroke-width="5"/>"##;
/// A spread hand and a fist.
const HANDS: &str = r##"<rect width="800" height="800" fill="#6f8fa0"/><g fill="#e8b48c" stroke="#e8b48c" stroke-width="56" stroke-linecap="round">
    <path d="M210,420 L150,250 M265,390 L240,190 M325,390 L340,190 M380,420 L430,260 M200,520 L90,440"/><rect x="190" y="420" width="200" height="220" rx="60"/>
    <rect x="520" y="420" width="190" height="190" rx="80"/></g><path d="M560,440 v70 M610,435 v75 M660,440 v70" stroke="#a8744c" stroke-width="8"/>"##;

/// Pictures without anybody in them.
fn nobody() -> Vec<(&'static str, RgbImage)> {
    let bricks =
        |x: u32, y: u32| (x + if (y / 60).is_multiple_of(2) { 0 } else { 70 }) % 140 < 6 || y % 60 < 6;
    let noise =
        |x: u32, y: u32| (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).rotate_left(9)) >> 13;
    // two people with the lower half of the picture only: bricks, suit and patches
    let suits = image::load_from_memory(TWO).unwrap().into_rgb8();
    let below = suits.height() * 3 / 5;
    let suits = imageops::crop_imm(&suits, 0, below, suits.width(), suits.height() - below).to_image();
    vec![
        ("plain", RgbImage::from_pixel(800, 800, image::Rgb([150, 120, 100]))),
        ("stripes", RgbImage::from_fn(800, 800, |x, y| image::Rgb([90, 120, ((x + y) % 200) as u8]))),
        (
            "bricks",
            RgbImage::from_fn(800, 800, |x, y| {
                image::Rgb(if bricks(x, y) { [200; 3] } else { [160, 70, 50] })
            }),
        ),
        ("noise", RgbImage::from_fn(800, 800, |x, y| image::Rgb([(noise(x, y) % 256) as u8; 3]))),
        (
            "suits",
            imageops::resize(&suits, suits.width() * 2, suits.height() * 2, imageops::FilterType::Triangle),
        ),
        ("a drawn cat", drawn(CAT)),
        ("hands", drawn(HANDS)),
    ]
}

#[test]
fn what_is_no_face_stays_none_when_it_is_looked_at_again() {
    for (name, picture) in nobody() {
        assert_eq!(code(&encoded(picture.clone(), ImageFormat::Png)), "no_face", "{name}");
        let frame = imageops::resize(&picture, 256, 192, imageops::FilterType::Triangle);
        let answer = RENDERER.check_frame(&encoded(frame, ImageFormat::Jpeg));
        assert_eq!((answer.ok, answer.hint), (false, Some(Hint::NoFace)), "{name}");
    }
}

#[test]
fn a_profile_is_refused_at_the_kiosk_and_an_old_photo_of_one_is_taken_when_it_is_large() {
    let old = |bytes: &[u8]| RENDERER.check_old_photo(bytes).err().map_or("accepted", |r| r.code());
    assert_eq!((code(PROFILE), old(PROFILE)), ("no_face", "no_face"));
    let profile = image::load_from_memory(PROFILE).unwrap().into_rgb8();
    let (w, h) = (profile.width() * 3, profile.height() * 3);
    let large = imageops::resize(&profile, w, h, imageops::FilterType::CatmullRom);
    let photo = encoded(large.clone(), ImageFormat::Jpeg);
    assert_eq!((code(&photo), old(&photo)), ("no_face", "accepted"));
    // the camera says the same as the upload
    let frame = imageops::resize(&large, 512, 512, imageops::FilterType::Triangle);
    let answer = RENDERER.check_frame(&encoded(frame, ImageFormat::Jpeg));
    assert_eq!((answer.ok, answer.hint), (false, Some(Hint::NoFace)));
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
