//! Header, limits, decoding, orientation, and the way back to JPEG.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits, RgbImage};

use super::sniff::{Kind, kind};
use super::{PIXELS_MAX, Refusal};

/// Bytes that a decoder may take beside the picture itself (tables, chunks of metadata).
const DECODER_BYTES_MAX: u64 = 64 << 20;
/// Longest header-declared side; a JPEG cannot say more, a PNG could.
const SIDE_MAX: u32 = 65_535;
const JPEG_QUALITY: u8 = 92;

/// Sniffs, reads the header, refuses by pixels, and only then decodes. The answer is upright, three bytes a pixel.
///
/// `shorter_min` is [`super::SHORTER_SIDE_MIN_PX`] for uploads and smaller for camera frames.
pub(crate) fn open(bytes: &[u8], shorter_min: u32) -> Result<RgbImage, Refusal> {
    let format = match kind(bytes) {
        Kind::Picture(format) => format,
        Kind::Heic => return Err(Refusal::Heic),
        Kind::Unknown => return Err(Refusal::NotAnImage),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits());
    // the image crate also reports a side over the limit here, so the header is asked first
    let (width, height) = header_size(bytes, format).ok_or(Refusal::NotAnImage)?;
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        return Err(Refusal::TooLarge { width, height });
    }
    if width.min(height) < shorter_min {
        return Err(Refusal::TooSmall { width, height, face_px: None });
    }
    let mut decoder = reader.into_decoder().map_err(|_| Refusal::NotAnImage)?;
    if decoder.dimensions() != (width, height) {
        return Err(Refusal::NotAnImage);
    }
    let turn = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| Refusal::NotAnImage)?;
    picture.apply_orientation(turn);
    Ok(flatten(picture))
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    // at most eight bytes a pixel (16-bit RGBA) and the decoder's own needs
    limits.max_alloc = Some(PIXELS_MAX * 8 + DECODER_BYTES_MAX);
    limits
}

/// Width and height as the header says, without decoding a pixel.
fn header_size(bytes: &[u8], format: image::ImageFormat) -> Option<(u32, u32)> {
    if format == image::ImageFormat::Png {
        // IHDR is always first; read here so that a size over every limit is still answered as "too large"
        let (w, h) = (bytes.get(16..20)?, bytes.get(20..24)?);
        let side = |b: &[u8]| b.try_into().ok().map(u32::from_be_bytes);
        return Some((side(w)?, side(h)?))
            .filter(|(w, h)| *w > 0 && *h > 0 && bytes.get(12..16) == Some(b"IHDR"));
    }
    ImageReader::with_format(Cursor::new(bytes), format).into_dimensions().ok()
}

/// Transparent places become white: a face is cut out of it anyway.
fn flatten(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let rgba = picture.into_rgba8();
    let mut out = RgbImage::new(rgba.width(), rgba.height());
    for (to, from) in out.pixels_mut().zip(rgba.pixels()) {
        let a = u16::from(from[3]);
        for c in 0..3 {
            to[c] = ((u16::from(from[c]) * a + 255 * (255 - a) + 127) / 255) as u8;
        }
    }
    out
}

/// JPEG bytes with nothing but the pixels in them.
pub(crate) fn encode_jpeg(rgb: &RgbImage) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)
        .encode_image(rgb)
        .map_err(|_| Refusal::NotAnImage)?;
    Ok(out)
}
