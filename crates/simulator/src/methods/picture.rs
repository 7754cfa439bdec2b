//! Pictures, really decoded. Decoding takes time, so an upload is looked at once, and over the wire before the world is
//! locked.

use std::io::Cursor;

use bytes::Bytes;
use image::{DynamicImage, ImageFormat, ImageReader};

use crate::refusal::Refusal;
use crate::wire::Upload;
use crate::world::Picture;
use crate::world::state::StoredFile;

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

const PNG: &str = "image/png";
const WEBP: &str = "image/webp";
const JPEG: &str = "image/jpeg";

/// What a look at some bytes shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// No picture of a kind that is known.
    Nothing,
    /// Known by its first bytes, and not read here.
    Other,
    /// Begins like a picture and is none.
    Broken(&'static str),
    Whole(Picture),
}

/// Decodes; what is bigger than any picture may be is not looked at.
pub(crate) fn look(bytes: &Bytes) -> Seen {
    if bytes.len() > MOST_PHOTO {
        return Seen::Nothing;
    }
    let Ok(format) = image::guess_format(bytes) else { return Seen::Nothing };
    let mime = match format {
        ImageFormat::Png => PNG,
        ImageFormat::WebP => WEBP,
        ImageFormat::Jpeg => JPEG,
        _ => return Seen::Other,
    };
    match decode(bytes, format) {
        Some(image) => Seen::Whole(Picture {
            bytes: bytes.clone(),
            width: image.width(),
            height: image.height(),
            mime,
            transparent: is_transparent(&image),
        }),
        None => Seen::Broken(mime),
    }
}

fn decode(bytes: &Bytes, format: ImageFormat) -> Option<DynamicImage> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MOST_DECODED);
    limits.max_image_height = Some(MOST_DECODED);
    reader.limits(limits);
    reader.decode().ok()
}

fn is_transparent(image: &DynamicImage) -> bool {
    image.color().has_alpha() && image.to_rgba8().as_raw().chunks_exact(4).any(|pixel| pixel[3] < u8::MAX)
}

/// A static sticker: PNG or WEBP, one side exactly 512, the other at most that.
pub(super) fn sticker(upload: &Upload) -> Result<Picture, Refusal> {
    if upload.bytes.len() > MOST_STICKER {
        return Err(Refusal::bad("file is too big"));
    }
    let picture = still(upload)?;
    if picture.width.max(picture.height) != SIDE {
        return Err(Refusal::bad("STICKER_PNG_DIMENSIONS"));
    }
    Ok(picture)
}

/// The thumbnail of a set: PNG or WEBP, 100 by 100.
pub(super) fn thumbnail(upload: &Upload) -> Result<Picture, Refusal> {
    if upload.bytes.len() > MOST_THUMBNAIL {
        return Err(Refusal::bad("file is too big"));
    }
    let picture = still(upload)?;
    if (picture.width, picture.height) != (THUMBNAIL_SIDE, THUMBNAIL_SIDE) {
        return Err(Refusal::bad("STICKER_PNG_DIMENSIONS"));
    }
    Ok(picture)
}

fn still(upload: &Upload) -> Result<Picture, Refusal> {
    match upload.seen() {
        Seen::Nothing => Err(Refusal::bad("STICKER_PNG_NOPNG")),
        Seen::Other => Err(Refusal::bad("wrong file type")),
        Seen::Broken(mime) | Seen::Whole(Picture { mime, .. }) if *mime == JPEG => {
            Err(Refusal::bad("wrong file type"))
        }
        Seen::Broken(_) => Err(Refusal::bad("STICKER_FILE_INVALID")),
        Seen::Whole(picture) => Ok(picture.clone()),
    }
}

/// A sticker that is kept already: it was looked at when it came.
pub(super) fn kept(file: &StoredFile) -> Picture {
    Picture {
        bytes: file.bytes.clone(),
        width: file.width,
        height: file.height,
        mime: [PNG, WEBP, JPEG].into_iter().find(|mime| *mime == file.mime).unwrap_or(PNG),
        transparent: file.transparent,
    }
}

/// A photo: PNG, JPEG or WEBP of bearable proportions.
pub(super) fn photo(upload: &Upload) -> Result<Picture, Refusal> {
    if upload.bytes.len() > MOST_PHOTO {
        return Err(Refusal::bad("file is too big"));
    }
    let Seen::Whole(picture) = upload.seen() else { return Err(Refusal::bad("IMAGE_PROCESS_FAILED")) };
    let (long, short) = (picture.width.max(picture.height), picture.width.min(picture.height));
    if long + short > MOST_PHOTO_SIDES || long > short.saturating_mul(20) {
        return Err(Refusal::bad("PHOTO_INVALID_DIMENSIONS"));
    }
    Ok(picture.clone())
}
