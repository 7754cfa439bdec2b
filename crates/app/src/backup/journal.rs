//! The journal of erasures beside the copies: a salted hash of who was erased, and when. `restore` reads it, because a copy that was made
//! before an erasure still knows that person.
//!
//! A line is written before the database forgets: a crash in between erases too much after a restore, never too little.

use super::{private_folder, remove};
use crate::{AppError, Ctx, outbox};
use domain::guest::TelegramId;
use domain::{Rng, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Its name in the folder of the copies.
pub const FILE: &str = "erasures.jsonl";
const SALT_BYTES: usize = 16;
/// Held while the journal is written, so that shortening it loses no line that another process adds meanwhile.
const LOCK: &str = "erasures.lock";
/// An erasure is noted before the database forgets, and a copy may be made in between: one that was noted this long before a copy may still be
/// missing in it. Longer than a write may wait and run.
pub(crate) const BEFORE_A_COPY: Duration = Duration::from_secs(60);
/// A line is far shorter; a longer one was not written here.
const LINE_MAX: u64 = 1_000;

/// Who or what was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A guest who asked for it, known by their Telegram id; the packs they had count on.
    Guest,
    /// A guest whom an operator reset, known by their Telegram id; they begin anew.
    ResetGuest,
    /// The contacts of a lead, known by its `request_id`.
    Lead,
    /// A whole test lead, known by its `request_id`.
    WholeLead,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// Who or what.
    pub what: What,
    salt: String,
    hash: String,
}

impl Entry {
    pub(super) fn new(at: Timestamp, what: What, whose: &str, rng: &dyn Rng) -> Entry {
        let mut salt = [0; SALT_BYTES];
        rng.fill(&mut salt);
        let salt = hex(&salt);
        let hash = hash(&salt, whose);
        Entry { at, what, salt, hash }
    }

    /// Whether it is about this guest.
    pub fn is_guest(&self, id: TelegramId) -> bool {
        matches!(self.what, What::Guest | What::ResetGuest)
            && hash(&self.salt, &id.0.to_string()) == self.hash
    }

    /// Whether it is about the lead with this `request_id`.
    pub fn is_lead(&self, request_id: &str) -> bool {
        matches!(self.what, What::Lead | What::WholeLead) && hash(&self.salt, request_id) == self.hash
    }
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn hash(salt: &str, whose: &str) -> String {
    hex(&Sha256::digest(format!("{salt}:{whose}")))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Notes an erasure that is about to happen. A journal that cannot be written holds no erasure up: operators are told what it means.
///
/// # Errors
/// When the operators cannot be told.
pub(crate) async fn note(ctx: &Ctx, what: What, whose: String) -> Result<(), AppError> {
    let Some(place) = ctx.settings.backups.clone() else { return Ok(()) };
    let (rng, now) = (Arc::clone(&ctx.rng), ctx.clock.now());
    let noted = tokio::task::spawn_blocking(move || {
        Journal::within(&place.folder).append(&Entry::new(now, what, &whose, &*rng))
    });
    let Err(error) = noted.await? else { return Ok(()) };
    tracing::error!(%error, "the journal of erasures cannot be written");
    let admins = ctx.settings.admin_user_ids.clone();
    let text = "⚠️ Журнал удалений рядом с копиями базы не записан: восстановление из копии вернёт удалённые данные. \
                Что делать: проверить место на диске и права на папку BACKUP_DIR.";
    let write = ctx.store.write(move |tx| {
        Box::pin(async move { outbox::alert_of_kind(tx, &admins, "erasure_journal", text, now).await })
    });
    write.await
}

/// The journal of a folder.
#[derive(Clone, Debug)]
pub struct Journal {
    file: PathBuf,
}

impl Journal {
    /// The journal in the folder of the copies.
    pub fn within(folder: &Path) -> Journal {
        Journal { file: folder.join(FILE) }
    }

    /// Adds a line, which is on the disk when this returns.
    pub(super) fn append(&self, entry: &Entry) -> io::Result<()> {
        use std::os::unix::fs::OpenOptionsExt;
        if let Some(folder) = self.file.parent() {
            private_folder(folder)?;
        }
        let _held = self.lock()?;
        let mut file =
            std::fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&self.file)?;
        // The last line may have been cut off; it must not take this one with it.
        let mut line = if ends_a_line(&mut file)? { String::new() } else { "\n".to_owned() };
        line.push_str(&serde_json::to_string(entry)?);
        line.push('\n');
        // One write: two processes that append at once do not mix their lines.
        file.write_all(line.as_bytes())?;
        file.sync_all()
    }

    /// Waits until nobody else writes. Whoever dies lets go.
    fn lock(&self) -> io::Result<File> {
        use std::os::unix::fs::OpenOptionsExt;
        let path = self.file.with_file_name(LOCK);
        let lock = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        lock.lock()?;
        Ok(lock)
    }

    /// How many erasures it holds.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn count(&self) -> io::Result<usize> {
        Ok(self.read()?.len())
    }

    /// Every erasure since `since`, oldest first. A line that is cut off, by a crash while it was written, counts for nothing: the database
    /// had not forgotten yet.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn since(&self, since: Timestamp) -> io::Result<Vec<Entry>> {
        let mut entries: Vec<Entry> = self.read()?.into_iter().filter(|entry| entry.at >= since).collect();
        entries.sort_by_key(|entry| entry.at);
        Ok(entries)
    }

    fn read(&self) -> io::Result<Vec<Entry>> {
        let file = match File::open(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let (mut reader, mut entries, mut line) = (BufReader::new(file), Vec::new(), Vec::new());
        loop {
            line.clear();
            if io::Read::take(&mut reader, LINE_MAX).read_until(b'\n', &mut line)? == 0 {
                return Ok(entries);
            }
            if let Ok(entry) = serde_json::from_slice(&line) {
                entries.push(entry);
            }
        }
    }

    /// Forgets what is older than the oldest copy: no restore can bring those back.
    ///
    /// # Errors
    /// When the disk refuses; the journal is whole then.
    pub fn forget_before(&self, oldest_copy: Timestamp) -> io::Result<()> {
        if !self.file.exists() {
            return Ok(());
        }
        let _held = self.lock()?;
        let needed = oldest_copy.minus(BEFORE_A_COPY);
        let entries = self.read()?;
        let kept: Vec<&Entry> = entries.iter().filter(|entry| entry.at >= needed).collect();
        if kept.len() == entries.len() {
            return Ok(());
        }
        let part = self.file.with_extension("part");
        remove(&part)?;
        let mut file = super::private_file(&part)?;
        for entry in kept {
            writeln!(file, "{}", serde_json::to_string(entry)?)?;
        }
        file.sync_all()?;
        std::fs::rename(&part, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rng::SeededRng;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(1_795_959_000_000 + second * 1000)
    }

    #[test]
    fn an_erased_guest_is_known_again_by_the_hash_and_by_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(&folder.path().join("backups"));
        let rng = SeededRng::new(7);
        journal.append(&Entry::new(at(1), What::Guest, "4242424242", &rng)).expect("writes");
        journal
            .append(&Entry::new(at(2), What::Lead, "0b0d2a3e-7d2c-4f7e-9a51-0a4f0c2f1d11", &rng))
            .expect("writes");
        let entries = journal.since(at(0)).expect("reads");
        assert_eq!(entries.len(), 2);
        assert!(
            entries[0].is_guest(TelegramId(4_242_424_242)) && !entries[0].is_guest(TelegramId(4_242_424_243))
        );
        assert!(
            entries[1].is_lead("0b0d2a3e-7d2c-4f7e-9a51-0a4f0c2f1d11") && !entries[1].is_guest(TelegramId(1))
        );
        assert_eq!(journal.since(at(2)).expect("reads").len(), 1);
        let text = std::fs::read_to_string(folder.path().join("backups").join(FILE)).expect("reads");
        assert!(!text.contains("4242424242") && !text.contains("0b0d2a3e"), "{text}");
    }

    #[test]
    fn a_line_cut_off_by_a_crash_does_not_hide_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(folder.path());
        let rng = SeededRng::new(7);
        journal.append(&Entry::new(at(1), What::Guest, "1", &rng)).expect("writes");
        let file = folder.path().join(FILE);
        let whole = std::fs::read_to_string(&file).expect("reads");
        std::fs::write(&file, format!("{whole}{{\"at\":17959")).expect("writes");
        journal.append(&Entry::new(at(3), What::Guest, "2", &rng)).expect("writes");
        let entries = journal.since(at(0)).expect("reads");
        assert!(entries.len() == 2 && entries[1].is_guest(TelegramId(2)), "{entries:?}");
    }

    #[test]
    fn what_no_copy_can_bring_back_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(folder.path());
        let rng = SeededRng::new(7);
        for minute in [1, 2, 3] {
            let entry = Entry::new(at(minute * 60), What::Guest, &minute.to_string(), &rng);
            journal.append(&entry).expect("writes");
        }
        // The one of a minute before the copy may have been under way when the copy was made.
        journal.forget_before(at(181)).expect("writes");
        assert_eq!(journal.count().expect("reads"), 1);
        assert!(journal.since(at(0)).expect("reads")[0].is_guest(TelegramId(3)));
    }

    #[test]
    fn no_line_is_lost_when_the_journal_is_shortened_while_others_write() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = Journal::within(folder.path());
        std::thread::scope(|threads| {
            for thread in 0..4 {
                let journal = &journal;
                threads.spawn(move || {
                    for number in 0..25 {
                        let whose = (thread * 100 + number).to_string();
                        let entry = Entry::new(at(600), What::Guest, &whose, &SeededRng::new(7));
                        let old = Entry::new(at(0), What::Guest, "0", &SeededRng::new(7));
                        journal.append(&old).expect("writes");
                        journal.append(&entry).expect("writes");
                        journal.forget_before(at(600)).expect("shortens");
                    }
                });
            }
        });
        assert_eq!(journal.count().expect("reads"), 100);
    }
}
