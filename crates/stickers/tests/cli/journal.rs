//! Standard error as systemd gives it to a service: a stream to the journal, named in the environment.

use crate::{Place, err};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;

/// Runs a command with a stream for its standard error; what arrived there. `named` tells the stream's name from its device and inode.
fn told(place: &Place, args: &[&str], named: fn(u64, u64) -> String, env: &[(&str, &str)]) -> String {
    let (mut ours, theirs) = UnixStream::pair().expect("a stream");
    let found = File::from(OwnedFd::from(theirs.try_clone().expect("a copy"))).metadata().expect("its name");
    let mut command = place.command(args);
    command.envs(env.iter().copied()).env("JOURNAL_STREAM", named(found.dev(), found.ino()));
    let mut child = command.stderr(OwnedFd::from(theirs)).spawn().expect("the binary runs");
    // It holds the other end too.
    drop(command);
    let mut text = String::new();
    ours.read_to_string(&mut text).expect("text");
    child.wait().expect("ends");
    text
}

fn is_ours(device: u64, inode: u64) -> String {
    format!("{device}:{inode}")
}

fn is_anothers(device: u64, inode: u64) -> String {
    format!("{device}:{}", inode + 1)
}

/// What the journal takes a line of this level for.
fn prefix_of(line: &Value) -> &'static str {
    match line["level"].as_str() {
        Some("ERROR") => "<3>",
        Some("WARN") => "<4>",
        Some("INFO") => "<6>",
        Some("DEBUG" | "TRACE") => "<7>",
        other => panic!("a level: {other:?}"),
    }
}

#[test]
fn lines_for_the_journal_begin_with_their_priority_and_those_for_anything_else_do_not() {
    let place = Place::new();
    let env = [("RUST_LOG", "debug"), ("LOG_DIR", "logs")];
    let journal = told(&place, &["migrate"], is_ours, &env);
    let mut seen = Vec::new();
    for line in journal.lines() {
        let (prefix, rest) = line.split_at(3);
        let event: Value = serde_json::from_str(rest).expect("one object a line");
        assert_eq!(prefix, prefix_of(&event), "{line}");
        seen.push(prefix.to_owned());
    }
    assert!(
        seen.iter().any(|prefix| prefix == "<6>") && seen.iter().any(|prefix| prefix == "<7>"),
        "{journal}"
    );

    let elsewhere = told(&place, &["migrate"], is_anothers, &env);
    let files = std::fs::read_dir(place.path().join("logs")).expect("a folder");
    let files = files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text"));
    let unmarked = files.collect::<String>() + &elsewhere;
    assert!(unmarked.lines().count() > journal.lines().count(), "{unmarked}");
    for line in unmarked.lines() {
        serde_json::from_str::<Value>(line).expect("an object and nothing before it");
    }
}

#[test]
fn the_last_word_of_a_command_that_fails_is_an_error_of_the_journal() {
    let place = Place::new();
    std::fs::write(place.path().join("file"), "").expect("a file");
    let env = [("DATA_DIR", "file/below")];
    let journal = told(&place, &["migrate"], is_ours, &env);
    assert!(journal.starts_with("<3>stickers: the database cannot be opened"), "{journal}");
    let refused = told(&place, &["migrate"], is_ours, &[("WORKER_SLOTS", "17"), ("PACK_LIMIT", "x")]);
    assert!(
        refused.lines().count() == 2 && refused.lines().all(|line| line.starts_with("<3>stickers: ")),
        "{refused}"
    );
    assert!(told(&place, &["migrate"], is_anothers, &env).starts_with("stickers: "));
    assert!(err(&place.run(&["migrate"], &env)).starts_with("stickers: "));
}
