//! Making packs: `WORKER_SLOTS`, `TEMPLATES_DIR`.

use super::reader::Reader;
use std::path::PathBuf;

/// How packs are made.
#[derive(Clone)]
pub struct Work {
    /// `WORKER_SLOTS`, default 2: jobs generated at once in one process.
    pub worker_slots: u32,
    /// `TEMPLATES_DIR`; unset means the built-in outfits.
    pub templates_dir: Option<PathBuf>,
}

impl Work {
    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Work {
        let worker_slots = r.number("WORKER_SLOTS", 2, 1..=16);
        let templates_dir = r.optional("TEMPLATES_DIR").map(PathBuf::from);
        if let Some(dir) = templates_dir.as_ref().filter(|dir| !dir.is_dir()) {
            r.problems
                .push(format!("TEMPLATES_DIR is \"{}\": allowed is a folder of outfits", dir.display()));
        }
        Work { worker_slots, templates_dir }
    }
}
