//! Photos from strangers: told apart by their first bytes, refused by their header where possible, decoded within limits,
//! turned upright, and written again as a JPEG that carries no metadata (EXIF and with it the place are gone).
//!
//! Product rules of `interfaces.md`, upload. Faces are not this module's business.

mod decode;
mod scale;
mod sniff;

pub(crate) use decode::{encode_jpeg, open};
pub(crate) use scale::{Part, scaled};

/// Most pixels of a photo, 40 megapixels.
pub const PIXELS_MAX: u64 = 40_000_000;
/// Least length of a photo's shorter side.
pub const SHORTER_SIDE_MIN_PX: u32 = 400;
/// Least height of a face, forehead to chin, in pixels of the photo.
pub const FACE_MIN_PX: u32 = 100;

/// Why a photo is not taken; `code` is what the HTTP API says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not a JPEG, PNG or WEBP, or one that cannot be decoded.
    #[error("not a picture that can be read")]
    NotAnImage,
    /// A HEIC or HEIF file, as iPhones write them.
    #[error("a HEIC picture")]
    Heic,
    /// More than [`PIXELS_MAX`].
    #[error("{width} x {height} px are too many")]
    TooLarge {
        /// Width in px, from the header.
        width: u32,
        /// Height in px, from the header.
        height: u32,
    },
    /// A shorter side below [`SHORTER_SIDE_MIN_PX`] or a face below [`FACE_MIN_PX`].
    #[error("{width} x {height} px with a face of {face_px:?} px are too few")]
    TooSmall {
        /// Width in px.
        width: u32,
        /// Height in px.
        height: u32,
        /// Height of the face in px, when it was the face that is too small.
        face_px: Option<u32>,
    },
    /// Nobody who looks at the camera.
    #[error("no face")]
    NoFace,
    /// A second face at least half as wide as the first.
    #[error("several faces")]
    SeveralFaces,
}

impl Refusal {
    /// The word of the HTTP API.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NotAnImage => "not_an_image",
            Refusal::Heic => "heic",
            Refusal::TooLarge { .. } => "too_large",
            Refusal::TooSmall { .. } => "too_small",
            Refusal::NoFace => "no_face",
            Refusal::SeveralFaces => "several_faces",
        }
    }
}
