//! The marker test (issue 5, "Must hold"): a word is planted wherever a person can leave one — names, texts to the bot, the file name, EXIF and the
//! bytes of the photo, every field of a request. The system is used, everyone is erased, and the word is found in no byte of the data folder,
//! the logs and a copy made afterwards. An older copy is restored: it is still gone.

use crate::stage::{BOT, Stage, astronaut};
use flate2::read::GzDecoder;
use serde_json::json;
use simulator::{NewGroup, NewPerson};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The word. In names and texts it stands as it is, in a username and a hashtag it may.
const MARK: &str = "Zqmark7391";
const SECRET: &str = "between-landing-and-api";
const REQUEST: &str = "5d52c3a1-7d52-4f3e-9a68-5c2d1e0f7b34";
const REPEAT: &str = "7d52c3a1-7d52-4f3e-9a68-5c2d1e0f7b34";
const TEST_REQUEST: &str = "6d52c3a1-7d52-4f3e-9a68-5c2d1e0f7b34";

/// The portrait as a camera writes it, with the word in EXIF, in a comment, and behind the end of the picture.
fn marked_photo() -> Vec<u8> {
    let picture = image::load_from_memory(&astronaut()).expect("a picture").to_rgb8();
    let mut jpeg = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut jpeg, image::ImageFormat::Jpeg).expect("writes");
    let jpeg = jpeg.into_inner();
    let segment = |marker: u8, content: &[u8]| {
        let length = u16::try_from(content.len() + 2).expect("short").to_be_bytes();
        [&[0xff, marker][..], &length, content].concat()
    };
    // A whole little-endian TIFF with one text field, ImageDescription.
    let text = format!("{MARK} made this\0");
    let count = u32::try_from(text.len()).expect("short").to_le_bytes();
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x0e\x01\x02\0".to_vec();
    exif.extend(count);
    exif.extend(26_u32.to_le_bytes());
    exif.extend([0; 4]);
    exif.extend(text.as_bytes());
    let (begin, rest) = jpeg.split_at(2);
    [begin, &segment(0xe1, &exif), &segment(0xfe, MARK.as_bytes()), rest, MARK.as_bytes()].concat()
}

/// Whether the word stands in these bytes, as UTF-8 or UTF-16 in either order, in capitals or not.
fn is_marked(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    let word = MARK.to_ascii_lowercase();
    let wide = |little: bool| {
        word.encode_utf16().flat_map(move |unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
    };
    let forms: [Vec<u8>; 3] = [word.clone().into_bytes(), wide(true).collect(), wide(false).collect()];
    forms.iter().any(|form| lower.windows(form.len()).any(|part| part == form))
}

/// Every file below the folder whose name or content is marked; a compressed one is looked into as well.
fn marked_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // The services may take away a folder or a file of their own meanwhile.
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            found.extend(marked_below(&path));
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let mut unpacked = Vec::new();
        if path.extension().is_some_and(|end| end == "gz") {
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).expect("unpacks");
        }
        if is_marked(path.display().to_string().as_bytes()) || is_marked(&bytes) || is_marked(&unpacked) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A person whose every name is marked.
fn marked_person(stage: &Stage, number: u32) -> i64 {
    let person = NewPerson {
        first_name: format!("{MARK} Lola"),
        last_name: Some(format!("{MARK}ova")),
        username: Some(format!("{MARK}_{number}")),
        language_code: Some("ru".to_owned()),
    };
    stage.world.add_person(person).expect("a new person").id
}

/// Sends a request whose every field is marked.
async fn request(stage: &Stage, id: &str, comment: &str, phone: &str) -> i64 {
    let body = json!({
        "request_id": id, "name": format!("{MARK} {comment}"), "telegram": format!("@{MARK}{}", &phone[10..]),
        "phone": phone, "date": "14 декабря", "guests": "150", "comment": format!("{MARK} {comment}"),
        "locale": "ru", "client_ip": "203.0.113.9",
    });
    let call = stage.http.post(stage.url("/leads")).header("X-Stickers-Leads-Secret", SECRET).json(&body);
    let answer: serde_json::Value = call.send().await.expect("an answer").json().await.expect("JSON");
    answer["id"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

/// Runs a command to its good end; what it printed.
async fn run(stage: &Stage, arguments: &[&str]) -> String {
    let output = stage.run(arguments).await;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {out}{err}");
    out.into_owned()
}

/// The only nightly copy that is not among `known`.
fn new_copy(stage: &Stage, known: &[PathBuf]) -> PathBuf {
    let mut copies = stage.files("backups/app-");
    copies.retain(|copy| !known.contains(copy));
    assert_eq!(copies.len(), 1, "{copies:?}");
    copies.remove(0)
}

async fn stage_with_a_team() -> (Stage, i64, i64) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = format!("sqlite://{}/app.db", folder.path().display());
    let logs = folder.path().join("logs").display().to_string();
    let more =
        vec![("LOG_DIR", logs), ("LEADS_SECRET", SECRET.to_owned()), ("LEADS_IP_SALT", "a salt".to_owned())];
    let mut stage = Stage::with(folder, database, more).await;
    let admin = stage.person("Нодира", "ru");
    stage.world.start(admin, BOT, None).expect("the admin presses Start");
    let group = NewGroup { title: "Заявки".to_owned(), members: vec![admin], ..NewGroup::default() };
    let group = stage.world.add_group(group).expect("the team's group");
    stage.more.push(("LEADS_CHAT_ID", group.to_string()));
    stage.more.push(("LEADS_ADMIN_IDS", admin.to_string()));
    (stage, admin, group)
}

/// What the group shows.
fn in_group(stage: &Stage, admin: i64, group: i64, text: &str) -> usize {
    let view = stage.world.view(Some(admin), group).unwrap_or_default();
    let messages = view["messages"].as_array().cloned().unwrap_or_default();
    messages.iter().filter(|message| message["text"].as_str().is_some_and(|said| said.contains(text))).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_marker_planted_everywhere_is_found_nowhere_after_the_erasures_and_stays_gone_after_a_restore() {
    let (mut stage, admin, group) = stage_with_a_team().await;
    stage.start_bot("");

    // The system is used: one guest up to the pack, one up to the camera; two requests and a repeat.
    let first = marked_person(&stage, 1);
    let token = stage.at_the_camera(first, "chapan").await;
    let (status, queued) = stage.upload_as(&token, marked_photo(), &format!("{MARK}.jpg")).await;
    assert_eq!(status, 202, "{queued}");
    let second = marked_person(&stage, 2);
    stage.at_the_camera(second, "hoodie").await;
    for person in [first, second] {
        stage.world.send_text(person, BOT, &format!("{MARK} was here"), None).expect("a message");
    }
    let lead = request(&stage, REQUEST, "Свадьба", "+998901739100").await;
    let test_lead = request(&stage, TEST_REQUEST, "тест", "+998901739177").await;
    stage
        .until("both cards are in the group", async || {
            (in_group(&stage, admin, group, "request_id: ") == 2).then_some(())
        })
        .await;
    assert_eq!(request(&stage, REPEAT, "Юбилей", "+998901739100").await, lead, "a repeat");
    stage
        .until("the repeat is told", async || (in_group(&stage, admin, group, "Юбилей") > 0).then_some(()))
        .await;
    stage.pack_arrives_once(first).await;

    // A copy that knows them all, and proof that the search finds what is there.
    run(&stage, &["backup"]).await;
    let older = new_copy(&stage, &[]);
    let marked = marked_below(stage.folder.path());
    assert!(marked.contains(&older), "the marker was planted: {marked:?}");

    // Everyone is erased: by themselves, by an engineer, by the team.
    stage.world.send_text(first, BOT, "/forget_me", None).expect("a command");
    stage.hears(first, "Удалить").await;
    stage.press_button(first).await;
    stage.hears(first, "твои данные и файлы удалены").await;
    let told = run(&stage, &["reset-user", &second.to_string(), "--yes"]).await;
    assert!(told.contains(&format!("удалено для {second}: users=1, sessions=1, jobs=0")), "{told}");
    let command = |text: String| stage.world.send_text(admin, group, &text, None).expect("a command");
    command(format!("/stickers_forget {lead}"));
    command(format!("/stickers_forget {test_lead} тест"));
    stage
        .until("the cards are rewritten", async || (in_group(&stage, admin, group, MARK) == 0).then_some(()))
        .await;

    // The copy before the reset and the older nightly one are the two kinds that the answers name.
    run(&stage, &["backup"]).await;
    let named = |path: &PathBuf| {
        *path == older
            || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("app.db.bak-"))
    };
    let unnamed = || {
        let mut left = marked_below(stage.folder.path());
        left.retain(|path| !named(path));
        left
    };
    // The loop may have rewritten the cards a moment before the verb took the words out of the database's files.
    stage
        .until("no byte is marked while the services run", async || unnamed().is_empty().then_some(()))
        .await;
    assert_eq!(stage.stop_bot().await, Some(0));
    stage.stop_api().await;
    let mut left = marked_below(stage.folder.path());
    left.retain(|path| !named(path));
    assert_eq!(left, Vec::<PathBuf>::new(), "the services have stopped");

    // The older copy comes back, and they do not come back with it.
    let restored = run(&stage, &["restore", &older.display().to_string(), "--json"]).await;
    let restored: serde_json::Value = serde_json::from_str(&restored).expect("JSON");
    assert_eq!(restored["guests_erased_again"], 2, "{restored}");
    left = marked_below(stage.folder.path());
    left.retain(|path| !named(path));
    assert_eq!(left, Vec::<PathBuf>::new(), "after the restore");
    let users = run(&stage, &["sql", "SELECT COUNT(*) AS n FROM users WHERE first_name LIKE '%mark%'"]).await;
    assert_eq!(users, "n\n0\n");
}
