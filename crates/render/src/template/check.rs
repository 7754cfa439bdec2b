//! `stickers templates check`: what is wrong with a folder of outfits.

use std::path::Path;

use super::Problem;
use super::files::Files;
use super::load;

/// Everything wrong with the outfits of a folder (or with the one outfit that the folder is); empty when all is well.
pub fn check_dir(dir: &Path) -> Vec<Problem> {
    let files = match Files::read(dir) {
        Ok(files) => files.over_built_in_rig(),
        Err(problem) => return vec![problem],
    };
    let (_, problems) = load::all(&files);
    problems
}
