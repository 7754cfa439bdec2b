//! `getFile`.

use super::{Answer, Call};
use crate::refusal::Refusal;
use crate::wire::show;
use crate::world::state::{FileKind, State};

/// Bytes that a bot may download.
const MOST_DOWNLOADED: usize = 20 * 1024 * 1024;

pub(super) fn get_file(state: &mut State, call: Call<'_>) -> Answer {
    let id = call.params.text("file_id").ok_or_else(|| Refusal::bad("file_id not specified"))?;
    let found = state.file_by_id(id).map(|(_, file)| file);
    let found = found.filter(|file| file.bot == call.bot || file.kind == FileKind::Sticker);
    let file = found.ok_or_else(|| Refusal::bad("invalid file_id"))?;
    if file.bytes.len() > MOST_DOWNLOADED {
        return Err(Refusal::bad("file is too big"));
    }
    Ok(show::file(file, true))
}
