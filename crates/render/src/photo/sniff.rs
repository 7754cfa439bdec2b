//! What a file is, by its first bytes. Names and declared types are not believed.

use image::ImageFormat;

/// Brands of ISO base media files that hold HEVC stills. `mif1` and `msf1` only say "some still format"; the phones
/// that write them write HEIC.
const HEIC_BRANDS: [&[u8; 4]; 10] =
    [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"];

/// What the first bytes say.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// One of the formats that we decode.
    Picture(ImageFormat),
    /// HEIC or HEIF.
    Heic,
    /// Anything else.
    Unknown,
}

/// Looks at the first bytes only.
pub(super) fn kind(bytes: &[u8]) -> Kind {
    if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
        Kind::Picture(ImageFormat::Jpeg)
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Kind::Picture(ImageFormat::Png)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Kind::Picture(ImageFormat::WebP)
    } else if is_heic(bytes) {
        Kind::Heic
    } else {
        Kind::Unknown
    }
}

/// The `ftyp` box: its major brand decides, except that AVIF files may carry `mif1` first.
fn is_heic(bytes: &[u8]) -> bool {
    let Some(brand) = bytes.get(8..12).filter(|_| bytes.get(4..8) == Some(b"ftyp")) else { return false };
    let length = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let others = bytes.get(16..length.clamp(16, 512).min(bytes.len())).unwrap_or_default();
    let avif = others.chunks_exact(4).any(|b| b == b"avif" || b == b"avis");
    HEIC_BRANDS.iter().any(|b| b.as_slice() == brand) && !avif
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ftyp(major: &[u8; 4], others: &[&[u8; 4]]) -> Vec<u8> {
        let mut out = ((16 + 4 * others.len()) as u32).to_be_bytes().to_vec();
        out.extend(b"ftyp");
        out.extend(major);
        out.extend([0; 4]);
        others.iter().for_each(|b| out.extend(*b));
        out.extend([0; 64]);
        out
    }

    #[test]
    fn heic_is_known_by_its_brand_and_avif_is_not_taken_for_it() {
        assert_eq!(kind(&ftyp(b"heic", &[b"mif1"])), Kind::Heic);
        assert_eq!(kind(&ftyp(b"mif1", &[b"heic"])), Kind::Heic);
        assert_eq!(kind(&ftyp(b"mif1", &[b"avif"])), Kind::Unknown);
        assert_eq!(kind(&ftyp(b"avif", &[])), Kind::Unknown);
        assert_eq!(kind(&ftyp(b"isom", &[b"mp41"])), Kind::Unknown);
    }

    #[test]
    fn short_or_foreign_bytes_are_unknown() {
        for bytes in [&b""[..], b"RIFF", b"GIF89a....", b"\0\0\0\x18ftyp", b"<svg/>"] {
            assert_eq!(kind(bytes), Kind::Unknown);
        }
    }
}
