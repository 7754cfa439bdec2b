//! Where the files of templates come from: the program itself, or a folder of the operator.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::Problem;

static BUILT_IN: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Largest file that is read.
const FILE_BYTES_MAX: u64 = 2 << 20;
/// Most files that are read.
const FILES_MAX: usize = 2_000;
/// Deepest folder: `<dir>/<outfit>/props/`.
const DEPTH_MAX: usize = 3;

/// Bytes by their path below the folder, with `/` between the parts.
pub(super) struct Files {
    map: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Files {
    /// What the program was built with.
    pub fn built_in() -> Files {
        Files {
            map: BUILT_IN.iter().map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes))).collect(),
        }
    }

    /// A folder of outfits, or the folder of one outfit (it then appears under its own name).
    pub fn read(dir: &Path) -> Result<Files, Problem> {
        let mut files = Files { map: BTreeMap::new() };
        let mut prefix = String::new();
        if dir.join("template.toml").is_file() {
            let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
            let name = full.file_name().map_or_else(|| "outfit".into(), |n| n.to_string_lossy());
            prefix = format!("{name}/");
        }
        files.collect(dir, &prefix, 0)?;
        Ok(files)
    }

    fn collect(&mut self, dir: &Path, prefix: &str, depth: usize) -> Result<(), Problem> {
        let say = |file: &str, message: String| Problem { file: file.to_owned(), line: 0, message };
        let entries =
            fs::read_dir(dir).map_err(|e| say(&dir.to_string_lossy(), format!("cannot be read: {e}")))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if path.is_dir() {
                if depth < DEPTH_MAX {
                    self.collect(&path, &format!("{name}/"), depth + 1)?;
                }
            } else if ["svg", "toml", "ttf"].iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
                if self.map.len() >= FILES_MAX {
                    return Err(say(&name, format!("more than {FILES_MAX} files")));
                }
                let long = fs::metadata(&path).is_ok_and(|m| m.len() > FILE_BYTES_MAX);
                let bytes = if long {
                    Err("is too large".to_owned())
                } else {
                    fs::read(&path).map_err(|e| e.to_string())
                };
                self.map.insert(name.clone(), Cow::Owned(bytes.map_err(|e| say(&name, e))?));
            }
        }
        Ok(())
    }

    /// The same with the built-in rig under it: an operator's folder may hold nothing but one outfit.
    pub fn over_built_in_rig(mut self) -> Files {
        for (name, bytes) in BUILT_IN.iter().filter(|(name, _)| name.starts_with("rig/")) {
            self.map.entry((*name).to_owned()).or_insert(Cow::Borrowed(bytes));
        }
        self
    }

    /// The bytes of a file.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.map.get(name).map(AsRef::as_ref)
    }

    /// The text of a file, or what is wrong with it.
    pub fn text(&self, name: &str) -> Result<&str, Problem> {
        let say = |message: &str| Problem { file: name.to_owned(), line: 0, message: message.to_owned() };
        let bytes = self.bytes(name).ok_or_else(|| say("is missing"))?;
        std::str::from_utf8(bytes).map_err(|_| say("is not UTF-8"))
    }

    /// Names that begin with `prefix`.
    pub fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        self.map.keys().map(String::as_str).filter(move |name| name.starts_with(prefix))
    }

    /// Names of the outfit folders, sorted.
    pub fn outfits(&self) -> Vec<&str> {
        let mut out: Vec<&str> = self
            .map
            .keys()
            .filter_map(|n| n.split_once('/'))
            .map(|(folder, _)| folder)
            .filter(|f| *f != "rig")
            .collect();
        out.dedup();
        out
    }
}
