//! The world on disk: `world.json` and one file per stored file, so that a demo goes on where it stopped.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::World;
use super::state::State;
use crate::clock::Clock;

const STATE: &str = "world.json";
const FILES: &str = "files";

impl World {
    /// Writes the world into a folder. A file that is there already is not written again, and the state appears in one
    /// step, so that a stop in the middle leaves the state before.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let mut saved = self.inner.saved.lock().unwrap_or_else(PoisonError::into_inner);
        // Read before the state: a change in between is written once more, never forgotten.
        let change = *self.inner.changes.borrow();
        if *saved == Some(change) && folder.join(STATE).exists() {
            return Ok(());
        }
        let (json, files) = self.look(|state, _| {
            let files: Vec<_> =
                state.files.iter().map(|(key, file)| (key.clone(), file.bytes.clone())).collect();
            serde_json::to_vec(state).map(|json| (json, files))
        })?;
        let below = folder.join(FILES);
        fs::create_dir_all(&below)?;
        let there: BTreeSet<_> = fs::read_dir(&below)?.filter_map(|e| Some(e.ok()?.file_name())).collect();
        for (key, bytes) in
            files.iter().filter(|(key, _)| !there.contains(key.as_str().as_ref() as &std::ffi::OsStr))
        {
            replace(&below.join(key), bytes)?;
        }
        replace(&folder.join(STATE), &json)?;
        *saved = Some(change);
        Ok(())
    }

    /// Reads a world that was saved. None when the folder holds none.
    ///
    /// # Errors
    /// When what is there cannot be read or understood.
    pub fn load(folder: &Path, clock: Arc<dyn Clock>) -> io::Result<Option<Self>> {
        let json = match fs::read(folder.join(STATE)) {
            Ok(json) => json,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut state: State = serde_json::from_slice(&json)?;
        for (key, file) in &mut state.files {
            file.bytes = fs::read(folder.join(FILES).join(key))?.into();
        }
        Ok(Some(Self::from_state(state, clock)))
    }
}

/// Writes beside the file and moves it into its place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}
