//! Commands over a real S3 server: the copy elsewhere, the audit of files, the deletion of a guest, the end of an event.

use crate::ops::{LOLA, machine_time, with_a_guest, with_a_guest_at};
use crate::{Place, err, out};
use bucket::Bucket;
use domain::Timestamp;
use domain::backup::{Kind, nightly_name};
use serde_json::Value;
use std::process::Output;
use std::time::Duration;
use tokio::runtime::Runtime;

const HOUR: Duration = Duration::from_secs(3_600);

/// A server that runs beside the test, on threads of its own.
struct Beside {
    bucket: Bucket,
    _threads: Runtime,
}

impl Beside {
    fn new() -> Beside {
        let threads = Runtime::new().expect("threads");
        Beside { bucket: threads.block_on(Bucket::start()), _threads: threads }
    }

    /// Runs a command with the store's keys and more variables.
    fn run(&self, place: &Place, args: &[&str], more: &[(&str, &str)]) -> Output {
        let vars = self.bucket.vars();
        let mut env: Vec<(&str, &str)> = vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
        env.extend(more);
        place.run(args, &env)
    }

    /// Puts an object behind the server's back.
    fn has(&self, key: &str, content: &[u8]) {
        let path = self.bucket.folder().join(bucket::NAME).join(key);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("an object");
    }

    fn object(&self, key: &str) -> Vec<u8> {
        std::fs::read(self.bucket.folder().join(bucket::NAME).join(key)).expect("an object")
    }
}

#[test]
fn a_copy_goes_to_an_s3_store_is_kept_there_by_the_same_rule_and_a_refusal_is_told() {
    let (place, store) = (Place::new(), Beside::new());
    with_a_guest(&place);
    let now = machine_time(&place);
    let ago = |hours: u32| now.minus(HOUR * hours);
    let name = |at: Timestamp| nightly_name(at, Kind::Sqlite, false);
    // Three nights that are there already, the oldest of them past its fourteen days, and what is no copy of ours.
    for at in [ago(24), ago(48), ago(15 * 24)] {
        store.has(&format!("copies/{}", name(at)), b"an older copy");
    }
    store.has("copies/notes.txt", b"kept");
    store.has("elsewhere/x", b"kept");
    let env =
        [("BACKUP_REMOTE_URL", "s3://event-media/copies"), ("BACKUP_KEEP", "2"), ("ADMIN_USER_IDS", "7")];
    let made = store.run(&place, &["backup", "--json"], &env);
    let told: Value = serde_json::from_slice(&made.stdout).expect("JSON");
    assert_eq!((&told["ok"], &told["sent"]), (&true.into(), &true.into()), "{}", err(&made));
    let copy = told["name"].as_str().expect("a name");
    let here = std::fs::read(place.path().join("data/backups").join(copy)).expect("the copy here");
    assert!(store.object(&format!("copies/{copy}")) == here, "not the copy to the byte");
    let mut kept =
        [format!("copies/{}", name(ago(24))), format!("copies/{copy}"), "copies/notes.txt".to_owned()];
    kept.sort();
    assert_eq!(store.bucket.keys("copies/"), kept);
    assert_eq!(store.bucket.keys("elsewhere"), ["elsewhere/x"]);
    let looked = store.run(&place, &["doctor"], &env);
    assert!(out(&looked).contains("2 in s3://event-media/copies"), "{}{}", out(&looked), err(&looked));

    // Refused: by a key that is wrong, a bucket that is not there, a server that is away. The copy here is good each time.
    let wrong = [&env[..], &[("AWS_SECRET_ACCESS_KEY", "not-the-secret")]].concat();
    let nowhere = [&[("BACKUP_REMOTE_URL", "s3://no-such-bucket/copies")], &env[1..]].concat();
    let refusals = [(&wrong[..], "SignatureDoesNotMatch"), (&nowhere, "NoSuchBucket")];
    for (env, reason) in refusals {
        let alone = store.run(&place, &["backup"], env);
        assert!(alone.status.success() && out(&alone).contains(" UTC OK "), "{}", err(&alone));
        let line = err(&alone);
        let line =
            line.lines().find(|line| line.contains("is not elsewhere")).expect("one line of it").to_owned();
        assert!(line.contains(reason), "{line}");
        assert!(!line.contains("secret") && !line.contains(bucket::SECRET_KEY), "{line}");
    }
    store.bucket.refuse(Some(""));
    let alone = store.run(&place, &["backup"], &env);
    assert!(alone.status.success() && err(&alone).contains("is not elsewhere"), "{}", err(&alone));
    store.bucket.refuse(None);
    let alerts = place.run(&["sql", "SELECT COUNT(*) AS n FROM outbox WHERE kind = 'backup_remote'"], &[]);
    assert_eq!(out(&alerts), "n\n1\n", "told once in half an hour");
    assert_eq!(store.bucket.keys("copies/"), kept, "nothing was half sent");
}

#[test]
fn files_in_an_s3_store_are_audited_and_go_with_their_guest_and_at_the_end_of_an_event() {
    let (place, store) = (Place::new(), Beside::new());
    with_a_guest_at(&place, machine_time(&place));
    std::fs::remove_dir_all(place.path().join("data/sessions")).expect("no files beside the store");
    for key in ["sessions/tok/selfie_a.jpg", "sessions/tok/sticker_x_0.webp"] {
        store.has(&format!("media/{key}"), b"a face");
    }
    let env = [("MEDIA_URL", "s3://event-media/media")];
    let audit = |env: &[(&str, &str)]| store.run(&place, &["privacy-audit", "--json"], env);
    let past = |output: &Output| {
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let checks = told["checks"].as_array().expect("checks").clone();
        let late = checks.iter().filter(|check| check["past"] != 0);
        let late = late.map(|check| {
            format!("{} {}/{}", check["rule"].as_str().expect("a name"), check["past"], check["count"])
        });
        late.collect::<Vec<_>>()
    };
    let clean = audit(&env);
    assert!(clean.status.success(), "{}{}", out(&clean), err(&clean));
    assert!(out(&clean).contains(r#""count":2"#), "{}", out(&clean));

    // The store says how old a file is. What no row knows has an hour.
    store.bucket.age("sticker_x_0", HOUR * 73);
    store.has("media/debug_sheets/job99_anchor.png", b"a face");
    store.bucket.age("job99", HOUR * 2);
    let late = audit(&env);
    assert_eq!(late.status.code(), Some(1));
    assert_eq!(past(&late), ["photos 1/2", "files_without_a_row 1/3"]);

    // What cannot be looked at is not taken for clean.
    store.bucket.refuse(Some(""));
    let blind = audit(&env);
    assert!(
        blind.status.code() == Some(1) && err(&blind).contains("the audit is not complete"),
        "{}",
        err(&blind)
    );
    store.bucket.refuse(None);
    let nowhere = audit(&[("MEDIA_URL", "s3://no-such-bucket/media")]);
    assert!(nowhere.status.code() == Some(1) && err(&nowhere).contains("NoSuchBucket"), "{}", err(&nowhere));

    let id = LOLA.to_string();
    let dry = store.run(&place, &["reset-user", &id], &env);
    assert!(out(&dry).contains("файлов: 2"), "{}{}", out(&dry), err(&dry));
    assert_eq!(store.bucket.keys("media/sessions/tok").len(), 2);
    let gone = store.run(&place, &["reset-user", &id, "--yes"], &env);
    assert!(
        gone.status.success() && out(&gone).contains("файлов удалено: 2"),
        "{}{}",
        out(&gone),
        err(&gone)
    );
    assert_eq!(store.bucket.keys(""), ["media/debug_sheets/job99_anchor.png"]);
    let closed = store.run(&place, &["event", "close", "--now"], &env);
    assert!(closed.status.success(), "{}{}", out(&closed), err(&closed));
    assert_eq!(store.bucket.keys(""), Vec::<String>::new());
}
