//! Files: kept once, named for bots by `file_id`, for pages by a key.

use bytes::Bytes;

use super::state::{FileKind, State, StoredFile};
use crate::wire::show::file_id_prefix;

/// A picture that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub bytes: Bytes,
    pub width: u32,
    pub height: u32,
    pub mime: &'static str,
    /// Some of it can be looked through.
    pub transparent: bool,
}

impl Picture {
    fn ending(&self) -> &'static str {
        match self.mime {
            "image/webp" => "webp",
            "image/png" => "png",
            _ => "jpg",
        }
    }
}

impl State {
    /// Keeps a sticker's picture; answers the key.
    pub(crate) fn keep_sticker(&mut self, bot: i64, picture: Picture) -> String {
        self.keep_picture(bot, FileKind::Sticker, "stickers", picture)
    }

    /// Keeps a photo; answers the key.
    pub(crate) fn keep_photo(&mut self, bot: i64, picture: Picture) -> String {
        self.keep_picture(bot, FileKind::Photo, "photos", picture)
    }

    fn keep_picture(&mut self, bot: i64, kind: FileKind, folder: &str, picture: Picture) -> String {
        let name = format!("{folder}.{}", picture.ending());
        let mime = picture.mime.to_owned();
        let file = self.blank(kind, name, mime, folder, picture.ending(), bot);
        self.keep(StoredFile {
            width: picture.width,
            height: picture.height,
            transparent: picture.transparent,
            bytes: picture.bytes,
            ..file
        })
    }

    /// Keeps a document; answers the key.
    pub(crate) fn keep_document(&mut self, bot: i64, name: &str, bytes: Bytes) -> String {
        let ending = name.rsplit_once('.').map_or("bin", |(_, ending)| ending).to_ascii_lowercase();
        let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        let mime = mime_of(&ending).to_owned();
        let file = self.blank(FileKind::Document, name.to_owned(), mime, "documents", &ending, bot);
        self.keep(StoredFile { bytes, ..file })
    }

    fn blank(
        &mut self,
        kind: FileKind,
        name: String,
        mime: String,
        folder: &str,
        ending: &str,
        bot: i64,
    ) -> StoredFile {
        let number = self.files.len();
        StoredFile {
            kind,
            name,
            mime,
            width: 0,
            height: 0,
            transparent: false,
            file_id: format!("{}{}", file_id_prefix(kind), self.chance.letters(46)),
            unique_id: format!("AgAD{}", self.chance.letters(12)),
            path: format!("{folder}/file_{number}.{ending}"),
            bot,
            bytes: Bytes::new(),
        }
    }

    fn keep(&mut self, file: StoredFile) -> String {
        let key = self.chance.letters(20);
        self.files.insert(key.clone(), file);
        key
    }

    /// The key and the file that a bot means by a `file_id`.
    pub(crate) fn file_by_id(&self, file_id: &str) -> Option<(&String, &StoredFile)> {
        self.files.iter().find(|(_, file)| file.file_id == file_id)
    }
}

/// The content type of an ending. What could carry a script is never served as such.
fn mime_of(ending: &str) -> &'static str {
    match ending {
        "csv" => "text/csv",
        "txt" | "log" => "text/plain",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => "application/octet-stream",
    }
}
