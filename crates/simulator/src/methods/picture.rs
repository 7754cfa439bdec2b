//! Pictures, really decoded.

use std::io::Cursor;

use bytes::Bytes;
use image::{DynamicImage, GenericImageView, ImageFormat, ImageReader};

use crate::refusal::Refusal;
use crate::world::Picture;

/// Bytes of a static sticker.
const MOST_STICKER: usize = 512 * 1024;
/// The side of a sticker.
const SIDE: u32 = 512;
/// Bytes of a set's thumbnail.
const MOST_THUMBNAIL: usize = 128 * 1024;
/// The side of a set's thumbnail.
const THUMBNAIL_SIDE: u32 = 100;
/// Bytes of a photo.
const MOST_PHOTO: usize = 10 * 1024 * 1024;
/// Width and height of a photo together.
const MOST_PHOTO_SIDES: u32 = 10_000;
/// Longest decoded side, so that a small file cannot ask for all memory.
const MOST_DECODED: u32 = 12_000;

/// A static sticker: PNG or WEBP, one side exactly 512, the other at most that.
pub(super) fn sticker(bytes: &Bytes) -> Result<Picture, Refusal> {
    if bytes.len() > MOST_STICKER {
        return Err(Refusal::bad("file is too big"));
    }
    let picture = still(bytes)?;
    let (width, height) = (picture.width, picture.height);
    if width.max(height) != SIDE {
        return Err(Refusal::bad("STICKER_PNG_DIMENSIONS"));
    }
    Ok(picture)
}

/// The thumbnail of a set: PNG or WEBP, 100 by 100.
pub(super) fn thumbnail(bytes: &Bytes) -> Result<Picture, Refusal> {
    if bytes.len() > MOST_THUMBNAIL {
        return Err(Refusal::bad("file is too big"));
    }
    let picture = still(bytes)?;
    if (picture.width, picture.height) != (THUMBNAIL_SIDE, THUMBNAIL_SIDE) {
        return Err(Refusal::bad("STICKER_PNG_DIMENSIONS"));
    }
    Ok(picture)
}

fn still(bytes: &Bytes) -> Result<Picture, Refusal> {
    let format = image::guess_format(bytes).map_err(|_| Refusal::bad("STICKER_PNG_NOPNG"))?;
    let mime = match format {
        ImageFormat::Png => "image/png",
        ImageFormat::WebP => "image/webp",
        _ => return Err(Refusal::bad("wrong file type")),
    };
    let image = decode(bytes, format).ok_or_else(|| Refusal::bad("STICKER_FILE_INVALID"))?;
    Ok(picture(bytes, &image, mime))
}

/// A photo: PNG, JPEG or WEBP of bearable proportions.
pub(super) fn photo(bytes: &Bytes) -> Result<Picture, Refusal> {
    if bytes.len() > MOST_PHOTO {
        return Err(Refusal::bad("file is too big"));
    }
    let failed = || Refusal::bad("IMAGE_PROCESS_FAILED");
    let format = image::guess_format(bytes).map_err(|_| failed())?;
    let mime = match format {
        ImageFormat::Png => "image/png",
        ImageFormat::WebP => "image/webp",
        ImageFormat::Jpeg => "image/jpeg",
        _ => return Err(failed()),
    };
    let image = decode(bytes, format).ok_or_else(failed)?;
    let (width, height) = image.dimensions();
    let (long, short) = (width.max(height), width.min(height));
    if width + height > MOST_PHOTO_SIDES || long > short.saturating_mul(20) {
        return Err(Refusal::bad("PHOTO_INVALID_DIMENSIONS"));
    }
    Ok(picture(bytes, &image, mime))
}

fn decode(bytes: &Bytes, format: ImageFormat) -> Option<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MOST_DECODED);
    limits.max_image_height = Some(MOST_DECODED);
    reader.limits(limits);
    reader.decode().ok()
}

fn picture(bytes: &Bytes, image: &DynamicImage, mime: &'static str) -> Picture {
    let (width, height) = image.dimensions();
    let transparent = image.color().has_alpha() && image.pixels().any(|(_, _, pixel)| pixel.0[3] < u8::MAX);
    Picture { bytes: bytes.clone(), width, height, mime, transparent }
}
