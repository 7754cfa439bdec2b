//! Where data lives: `DATA_DIR`, `DATABASE_URL`, `MEDIA_URL`.

use super::reader::{Reader, mask_password};
use std::path::{Path, PathBuf};

/// Database and files.
#[derive(Clone)]
pub struct Storage {
    /// `DATA_DIR`, default `./data`: database and files when no URL says otherwise. Absolute.
    pub data_dir: PathBuf,
    /// `DATABASE_URL`, default `sqlite://<DATA_DIR>/app.db`. May hold a password: show it masked.
    pub database_url: String,
    /// `MEDIA_URL`, default `file://<DATA_DIR>`.
    pub media_url: String,
    /// `AWS_*` variables, for an `s3://` media store.
    pub aws: Vec<(String, String)>,
}

impl Storage {
    /// The file of a SQLite database.
    pub fn database_file(&self) -> Option<PathBuf> {
        self.database_url.strip_prefix("sqlite://").map(PathBuf::from)
    }

    /// Reads the section.
    pub fn read(r: &mut Reader<'_>) -> Storage {
        let data_dir = absolute(Path::new(&r.text("DATA_DIR", "./data")));
        let database_url = one_of(
            r,
            "DATABASE_URL",
            format!("sqlite://{}", data_dir.join("app.db").display()),
            &["sqlite://", "postgres://", "postgresql://"],
        );
        let media_url =
            one_of(r, "MEDIA_URL", format!("file://{}", data_dir.display()), &["file://", "s3://"]);
        Storage { data_dir, database_url, media_url, aws: r.env().with_prefix("AWS_") }
    }
}

/// A URL with one of the schemes; passwords in it are shown neither by `config` nor in a refusal.
fn one_of(r: &mut Reader<'_>, name: &'static str, default: String, schemes: &[&str]) -> String {
    let allowed = format!("an address that begins with {}", schemes.join(" or "));
    let given = r.optional(name);
    if let Some(shown) = r.shown.last_mut() {
        shown.value = Some(mask_password(given.as_deref().unwrap_or(&default)));
        shown.allowed = Some(allowed.clone());
    }
    let Some(value) = given else { return default };
    let known = schemes.iter().any(|scheme| value.len() > scheme.len() && value.starts_with(scheme));
    if !known {
        r.problems.push(format!("{name} is \"{}\": allowed is {allowed}", mask_password(&value),));
    }
    value
}

/// The path from the root, so that nothing depends on the working directory later.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // `./data` becomes `/srv/./data` on some systems; the components leave the dot out.
    whole.components().collect()
}
