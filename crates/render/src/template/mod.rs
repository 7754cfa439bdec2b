//! Outfits: a folder with `template.toml` and SVG parts each, over a rig (hands, effects, poses, expressions, caption
//! font) that all share. Reading, merging a slot with its pose, and saying what is wrong with one, by file and line.
//!
//! Nothing is drawn here.

mod check;
mod files;
mod load;
mod model;

use std::path::Path;
use std::sync::Arc;

pub use check::check_dir;
pub(crate) use model::{Arm, At, EffectSpec, Expression, HandLayer, Layer, Legs, Lid, Outfit, Parts};
pub use model::{Language, Slot, Template, Words};

use files::Files;

/// Something wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, relative to the folder that was read.
    pub file: String,
    /// The line, from 1; 0 when it is the file as a whole.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)
        } else {
            write!(f, "{}:{}: {}", self.file, self.line, self.message)
        }
    }
}

/// The outfits that can be drawn, in the order they are offered.
#[derive(Clone, Debug)]
pub struct Templates {
    list: Vec<Template>,
    pub(crate) font: Arc<Vec<u8>>,
}

impl Templates {
    /// The outfits that come with the program.
    ///
    /// # Panics
    ///
    /// When the program was built with broken outfits; the tests of this crate read them all.
    pub fn built_in() -> Templates {
        match load::all(&Files::built_in()) {
            (templates, problems) if problems.is_empty() => templates,
            (_, problems) => panic!("built-in templates: {}", problems[0]),
        }
    }

    /// Outfits of a folder: one folder an outfit, `rig/` beside them (the built-in rig fills in for what is missing).
    pub fn load(dir: &Path) -> Result<Templates, Vec<Problem>> {
        let files = Files::read(dir).map_err(|p| vec![p])?;
        match load::all(&files.over_built_in_rig()) {
            (templates, problems) if problems.is_empty() => Ok(templates),
            (_, problems) => Err(problems),
        }
    }

    /// The outfit of that id.
    pub fn get(&self, id: &str) -> Option<&Template> {
        self.list.iter().find(|t| t.id == id)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Template> {
        self.list.iter()
    }
}
