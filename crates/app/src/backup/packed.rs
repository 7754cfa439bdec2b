//! A database file, or an archive of one, compressed and perhaps encrypted, and back. The checksum at the end of gzip finds every flipped bit and every missing end.

use super::{Recipient, private_file, sealed};
use domain::backup::Kind;
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// Every SQLite file begins so.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// Every archive of `pg_dump` begins so.
const ARCHIVE_MAGIC: &[u8] = b"PGDMP";
/// Every gzip file begins so.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];
/// No database of this product is larger; a file that pretends to be is no copy of one.
const UNPACKED_MAX: u64 = 64 << 30;

/// Compresses `from` into the new file `to`, encrypted when there is a `recipient`; it is on the disk when this returns.
pub(super) fn pack(from: &Path, to: &Path, recipient: Option<&Recipient>) -> io::Result<()> {
    let file = private_file(to)?;
    match recipient {
        None => compress(from, file)?.sync_all(),
        Some(recipient) => compress(from, recipient.seal(file)?)?.finish()?.sync_all(),
    }
}

fn compress<W: Write>(from: &Path, to: W) -> io::Result<W> {
    let mut packed = GzEncoder::new(to, Compression::default());
    io::copy(&mut File::open(from)?, &mut packed)?;
    packed.finish()
}

/// Writes the database inside `from` into the new file `to`; a file that is not compressed is copied. An encrypted one needs the file of a
/// secret key.
///
/// # Errors
/// One that says what is wrong with `from`: it is empty, cut off, damaged or something else.
pub(super) fn unpack(from: &Path, to: &Path, kind: Kind, identity: Option<&Path>) -> io::Result<()> {
    let mut source = BufReader::new(File::open(from)?);
    if source.fill_buf()?.starts_with(sealed::MAGIC) {
        return unpack_from(BufReader::new(sealed::open(source, identity)?), to, kind);
    }
    unpack_from(source, to, kind)
}

fn unpack_from(mut source: impl BufRead, to: &Path, kind: Kind) -> io::Result<()> {
    let head = first_bytes(&mut source)?;
    let source = head.as_slice().chain(source);
    let mut target = private_file(to)?;
    if head.starts_with(GZIP_MAGIC) {
        let mut unpacked = GzDecoder::new(source).take(UNPACKED_MAX);
        let copied = io::copy(&mut unpacked, &mut target).map_err(told)?;
        if copied == UNPACKED_MAX {
            return Err(wrong("it is larger than any copy"));
        }
        // The checksum is compared when the end is read; what follows it does not belong to the copy.
        if unpacked.into_inner().into_inner().read(&mut [0])? > 0 {
            return Err(wrong("something follows the compressed copy"));
        }
    } else if head.starts_with(SQLITE_MAGIC) || head.starts_with(ARCHIVE_MAGIC) {
        let mut source = source;
        io::copy(&mut source, &mut target)?;
    } else if head.is_empty() {
        return Err(wrong("it is empty"));
    } else {
        return Err(wrong("it is neither a compressed copy nor a database"));
    }
    target.flush()?;
    target.sync_all()?;
    of_kind(&first_bytes(&mut File::open(to)?)?, kind)
}

/// A copy of the other engine is told so, and what is no archive at all: SQLite tells by itself what is no database.
fn of_kind(head: &[u8], kind: Kind) -> io::Result<()> {
    match kind {
        Kind::Sqlite if head.starts_with(ARCHIVE_MAGIC) => {
            Err(wrong("it is a copy of a PostgreSQL database, and DATABASE_URL names a SQLite file"))
        }
        Kind::Postgres if head.starts_with(SQLITE_MAGIC) => {
            Err(wrong("it is a copy of a SQLite file, and DATABASE_URL names a PostgreSQL server"))
        }
        Kind::Postgres if !head.starts_with(ARCHIVE_MAGIC) => Err(wrong("it is no archive of pg_dump")),
        Kind::Sqlite | Kind::Postgres => Ok(()),
    }
}

fn first_bytes(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(SQLITE_MAGIC.len());
    source.take(SQLITE_MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// What the decoder found, in words for whoever holds the file.
fn told(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => wrong("it is cut off"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            wrong(&format!("it is damaged ({error})"))
        }
        _ => error,
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(folder: &Path) -> Vec<u8> {
        let plain = folder.join("plain");
        let noise: Vec<u8> =
            (0..50_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        std::fs::write(&plain, [SQLITE_MAGIC, &noise].concat()).expect("writes");
        pack(&plain, &folder.join("packed"), None).expect("packs");
        std::fs::read(folder.join("packed")).expect("reads")
    }

    fn unpacked(folder: &Path, name: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let (from, to) = (folder.join(name), folder.join(format!("{name}.out")));
        std::fs::write(&from, bytes).expect("writes");
        unpack(&from, &to, Kind::Sqlite, None).map_err(|error| error.to_string())?;
        Ok(std::fs::read(to).expect("reads"))
    }

    #[test]
    fn a_copy_of_the_other_engine_and_what_is_no_archive_are_refused_with_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        packed(folder.path());
        std::fs::write(place("archive.plain"), [ARCHIVE_MAGIC, b"and rows"].concat()).expect("writes");
        pack(&place("archive.plain"), &place("archive"), None).expect("packs");
        std::fs::write(place("notes.plain"), b"and nothing else").expect("writes");
        pack(&place("notes.plain"), &place("notes"), None).expect("packs");
        for (name, kind, reason) in [
            ("packed", Kind::Sqlite, None),
            ("archive", Kind::Postgres, None),
            ("archive.plain", Kind::Postgres, None),
            (
                "packed",
                Kind::Postgres,
                Some("it is a copy of a SQLite file, and DATABASE_URL names a PostgreSQL server"),
            ),
            (
                "archive",
                Kind::Sqlite,
                Some("it is a copy of a PostgreSQL database, and DATABASE_URL names a SQLite file"),
            ),
            ("notes", Kind::Postgres, Some("it is no archive of pg_dump")),
        ] {
            let to = place(&format!("{name}.{kind:?}.out"));
            let said = unpack(&place(name), &to, kind, None).err().map(|error| error.to_string());
            assert_eq!(said.as_deref(), reason, "{name} {kind:?}");
        }
    }

    #[test]
    fn what_was_packed_comes_back_and_a_plain_copy_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = packed(folder.path());
        let plain = std::fs::read(folder.path().join("plain")).expect("reads");
        assert!(unpacked(folder.path(), "whole", &bytes).expect("unpacks") == plain);
        assert!(unpacked(folder.path(), "raw", &plain).expect("copies") == plain);
    }

    #[test]
    fn a_copy_that_is_cut_off_at_any_place_or_has_a_flipped_bit_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = packed(folder.path());
        for cut in [1, 2, 10, bytes.len() / 2, bytes.len() - 8, bytes.len() - 1] {
            let said = unpacked(folder.path(), &format!("cut{cut}"), &bytes[..cut])
                .map(drop)
                .expect_err("is refused");
            assert!(said.contains("cut off") || said.contains("neither"), "{cut}: {said}");
        }
        // The first ten bytes are the header, whose time and system mean nothing.
        for place in [40, bytes.len() / 2, bytes.len() - 9, bytes.len() - 7, bytes.len() - 2] {
            let mut bad = bytes.clone();
            bad[place] ^= 0x10;
            unpacked(folder.path(), &format!("flip{place}"), &bad).map(drop).expect_err("is refused");
        }
    }

    #[test]
    fn empty_foreign_and_continued_files_are_refused_with_the_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        let bytes = packed(folder.path());
        for (name, content, part) in [
            ("empty", Vec::new(), "empty"),
            ("text", b"not a database, whatever its name says".to_vec(), "neither"),
            ("more", [bytes.as_slice(), b"more"].concat(), "follows"),
        ] {
            let said = unpacked(folder.path(), name, &content).map(|bytes| bytes.len()).expect_err(name);
            assert!(said.contains(part), "{name}: {said}");
        }
    }

    #[test]
    fn a_copy_sealed_to_a_key_opens_with_that_key_only_and_a_flipped_bit_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        packed(folder.path());
        let plain = std::fs::read(place("plain")).expect("reads");
        for name in ["key", "other"] {
            use age::secrecy::ExposeSecret;
            let key = age::x25519::Identity::generate();
            std::fs::write(place(name), key.to_string().expose_secret()).expect("writes");
            std::fs::write(place(&format!("{name}.pub")), key.to_public().to_string()).expect("writes");
        }
        let recipient = std::fs::read_to_string(place("key.pub")).expect("reads").parse().expect("a key");
        pack(&place("plain"), &place("sealed"), Some(&recipient)).expect("seals");
        let bytes = std::fs::read(place("sealed")).expect("reads");
        assert!(!bytes.windows(SQLITE_MAGIC.len()).any(|part| part == SQLITE_MAGIC));
        unpack(&place("sealed"), &place("out"), Kind::Sqlite, Some(&place("key"))).expect("opens");
        assert!(std::fs::read(place("out")).expect("reads") == plain);
        let refused = |name: &str, bytes: &[u8], key: Option<&str>, part: &str| {
            std::fs::write(place(name), bytes).expect("writes");
            let key = key.map(&place);
            let said = unpack(&place(name), &place(&format!("{name}.out")), Kind::Sqlite, key.as_deref());
            let said = said.expect_err(name).to_string();
            assert!(said.contains(part), "{name}: {said}");
        };
        refused("nokey", &bytes, None, "--identity");
        refused("wrongkey", &bytes, Some("other"), "cannot be decrypted");
        refused("nofile", &bytes, Some("nowhere"), "cannot be used");
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        refused("flipped", &flipped, Some("key"), "");
        refused("cut", &bytes[..bytes.len() / 2], Some("key"), "");
    }
}
