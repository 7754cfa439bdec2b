//! Where values come from: the environment over the file of `--env-file`. Empty and unset mean the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that is read when `--env-file` is not given and it exists.
pub const DEFAULT_FILE: &str = ".env";

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nowhere: the default holds.
    Default,
    /// In the file of `--env-file`.
    File,
    /// In the environment, which wins over the file.
    Environment,
}

impl Source {
    /// The word shown by `stickers config`.
    pub fn word(self) -> &'static str {
        match self {
            Source::Default => "default",
            Source::File => "file",
            Source::Environment => "environment",
        }
    }
}

/// Variables with a value, and where each came from.
#[derive(Clone, Default)]
pub struct Env(BTreeMap<String, (String, Source)>);

impl Env {
    /// The environment given, over the pairs of a file.
    pub fn new(
        environment: impl IntoIterator<Item = (String, String)>,
        file: impl IntoIterator<Item = (String, String)>,
    ) -> Env {
        let mut values = BTreeMap::new();
        for (source, pairs) in [
            (Source::File, file.into_iter().collect::<Vec<_>>()),
            (Source::Environment, environment.into_iter().collect()),
        ] {
            for (name, value) in pairs {
                let value = value.trim();
                if !value.is_empty() {
                    values.insert(name, (value.to_owned(), source));
                }
            }
        }
        Env(values)
    }

    /// The process's environment over `file`, or over `.env` when that exists and no file was named.
    ///
    /// # Errors
    /// One line that says what is wrong with the file.
    pub fn of_process(file: Option<&Path>) -> Result<Env, String> {
        let path = file.map_or_else(|| PathBuf::from(DEFAULT_FILE), Path::to_owned);
        let pairs = if file.is_some() || path.exists() { read_file(&path)? } else { Vec::new() };
        Ok(Env::new(process_variables(), pairs))
    }

    /// The value of a variable and its source, unless it is unset or empty.
    pub fn get(&self, name: &str) -> Option<(&str, Source)> {
        self.0.get(name).map(|(value, source)| (value.as_str(), *source))
    }

    /// Puts a value in front of both sources; an option of the command line that stands for a variable.
    pub fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), (value.to_owned(), Source::Environment));
    }

    /// Takes a variable out of both sources.
    pub fn unset(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// All pairs whose name begins with `prefix`.
    pub fn with_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        let ours = self.0.iter().filter(|(name, _)| name.starts_with(prefix));
        ours.map(|(name, (value, _))| (name.clone(), value.clone())).collect()
    }
}

/// The environment of this process. A name or value that is no text belongs to somebody else and is left out.
#[allow(clippy::disallowed_methods, reason = "the one place where the environment is read")]
fn process_variables() -> Vec<(String, String)> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// What systemd says of the stream to its journal. A process has it or not, whatever a file of settings says.
#[allow(clippy::disallowed_methods, reason = "the one place where the environment is read")]
pub fn journal_stream() -> Option<String> {
    std::env::var(crate::journal::VARIABLE).ok()
}

fn read_file(path: &Path) -> Result<Vec<(String, String)>, String> {
    let shown = path.display();
    let lines = dotenvy::from_path_iter(path).map_err(|error| match error {
        dotenvy::Error::Io(cause) => format!("{shown}: cannot read the environment file: {cause}"),
        _ => format!("{shown}: cannot read the environment file"),
    })?;
    let mut pairs = Vec::new();
    for line in lines {
        // The parser's error quotes the line, and that line may hold a secret.
        pairs.push(line.map_err(|_| {
            let after = pairs.last().map(|(name, _): &(String, String)| format!(" after {name}"));
            format!("{shown}: cannot understand the line{}: NAME=value is wanted", after.unwrap_or_default())
        })?);
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_environment_wins_over_the_file_and_an_empty_value_is_none() {
        let env = Env::new(
            pairs(&[("A", "env"), ("B", ""), ("C", "  ")]),
            pairs(&[("A", "file"), ("B", "file"), ("D", "d")]),
        );
        assert_eq!(env.get("A"), Some(("env", Source::Environment)));
        assert_eq!(env.get("B"), Some(("file", Source::File)));
        assert_eq!(env.get("C"), None);
        assert_eq!(env.get("D"), Some(("d", Source::File)));
    }

    #[test]
    fn a_named_file_that_is_not_there_is_an_error_that_names_it() {
        let error = Env::of_process(Some(Path::new("/nowhere/kiosk.env"))).err().unwrap_or_default();
        assert!(error.contains("/nowhere/kiosk.env"), "{error}");
    }

    #[test]
    fn a_broken_line_of_a_file_is_refused_without_showing_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("kiosk.env");
        std::fs::write(&path, "A=1\nBOT_TOKEN='123:secret\n").expect("a file");
        let error = read_file(&path).expect_err("a quote without an end");
        assert!(error.contains("after A") && !error.contains("secret"), "{error}");
    }
}
