//! Who may sign in: names with the hashes of their passwords, from `ADMIN_LOGIN` and `ADMIN_PASSWORD_HASH` or from `ADMIN_USERS_FILE`.

use super::password::{self, BadHash};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

/// Letters of a name.
pub const NAME_MAX: usize = 40;
/// Accounts of one file.
const ACCOUNTS_MAX: usize = 100;

/// Names and hashes. At least one.
#[derive(Clone)]
pub struct Accounts(BTreeMap<String, String>);

impl fmt::Debug for Accounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Hashes reach no log.
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Why accounts cannot be used. No message shows a hash.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadAccounts {
    /// The name cannot be used.
    #[error("a name has 1 to {NAME_MAX} letters, digits, dots, hyphens or underscores")]
    Name,
    /// The hash cannot be used.
    #[error("{0}")]
    Hash(BadHash),
    /// A line of the file has no colon.
    #[error("a line is name:hash")]
    Line,
    /// A name stands there twice.
    #[error("the name stands there twice")]
    Twice,
    /// There is nobody.
    #[error("nobody may sign in: no line is name:hash")]
    Nobody,
    /// There are more than a file may have.
    #[error("more than {ACCOUNTS_MAX} names")]
    TooMany,
}

impl Accounts {
    /// One account.
    ///
    /// # Errors
    /// When name or hash cannot be used.
    pub fn one(name: &str, hash: &str) -> Result<Accounts, BadAccounts> {
        let mut accounts = Accounts(BTreeMap::new());
        accounts.add(name, hash)?;
        Ok(accounts)
    }

    /// One account a line, `name:hash`; empty lines and lines that begin with `#` are none.
    ///
    /// # Errors
    /// The number of the line (0 for the whole file) and what is wrong with it.
    pub fn from_lines(text: &str) -> Result<Accounts, (usize, BadAccounts)> {
        let mut accounts = Accounts(BTreeMap::new());
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let added = match line.split_once(':') {
                Some((name, hash)) => accounts.add(name.trim(), hash.trim()),
                None => Err(BadAccounts::Line),
            };
            added.map_err(|wrong| (at + 1, wrong))?;
        }
        if accounts.0.is_empty() { Err((0, BadAccounts::Nobody)) } else { Ok(accounts) }
    }

    fn add(&mut self, name: &str, hash: &str) -> Result<(), BadAccounts> {
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        if !(1..=NAME_MAX).contains(&name.chars().count()) || !name.chars().all(fits) {
            return Err(BadAccounts::Name);
        }
        password::check(hash).map_err(BadAccounts::Hash)?;
        if self.0.insert(name.to_owned(), hash.to_owned()).is_some() {
            return Err(BadAccounts::Twice);
        }
        if self.0.len() > ACCOUNTS_MAX { Err(BadAccounts::TooMany) } else { Ok(()) }
    }

    /// The hash of this name.
    pub(super) fn hash_of(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Any hash: what an unknown name is checked against, so that its answer takes as long.
    pub(super) fn any_hash(&self) -> &str {
        self.0.values().next().map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::rng::SeededRng;

    fn hash(seed: u64) -> String {
        password::cheap_hash("correct horse", &SeededRng::new(seed)).expect("hashes")
    }

    #[test]
    fn a_file_has_one_name_and_hash_a_line_and_may_have_remarks() {
        let (one, other) = (hash(1), hash(2));
        let text = format!("# the night shift\n\n dilnoza:{one} \nБахтиёр : {other}\r\n");
        let accounts = Accounts::from_lines(&text).expect("a good file");
        assert_eq!(accounts.hash_of("dilnoza"), Some(one.as_str()));
        assert_eq!(accounts.hash_of("Бахтиёр"), Some(other.as_str()));
        assert_eq!(accounts.hash_of("Dilnoza"), None);
        assert!(!format!("{accounts:?}").contains("argon2"), "{accounts:?}");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_the_number_of_the_line() {
        let good = hash(1);
        let cases = [
            ("# nobody\n".to_owned(), 0, BadAccounts::Nobody),
            ("\ndilnoza".to_owned(), 2, BadAccounts::Line),
            (format!("a b:{good}"), 1, BadAccounts::Name),
            (format!(":{good}"), 1, BadAccounts::Name),
            (format!("{}:{good}", "a".repeat(41)), 1, BadAccounts::Name),
            (format!("<script>:{good}"), 1, BadAccounts::Name),
            ("dilnoza:hunter2".to_owned(), 1, BadAccounts::Hash(BadHash::Format)),
            (format!("a:{good}\na:{good}"), 2, BadAccounts::Twice),
        ];
        for (text, line, wrong) in cases {
            assert_eq!(Accounts::from_lines(&text).err(), Some((line, wrong)), "{text}");
        }
    }
}
