//! Pictures: a selfie in, nine stickers out, without any provider. Bytes in, bytes or a refusal out.
//!
//! **Invariant:** no network, no database, no clock, no randomness; the same input gives the same pixels. One call uses
//! one thread: the worker slots of the program are the parallelism.
//!
//! The way of a selfie: [`photo`] (sniff, limits, upright, no metadata) → `face` (detector, landmarks, the rules of the
//! upload) → `composite` (head cut out, drawn look, expression, the outfit's figure) → `finish` (outline, shadow, WEBP).
//! The way of a provider's sheet: `cells` (ground measured, figures cut by what hangs together, checked, lifted off the ground) → the
//! same captions and `finish`. [`sheet`] puts finished stickers on one picture for people to look at.

mod cells;
mod composite;
mod face;
mod finish;
pub mod photo;
mod raster;
mod renderer;
pub mod sheet;
pub mod template;

pub use cells::{CellProblem, Cells, Figure, Grid, KeyColour, SheetProblem};
pub use composite::{CompositeError, Sticker};
pub use face::{FrameAnswer, Hint};
pub use photo::Refusal;
pub use renderer::{CheckedPhoto, RenderError, Renderer};
pub use sheet::{Background, contact_sheet, pack_rows};
pub use template::{Language, Problem, Slot, Template, Templates, Words, check_dir};
