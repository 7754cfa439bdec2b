//! Faces: where they are, their 468 landmarks, whether they look at the camera.

mod check;
mod detect;
mod landmarks;
mod models;
pub(crate) mod points;

pub use check::{FrameAnswer, Hint};
pub(crate) use check::{Seen, find, frame_answer, too_small_for_upload};
pub(crate) use detect::Found;
pub(crate) use landmarks::{Face, eyes};
pub(crate) use models::{Models, SEGMENTATION_SIDE};
