//! Files that a call brings or names.

use super::Call;
use crate::refusal::Refusal;
use crate::wire::{Params, Upload};
use crate::world::state::{FileKind, State, StoredFile};

/// A file parameter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    Upload(&'a Upload),
    /// A `file_id` or an address.
    Named(&'a str),
}

/// The file of a parameter: `attach://part`, a part of the parameter's name, or words.
pub(super) fn of_param<'a>(params: &'a Params, name: &str) -> Option<Input<'a>> {
    params.upload(name).map(Input::Upload).or_else(|| of_text(params, params.text(name)?))
}

/// The file that a text means.
pub(super) fn of_text<'a>(params: &'a Params, text: &'a str) -> Option<Input<'a>> {
    match text.strip_prefix("attach://") {
        Some(part) => params.upload(part).map(Input::Upload),
        None => Some(Input::Named(text)).filter(|_| !text.is_empty()),
    }
}

/// A file of this kind by `file_id`: its key and what is kept.
pub(super) fn stored<'a>(
    state: &'a State,
    call: Call<'_>,
    name: &str,
    kind: FileKind,
) -> Result<(&'a str, &'a StoredFile), Refusal> {
    let found = state.file_by_id(name);
    // Stickers may be named by every bot, other files only by the one that has them.
    let found = found.filter(|(_, file)| file.bot == call.bot || file.kind == FileKind::Sticker);
    let Some((key, file)) = found else { return Err(unknown(name)) };
    if file.kind != kind {
        return Err(Refusal::bad(format!("can't use file of type {} as {}", file.kind.word(), kind.word())));
    }
    Ok((key, file))
}

/// Why a text is no file id: this world has no internet, and an id is letters of one alphabet.
fn unknown(name: &str) -> Refusal {
    if name.starts_with("http://") || name.starts_with("https://") {
        return Refusal::bad("failed to get HTTP URL content");
    }
    if name.contains('.') || name.contains(char::is_whitespace) {
        return Refusal::bad("wrong file identifier/HTTP URL specified");
    }
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let why =
        if letters { "can't unserialize it. Wrong last symbol" } else { "Wrong character in the string" };
    Refusal::bad(format!("wrong remote file identifier specified: {why}"))
}
