//! What a command says to whoever types it: help, refusals, the settings in effect, a password's hash.

use crate::{Place, err, is_bad_input, out};
use serde_json::Value;
use std::io::Write;
use std::process::{Output, Stdio};

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    for command in [
        &[][..],
        &["demo"],
        &["api"],
        &["bot"],
        &["landing"],
        &["render"],
        &["templates"],
        &["templates", "check"],
        &["templates", "new"],
        &["migrate"],
        &["config"],
        &["cost-report"],
        &["backup"],
        &["backups"],
        &["restore"],
        &["reset-user"],
        &["privacy-audit"],
        &["sql"],
        &["doctor"],
        &["event"],
        &["event", "report"],
        &["event", "close"],
        &["admin-password"],
    ] {
        let args: Vec<_> = command.iter().copied().chain(["--help"]).collect();
        let output = place.run(&args, &[]);
        assert!(output.status.success() && err(&output).is_empty(), "{command:?}");
        assert!(out(&output).contains("Example:") && out(&output).contains("--env-file"), "{command:?}");
    }
}

#[test]
fn whoever_stops_reading_ends_a_command_quietly() {
    let place = Place::new();
    for arguments in
        [&["config"][..], &["config", "--json"], &["backups"], &["--help"], &["render", "--help"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let ended = place.command(arguments).stdout(writer).stderr(Stdio::piped()).spawn().expect("it runs");
        let ended = ended.wait_with_output().expect("it ends");
        assert_eq!((ended.status.code(), err(&ended).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn bad_input_is_one_line_and_status_2() {
    let place = Place::new();
    let cases: [(&[&str], &[&str]); 11] = [
        (&[], &["command is missing", "--help"]),
        (&["dance"], &["dance"]),
        (&["config", "--loud"], &["--loud"]),
        (&["bot", "--roles", "cook"], &["cook", "worker"]),
        (&["demo", "--port", "0"], &["0", "--port"]),
        (&["render", "--template", "none", "--out", "x", "y.jpg"], &["none", "chapan"]),
        (
            &["render", "--template", "chef", "--out", "x", "y.jpg", "--provider", "midjourney"],
            &["midjourney", "gemini"],
        ),
        (
            &["render", "--template", "chef", "--out", "x", "y.jpg", "--provider", "gemini"],
            &["GEMINI_API_KEY"],
        ),
        (&["templates", "new", "../x"], &["../x", "small letters"]),
        (&["templates", "check", "nowhere"], &["nowhere"]),
        (&["config", "--env-file", "nowhere.env"], &["nowhere.env"]),
    ];
    for (args, parts) in cases {
        is_bad_input(&place.run(args, &[]), parts);
    }
}

#[test]
fn a_bad_value_of_the_environment_stops_every_start_by_name_value_and_what_is_allowed() {
    let place = Place::new();
    for command in ["api", "bot", "config", "migrate", "demo"] {
        let output = place.run(&[command], &[("WORKER_SLOTS", "17"), ("BOT_TOKEN", "1:a")]);
        is_bad_input(&output, &["WORKER_SLOTS", "17", "from 1 to 16"]);
    }
    let output = place.run(&["bot"], &[]);
    is_bad_input(&output, &["BOT_TOKEN"]);
    let output = place.run(&["bot"], &[("BOT_TOKEN", "hunter2")]);
    is_bad_input(&output, &["BOT_TOKEN"]);
    assert!(!err(&output).contains("hunter2"));
}

#[test]
fn config_shows_the_file_under_the_environment_and_no_secret() {
    let place = Place::new();
    std::fs::write(
        place.path().join(".env"),
        "WORKER_SLOTS=3\nPACK_LIMIT=5\nBOT_TOKEN=1:hunter2\nEVENT_NAME=\n",
    )
    .expect("a file");
    let output = place.run(&["config"], &[("WORKER_SLOTS", "4")]);
    let text = out(&output);
    assert!(output.status.success(), "{}", err(&output));
    for line in ["WORKER_SLOTS=4  # environment", "PACK_LIMIT=5  # file", "PHOTO_TTL_HOURS=72  # default"] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    assert!(text.contains("BOT_TOKEN=********") && !text.contains("hunter2"), "{text}");
    let json: Value = serde_json::from_slice(&place.run(&["config", "--json"], &[]).stdout).expect("JSON");
    let slots =
        json["variables"].as_array().expect("a list").iter().find(|one| one["name"] == "WORKER_SLOTS");
    assert_eq!(slots.map(|slots| &slots["value"]), Some(&Value::from("3")));
}

/// The binary with a line on its standard input.
fn told(place: &Place, args: &[&str], line: &str) -> Output {
    let mut child = place
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    child.stdin.take().expect("an input").write_all(line.as_bytes()).expect("writes");
    child.wait_with_output().expect("ends")
}

#[test]
fn a_password_from_standard_input_becomes_a_hash_that_the_panel_takes() {
    let place = Place::new();
    let output = told(&place, &["admin-password"], "correct horse\n");
    let hash = out(&output);
    assert!(output.status.success() && err(&output).is_empty(), "{}", err(&output));
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && hash.lines().count() == 1, "{hash}");
    let hash = hash.trim_end();
    assert!(app::panel::password::verify("correct horse", hash));
    let quoted = format!("ADMIN_LOGIN=dilnoza\nADMIN_PASSWORD_HASH='{hash}'\n");
    std::fs::write(place.path().join(".env"), quoted).expect("a file");
    let config = place.run(&["config"], &[]);
    assert!(config.status.success(), "{}", err(&config));
    assert!(out(&config).contains("ADMIN_PASSWORD_HASH=********") && !out(&config).contains("argon2"));
    let json: Value =
        serde_json::from_slice(&told(&place, &["admin-password", "--json"], "correct horse").stdout)
            .expect("JSON");
    assert!(
        json["hash"].as_str().is_some_and(|other| other != hash && other.starts_with("$argon2id$")),
        "{json}"
    );
}

#[test]
fn a_password_that_is_too_short_or_too_long_is_refused_and_not_shown() {
    let place = Place::new();
    for (password, part) in
        [("hunter2\n", "7 characters"), ("", "0 characters"), (&*"x".repeat(300), "256 bytes")]
    {
        let output = told(&place, &["admin-password"], password);
        is_bad_input(&output, &["8 characters", part]);
        assert!(!err(&output).contains("hunter2"));
    }
}
