//! What a provider is asked and what it answers, whoever it is.

use bytes::Bytes;
use domain::cost::Tokens;
use serde_json::Value;

use super::appearance::Appearance;
use super::error::ImageError;
use super::likeness::Judgement;

/// The formats that providers take and give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureType {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WEBP.
    Webp,
}

impl PictureType {
    /// What the first bytes say; names and declared types are not believed (Gemini's current models send JPEG where older
    /// examples show PNG).
    pub fn sniff(bytes: &[u8]) -> Option<PictureType> {
        if bytes.starts_with(&[0xff, 0xd8, 0xff]) {
            Some(PictureType::Jpeg)
        } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(PictureType::Png)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(PictureType::Webp)
        } else {
            None
        }
    }

    /// Its MIME type. `image/jpg` does not exist and is refused.
    pub fn mime(self) -> &'static str {
        match self {
            PictureType::Jpeg => "image/jpeg",
            PictureType::Png => "image/png",
            PictureType::Webp => "image/webp",
        }
    }

    /// What stands behind the dot.
    pub fn extension(self) -> &'static str {
        match self {
            PictureType::Jpeg => "jpg",
            PictureType::Png => "png",
            PictureType::Webp => "webp",
        }
    }
}

/// A picture that a provider is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ReferencePicture {
    pub(super) kind: PictureType,
    pub(super) bytes: Bytes,
}

impl ReferencePicture {
    /// A picture in one of the formats that providers take; none for anything else.
    pub fn new(bytes: Bytes) -> Option<ReferencePicture> {
        PictureType::sniff(&bytes).map(|kind| ReferencePicture { kind, bytes })
    }

    /// The file.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
}

impl std::fmt::Debug for ReferencePicture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {} bytes", self.kind, self.bytes.len())
    }
}

/// How large a picture is wanted; the settings of a provider say what that means to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// One figure.
    Portrait,
    /// A sheet of figures.
    Sheet,
}

/// One square picture, please.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawOrder {
    /// The words. Angle brackets are taken out: some servers obey instructions between them.
    pub prompt: String,
    /// The guest first, then the anchor portrait; at most [`DrawOrder::PICTURES_MAX`].
    pub pictures: Vec<ReferencePicture>,
    /// How large.
    pub resolution: Resolution,
}

impl DrawOrder {
    /// More reference pictures are never sent.
    pub const PICTURES_MAX: usize = 14;
}

/// Who is on this photo, please.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribeOrder {
    /// The words.
    pub prompt: String,
    /// The photo.
    pub picture: ReferencePicture,
}

/// Does each cell of this sheet show the same person, please.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeOrder {
    /// The words.
    pub prompt: String,
    /// The guest first, then the anchor portrait.
    pub references: Vec<ReferencePicture>,
    /// The drawn sheet.
    pub sheet: ReferencePicture,
    /// How many cells are asked about, from the first one on.
    pub cells: usize,
}

/// What a call used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paid {
    /// As the answer counts them. `None`: it did not say (a local server, or no answer).
    pub tokens: Option<Tokens>,
    /// Finished pictures in the answer.
    pub images: u32,
}

/// An answer with what it used up.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<T> {
    /// What was asked for.
    pub value: T,
    /// What is billed for it.
    pub paid: Paid,
    /// The provider's number of the request, for its support.
    pub request_id: Option<String>,
}

/// A drawn picture, not decoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// By its first bytes.
    pub kind: PictureType,
    /// The file.
    pub bytes: Bytes,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} of {} bytes", self.kind, self.bytes.len())
    }
}

/// What came of a call.
pub(super) type Outcome<T> = Result<Answered<T>, ImageError>;

/// A question to a model that sees, whose answer follows a schema.
pub(super) struct Question<'a> {
    /// In a word.
    pub what: &'static str,
    pub prompt: &'a str,
    pub pictures: Vec<ReferencePicture>,
    pub schema: Value,
}

impl<'a> Question<'a> {
    pub fn describe(order: &'a DescribeOrder) -> Question<'a> {
        let pictures = vec![order.picture.clone()];
        Question { what: "describe", prompt: &order.prompt, pictures, schema: Appearance::schema() }
    }

    pub fn judge(order: &'a JudgeOrder) -> Question<'a> {
        let pictures = order.references.iter().chain([&order.sheet]).cloned().collect();
        Question { what: "judge", prompt: &order.prompt, pictures, schema: Judgement::schema() }
    }
}

/// Text for a prompt without what some servers obey: `sd-server` takes arguments between angle brackets.
pub(super) fn plain_prompt(prompt: &str) -> String {
    prompt.chars().filter(|letter| !matches!(letter, '<' | '>')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_the_first_bytes() {
        assert_eq!(PictureType::sniff(&[0xff, 0xd8, 0xff, 0xe0]), Some(PictureType::Jpeg));
        assert_eq!(PictureType::sniff(b"\x89PNG\r\n\x1a\nrest"), Some(PictureType::Png));
        assert_eq!(PictureType::sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some(PictureType::Webp));
        for other in [&b""[..], b"RIFF\0\0\0\0WAVE", b"<html>", b"GIF89a"] {
            assert_eq!(PictureType::sniff(other), None);
        }
    }

    #[test]
    fn a_picture_is_never_printed() {
        let picture = ReferencePicture::new(Bytes::from_static(b"\x89PNG\r\n\x1a\nsecret")).expect("a PNG");
        assert_eq!(format!("{picture:?}"), "Png of 14 bytes");
    }

    #[test]
    fn a_prompt_carries_no_angle_brackets() {
        assert_eq!(plain_prompt("a<sd_cpp_extra_args>{}</x>b"), "asd_cpp_extra_args{}/xb");
    }
}
