//! The revision of the source, read from the files of a git repository: the build needs no `git` and no crate for it.

use std::fs;
use std::path::{Path, PathBuf};

/// A revision and the files that change with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Revision {
    /// Forty (or sixty-four) hexadecimal digits.
    pub id: String,
    /// What a build has to watch.
    pub files: Vec<PathBuf>,
}

/// The revision of the repository at `root`; none without a repository, or before its first commit.
pub fn of(root: &Path) -> Option<Revision> {
    let git = folder(root)?;
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    let mut files = vec![git.join("HEAD")];
    // Written at each commit, also when the branch is a line of `packed-refs` until then.
    files.extend(Some(git.join("logs/HEAD")).filter(|file| file.is_file()));
    let id = match head.trim().strip_prefix("ref: ") {
        None => head.trim().to_owned(),
        Some(branch) => {
            let shared = shared(&git);
            let loose = shared.join(branch);
            let packed = shared.join("packed-refs");
            let read = fs::read_to_string(&loose).ok().map(|text| text.trim().to_owned());
            files.extend([loose, packed.clone()].into_iter().filter(|file| file.is_file()));
            read.or_else(|| in_packed(&packed, branch))?
        }
    };
    is_id(&id).then_some(Revision { id, files })
}

/// The folder of the repository, which a work tree of its own names in a file.
fn folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(git).ok()?;
    Some(root.join(text.trim().strip_prefix("gitdir: ")?))
}

/// The folder with the branches: several work trees share it.
fn shared(git: &Path) -> PathBuf {
    match fs::read_to_string(git.join("commondir")) {
        Ok(text) => git.join(text.trim()),
        Err(_) => git.to_owned(),
    }
}

fn in_packed(packed: &Path, branch: &str) -> Option<String> {
    let text = fs::read_to_string(packed).ok()?;
    text.lines().find_map(|line| {
        let (id, name) = line.split_once(' ')?;
        (name == branch).then(|| id.to_owned())
    })
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
