//! Who may sign in to the admin panel: `ADMIN_LOGIN` with `ADMIN_PASSWORD_HASH`, or `ADMIN_USERS_FILE`. Without either `/admin` answers 404.

use super::reader::Reader;
use app::panel::Accounts;
use secrecy::ExposeSecret;
use std::path::Path;

/// The largest file of accounts: far more than a hundred lines need.
const FILE_MAX: u64 = 64 * 1024;

/// Reads the section.
pub fn read(r: &mut Reader<'_>) -> Option<Accounts> {
    let login = r.optional("ADMIN_LOGIN");
    // Checked with its login below, where the message can say how a hash is made.
    let hash = r.secret("ADMIN_PASSWORD_HASH", |_| true, "what stickers admin-password prints");
    let file = r.optional("ADMIN_USERS_FILE");
    if let Some(file) = file {
        if login.is_some() || hash.is_some() {
            r.problems.push(format!(
                "ADMIN_USERS_FILE is \"{file}\": allowed is a file or ADMIN_LOGIN with ADMIN_PASSWORD_HASH, not both"
            ));
        }
        return of_file(r, &file);
    }
    match (login, hash) {
        (None, None) => None,
        (Some(login), Some(hash)) => of_pair(r, &login, hash.expose_secret()),
        (Some(_), None) => half(r, "ADMIN_PASSWORD_HASH", "ADMIN_LOGIN"),
        (None, Some(_)) => half(r, "ADMIN_LOGIN", "ADMIN_PASSWORD_HASH"),
    }
}

fn half(r: &mut Reader<'_>, missing: &str, present: &str) -> Option<Accounts> {
    r.problems.push(format!(
        "{missing} is \"\": allowed is a value, because {present} is set; set both or neither"
    ));
    None
}

fn of_pair(r: &mut Reader<'_>, login: &str, hash: &str) -> Option<Accounts> {
    match Accounts::one(login, hash) {
        Ok(accounts) => Some(accounts),
        Err(wrong) => {
            // A shell and a .env file take $argon2id for a variable unless it stands in single quotes: said, because it looks like a riddle.
            r.problems.push(format!(
                "ADMIN_LOGIN and ADMIN_PASSWORD_HASH have values that are not shown: {wrong}; allowed is a name and what stickers admin-password \
                 prints, in single quotes"
            ));
            None
        }
    }
}

fn of_file(r: &mut Reader<'_>, file: &str) -> Option<Accounts> {
    let allowed = "a readable file with one name:hash a line";
    let text = match small_text(Path::new(file)) {
        Ok(text) => text,
        Err(error) => {
            r.problems.push(format!("ADMIN_USERS_FILE is \"{file}\": allowed is {allowed}: {error}"));
            return None;
        }
    };
    match Accounts::from_lines(&text) {
        Ok(accounts) => Some(accounts),
        Err((0, wrong)) => {
            r.problems.push(format!("ADMIN_USERS_FILE is \"{file}\": allowed is {allowed}: {wrong}"));
            None
        }
        Err((line, wrong)) => {
            r.problems
                .push(format!("ADMIN_USERS_FILE is \"{file}\": allowed is {allowed}: line {line}: {wrong}"));
            None
        }
    }
}

fn small_text(path: &Path) -> std::io::Result<String> {
    if std::fs::metadata(path)?.len() > FILE_MAX {
        return Err(std::io::Error::other("it is larger than 64 KiB"));
    }
    std::fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::super::env::Env;
    use super::*;
    use app::panel::password::cheap_hash;
    use domain::rng::SeededRng;

    fn accounts(pairs: &[(&str, &str)]) -> Result<Option<Accounts>, Vec<String>> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let env = Env::new(pairs, []);
        let mut r = Reader::new(&env);
        let accounts = read(&mut r);
        assert!(r.shown.iter().all(|shown| !shown.value.as_deref().unwrap_or_default().contains("argon2")));
        if r.problems.is_empty() { Ok(accounts) } else { Err(r.problems) }
    }

    fn hash() -> String {
        cheap_hash("correct horse", &SeededRng::new(1)).expect("hashes")
    }

    #[test]
    fn nothing_set_is_no_panel_and_a_pair_is_one_account() {
        assert!(accounts(&[]).expect("allowed").is_none());
        let hash = hash();
        let one = accounts(&[("ADMIN_LOGIN", "dilnoza"), ("ADMIN_PASSWORD_HASH", &hash)]);
        assert!(one.expect("allowed").is_some());
    }

    #[test]
    fn half_of_a_pair_or_a_plain_password_stops_the_start_and_is_not_shown() {
        let hash = hash();
        for (pairs, part) in [
            (vec![("ADMIN_LOGIN", "dilnoza")], "ADMIN_PASSWORD_HASH is \"\""),
            (vec![("ADMIN_PASSWORD_HASH", hash.as_str())], "ADMIN_LOGIN is \"\""),
            (vec![("ADMIN_LOGIN", "dilnoza"), ("ADMIN_PASSWORD_HASH", "hunter2")], "single quotes"),
            (vec![("ADMIN_LOGIN", "dil noza"), ("ADMIN_PASSWORD_HASH", hash.as_str())], "a name has"),
        ] {
            let lines = accounts(&pairs).expect_err("refused");
            assert!(lines.len() == 1 && lines[0].contains(part), "{lines:?}");
            assert!(!lines[0].contains("hunter2") && !lines[0].contains("argon2id"), "{lines:?}");
        }
    }

    #[test]
    fn a_file_lists_several_and_what_is_wrong_with_it_is_told_by_its_line() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("admins");
        let shown = path.display().to_string();
        std::fs::write(&path, format!("dilnoza:{0}\nbakhtiyor:{0}\n", hash())).expect("a file");
        assert!(accounts(&[("ADMIN_USERS_FILE", &shown)]).expect("allowed").is_some());
        std::fs::write(&path, format!("dilnoza:{}\nbakhtiyor\n", hash())).expect("a file");
        let lines = accounts(&[("ADMIN_USERS_FILE", &shown)]).expect_err("refused");
        assert!(lines[0].contains("line 2") && lines[0].contains(&shown), "{lines:?}");
        let missing = accounts(&[("ADMIN_USERS_FILE", "/nowhere/admins")]).expect_err("refused");
        assert!(missing[0].contains("/nowhere/admins"), "{missing:?}");
        let both = accounts(&[("ADMIN_USERS_FILE", &shown), ("ADMIN_LOGIN", "x")]).expect_err("refused");
        assert!(both[0].contains("not both"), "{both:?}");
    }
}
