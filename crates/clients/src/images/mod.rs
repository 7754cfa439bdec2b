//! Image providers: they draw a guest as a character, describe a photo in words and say whether a drawing shows the same person. [`ImageProvider`] says what can be asked,
//! [`Gemini`] and [`OpenAi`] ask it over HTTP; the second also serves any server that speaks its language, a local one too.
//!
//! A client sends one request, waits a bounded time and says what came of it. Status 200 is no success by itself: a picture is. It
//! never tries again and never asks somebody else; [`ImageError`] says whether that can help and whether the call was billed all
//! the same. Models, sizes and addresses are settings: their names go stale within weeks.

mod appearance;
mod error;
mod gemini;
mod likeness;
mod openai;
mod orders;
mod service;
mod wire;

pub use appearance::{AgeGroup, Appearance, PhotoQuality};
pub use error::{Class, ErrorKind, ImageError, RETRY_AFTER_MAX, Refusal};
pub use gemini::{Gemini, GeminiSettings};
pub use likeness::{Judgement, Likeness};
pub use openai::{OpenAi, OpenAiSettings};
pub use orders::{
    Answered, DescribeOrder, DrawOrder, JudgeOrder, Paid, Picture, PictureType, ReferencePicture, Resolution,
};
pub use wire::{ConfigError, TimeOuts};

use futures::future::BoxFuture;

/// An asked question. It borrows nothing but the client.
pub type Call<'a, T> = BoxFuture<'a, Result<Answered<T>, ImageError>>;

/// What can be asked of an image provider. Passed in as `Arc<dyn ImageProvider>`.
///
/// No method tries again. A future that is dropped before it answered is billed in all likelihood.
pub trait ImageProvider: Send + Sync {
    /// As `PROVIDERS` names it.
    fn name(&self) -> &'static str;

    /// The model that draws, as configured.
    fn image_model(&self) -> &str;

    /// The model that describes and judges; none when none is configured.
    fn vision_model(&self) -> Option<&str>;

    /// Draws one picture from words and reference pictures.
    fn draw(&self, order: DrawOrder) -> Call<'_, Picture>;

    /// Describes the person of a photo.
    fn describe(&self, order: DescribeOrder) -> Call<'_, Appearance>;

    /// Says of each cell of a drawn sheet whether it shows the person of the photo.
    fn judge(&self, order: JudgeOrder) -> Call<'_, Judgement>;
}
