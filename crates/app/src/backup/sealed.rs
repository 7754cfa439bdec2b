//! Encryption of copies with `age`: to a public key (`BACKUP_RECIPIENT`), so that the server can make copies and cannot read them.

use age::stream::StreamWriter;
use age::{Decryptor, Encryptor, IdentityFile, NoCallbacks, x25519};
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::str::FromStr;

/// Every file of `age` begins so.
pub(super) const MAGIC: &[u8] = b"age-encryption.org/";

/// A public key of `age`: `age1…`.
#[derive(Clone)]
pub struct Recipient(x25519::Recipient);

impl FromStr for Recipient {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        x25519::Recipient::from_str(text).map(Recipient)
    }
}

impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Recipient {
    /// A writer that encrypts; it must be finished.
    pub(super) fn seal<W: Write>(&self, to: W) -> io::Result<StreamWriter<W>> {
        let recipient: &dyn age::Recipient = &self.0;
        let sealing = Encryptor::with_recipients(std::iter::once(recipient)).map_err(io::Error::other)?;
        sealing.wrap_output(to)
    }
}

/// A reader of what was encrypted to one of the keys in the file `identity`.
///
/// # Errors
/// One that says what is wrong: no key was given, the file holds none, it is another one, or the copy is damaged.
pub(super) fn open(from: impl BufRead, identity: Option<&Path>) -> io::Result<impl Read> {
    let wrong = |words: String| io::Error::new(io::ErrorKind::InvalidData, words);
    let Some(path) = identity else {
        return Err(wrong("it is encrypted: give the file of the secret key with --identity".to_owned()));
    };
    let named =
        |error: &dyn fmt::Display| wrong(format!("the key in {} cannot be used: {error}", path.display()));
    let keys = IdentityFile::from_file(path.display().to_string()).map_err(|error| named(&error))?;
    let keys = keys.with_callbacks(NoCallbacks).into_identities().map_err(|error| named(&error))?;
    let sealed = Decryptor::new_buffered(from).map_err(|error| wrong(format!("it is damaged ({error})")))?;
    let keys = keys.iter().map(|key| &**key as &dyn age::Identity);
    sealed.decrypt(keys).map_err(|error| wrong(format!("it cannot be decrypted ({error})")))
}
