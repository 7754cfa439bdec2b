//! The rules for a face in a photo, the same for an upload and for a camera frame: what a frame shows clearly, an upload is taken for.

use image::RgbImage;

use crate::RenderError;
use crate::photo::FACE_MIN_PX;

use super::detect::{Found, SURE_SCORE_MIN, detect, detect_again};
use super::landmarks::{Face, landmarks};
use super::models::Models;

/// Less certain than this is no face (art README 7).
const PRESENCE_MIN: f32 = 0.5;
/// Further to the side than this the face cannot be used.
const TURN_MAX_DEGREES: f32 = 35.0;
/// Darker skin than this in the picture means too little light, whatever the skin.
const SKIN_L_MIN: f32 = 25.0;
/// A frame is a small copy of the photo that follows. How large that will be is unknown; the kiosk asks the camera for
/// 1920 x 1080 and tablets give 1280 x 720 at least.
const FRAME_PHOTO_SHORTER_SIDE_PX: f32 = 720.0;
/// Part of the frame about whose middle the face must be.
const MIDDLE_PART: f32 = 0.62;

/// What to tell the guest in front of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Nobody, or nobody who looks here.
    NoFace,
    /// One at a time.
    SeveralFaces,
    /// Come closer.
    TooSmall,
    /// Come to the middle.
    OffCentre,
    /// More light.
    Dark,
}

impl Hint {
    /// The word of the HTTP API.
    pub fn code(&self) -> &'static str {
        match self {
            Hint::NoFace => "no_face",
            Hint::SeveralFaces => "several_faces",
            Hint::TooSmall => "too_small",
            Hint::OffCentre => "off_centre",
            Hint::Dark => "dark",
        }
    }
}

/// Answer for a camera frame. `ok` says whether the upload would be taken; a hint may come with it as advice
/// (`OffCentre`, `Dark`: the pack would be made, but better with the advice followed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameAnswer {
    /// Whether a photo like this would be accepted.
    pub ok: bool,
    /// The first thing to change.
    pub hint: Option<Hint>,
}

/// What was seen in a picture.
pub(crate) enum Seen {
    /// No face at all.
    Nobody,
    /// A face that does not look at the camera, or whose landmarks cannot be read.
    Aside(Aside),
    /// A second face at least half as wide as the first.
    Several,
    /// One guest.
    One(Box<Guest>),
}

/// A face that can be shown but not made to act.
pub(crate) struct Aside {
    /// The detector's box.
    pub found: Found,
    /// The landmarks too say that this is a face.
    pub sure: bool,
}

impl Aside {
    /// Whether an old photo of it is served: small ones are turned away like those that are no face at all.
    pub fn is_served(&self) -> bool {
        self.sure && self.found.size[1] >= FACE_MIN_PX as f32
    }
}

/// The face that counts.
pub(crate) struct Guest {
    /// The detector's box.
    pub found: Found,
    /// The landmarks.
    pub face: Face,
}

/// How often a picture is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// Once: a frame comes again in a moment, and a tablet with nobody before it must cost little.
    One,
    /// Again when the first look shows nobody clearly: a photo is looked at once in its life.
    All,
}

/// Finds the guest's face in a photo. Smaller faces are bystanders, unless at least half as wide.
pub(crate) fn find(models: &Models, photo: &RgbImage) -> Result<Seen, RenderError> {
    find_in(models, photo, Looks::All)
}

fn find_in(models: &Models, photo: &RgbImage, looks: Looks) -> Result<Seen, RenderError> {
    let again = |first: Option<Found>| match looks {
        Looks::All => find_again(models, photo, first),
        Looks::One => Ok(first.map_or(Seen::Nobody, |found| Seen::Aside(Aside { found, sure: false }))),
    };
    let mut all = detect(models, photo)?;
    all.sort_by(|a, b| b.size[0].total_cmp(&a.size[0]));
    let Some(found) = all.first().copied() else { return again(None) };
    if all.get(1).is_some_and(|second| second.size[0] * 2.0 >= found.size[0]) {
        return Ok(Seen::Several);
    }
    let face = landmarks(models, photo, &found)?;
    if face.presence < PRESENCE_MIN {
        return again(Some(found));
    }
    Ok(judged(found, face))
}

/// What to make of a face whose landmarks were read.
fn judged(found: Found, face: Face) -> Seen {
    if face.turn_degrees().abs() > TURN_MAX_DEGREES {
        return Seen::Aside(Aside { found, sure: found.score >= SURE_SCORE_MIN });
    }
    Seen::One(Box::new(Guest { found, face }))
}

/// The further looks, for photos in which the first one saw nothing or something whose landmarks cannot be read.
fn find_again(models: &Models, photo: &RgbImage, first: Option<Found>) -> Result<Seen, RenderError> {
    let all = detect_again(models, photo)?;
    for found in all.iter().filter(|f| f.score >= SURE_SCORE_MIN) {
        let face = landmarks(models, photo, found)?;
        if face.presence >= PRESENCE_MIN {
            return Ok(judged(*found, face));
        }
    }
    let weak = first.or(all.first().copied());
    Ok(weak.map_or(Seen::Nobody, |found| Seen::Aside(Aside { found, sure: false })))
}

/// The face's height in pixels of the original when that is too small; `scale` is picture to original.
pub(crate) fn too_small_for_upload(guest: &Guest, scale: f32) -> Option<u32> {
    let height = guest.face.height() * scale;
    (height < FACE_MIN_PX as f32).then_some(height.max(0.0) as u32)
}

/// The answer for a camera frame.
pub(crate) fn frame_answer(models: &Models, frame: &RgbImage) -> Result<FrameAnswer, RenderError> {
    let no = |hint| FrameAnswer { ok: false, hint: Some(hint) };
    let guest = match find_in(models, frame, Looks::One)? {
        Seen::Nobody | Seen::Aside(_) => return Ok(no(Hint::NoFace)),
        Seen::Several => return Ok(no(Hint::SeveralFaces)),
        Seen::One(guest) => guest,
    };
    let (w, h) = (frame.width() as f32, frame.height() as f32);
    let scale = (FRAME_PHOTO_SHORTER_SIDE_PX / w.min(h)).max(1.0);
    if too_small_for_upload(&guest, scale).is_some() {
        return Ok(no(Hint::TooSmall));
    }
    let off = |at: f32, length: f32| (at / length - 0.5).abs() > MIDDLE_PART / 2.0;
    let hint = if off(guest.found.centre[0], w) || off(guest.found.centre[1], h) {
        Some(Hint::OffCentre)
    } else if guest.face.skin.is_some_and(|skin| skin[0] < SKIN_L_MIN) {
        Some(Hint::Dark)
    } else {
        None
    };
    Ok(FrameAnswer { ok: true, hint })
}
