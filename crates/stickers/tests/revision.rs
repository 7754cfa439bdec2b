//! The revision that a build finds, in the shapes that a repository has.

#[path = "../build/revision.rs"]
mod revision;

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const FIRST: &str = "1fc82213b4a5968778695a4b3c2d1e0f00112233";
const SECOND: &str = "2612bf0a1b2c3d4e5f60718293a4b5c6d7e8f901";

/// A repository of these files.
fn repository(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

fn id(root: &Path) -> Option<String> {
    revision::of(root).map(|found| found.id)
}

#[test]
fn the_commit_of_the_branch_is_found_loose_or_packed() {
    let head = (".git/HEAD", "ref: refs/heads/main\n");
    let packed = format!("# pack-refs with: peeled\n{SECOND} refs/heads/other\n{FIRST} refs/heads/main\n");
    let both = [head, (".git/refs/heads/main", SECOND), (".git/packed-refs", packed.as_str())];
    assert_eq!(id(repository(&both).path()).as_deref(), Some(SECOND), "a loose one is newer");
    assert_eq!(id(repository(&[head, both[2]]).path()).as_deref(), Some(FIRST));
    assert_eq!(id(repository(&[head]).path()), None, "nothing was committed yet");
    assert_eq!(id(repository(&[(".git/HEAD", FIRST)]).path()).as_deref(), Some(FIRST), "no branch");
    assert_eq!(id(repository(&[("README.md", "no repository")]).path()), None);
    assert_eq!(
        id(repository(&[(".git/HEAD", "ref: refs/heads/main"), (".git/refs/heads/main", "?")]).path()),
        None
    );
}

#[test]
fn a_work_tree_of_its_own_has_its_own_head_and_shares_the_branches() {
    let files = [
        ("tree/.git", "gitdir: ../home/.git/worktrees/tree\n"),
        ("home/.git/HEAD", "ref: refs/heads/main\n"),
        ("home/.git/refs/heads/main", FIRST),
        ("home/.git/refs/heads/tree", SECOND),
        ("home/.git/worktrees/tree/HEAD", "ref: refs/heads/tree\n"),
        ("home/.git/worktrees/tree/commondir", "../..\n"),
        ("home/.git/worktrees/tree/logs/HEAD", "a line a commit"),
    ];
    let folder = repository(&files);
    let found = revision::of(&folder.path().join("tree")).expect("a revision");
    assert_eq!(found.id, SECOND);
    let names: Vec<_> = found.files.iter().map(|file| file.is_file()).collect();
    assert_eq!(names, [true; 3], "HEAD, its log and the branch are watched: {:?}", found.files);
}

/// What `/health` shows as `revision` is the same constant.
#[test]
fn the_program_says_what_it_was_built_from() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = option_env!("STICKERS_REVISION").filter(|revision| !revision.is_empty());
    let expected = given.map(str::to_owned).or_else(|| id(&root)).unwrap_or_else(|| "unknown".to_owned());
    let output = Command::new(env!("CARGO_BIN_EXE_stickers")).arg("--version").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), format!("stickers {} ({expected})", env!("CARGO_PKG_VERSION")));
}
