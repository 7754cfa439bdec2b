//! The marker test (issue 5, "Must hold"): a word is planted wherever a person can leave one — names, texts to the bot, the file name, EXIF and the
//! bytes of the photo, every field of a request. The system is used, everyone is erased, and the word is found in no byte of what the product keeps, nor
//! in a copy made afterwards. An older copy is restored: it is still gone.
//!
//! Twice: with an SQLite file and a folder (every byte of the data folder and the logs), and with PostgreSQL and S3 (the same, every byte of the store, and
//! all that the database server gives out: a whole dump as text).

use crate::postgres::Database;
use crate::stage::{BOT, Stage, astronaut};
use bucket::Bucket;
use flate2::read::GzDecoder;
use serde_json::json;
use simulator::{NewGroup, NewPerson};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

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

/// Whether the word stands in these bytes, as UTF-8, as UTF-16 in either order, or in hexadecimal as a dump writes bytes; in capitals or not.
fn is_marked(bytes: &[u8]) -> bool {
    let lower = bytes.to_ascii_lowercase();
    let word = MARK.to_ascii_lowercase();
    let wide = |little: bool| {
        word.encode_utf16().flat_map(move |unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() })
    };
    let hex: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
    let forms: [Vec<u8>; 4] =
        [word.clone().into_bytes(), wide(true).collect(), wide(false).collect(), hex.into_bytes()];
    forms.iter().any(|form| lower.windows(form.len()).any(|part| part == form))
}

/// How a packed file begins, whatever its name is.
const GZIP: [u8; 2] = [0x1f, 0x8b];

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
        if bytes.starts_with(&GZIP) {
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

/// The system of a story, and where it keeps things.
struct Story {
    stage: Stage,
    admin: i64,
    group: i64,
    /// With PostgreSQL and S3.
    outside: Option<(Database, Bucket)>,
}

/// Whom it is about.
struct Planted {
    first: i64,
    second: i64,
    lead: i64,
    test_lead: i64,
}

impl Story {
    /// With an SQLite file and a folder of media.
    async fn on_one_disk() -> Story {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = format!("sqlite://{}/app.db", folder.path().display());
        Story::begin(folder, database, Vec::new(), None).await
    }

    /// With the database on a server and the media in a bucket.
    async fn on_postgresql_and_s3() -> Story {
        let (database, bucket) = (Database::new().await, Bucket::start().await);
        let mut more = vec![("MEDIA_URL", bucket.url("media"))];
        more.extend(bucket.vars());
        let folder = tempfile::tempdir().expect("a temporary folder");
        Story::begin(folder, database.url.clone(), more, Some((database, bucket))).await
    }

    async fn begin(
        folder: TempDir,
        database: String,
        mut more: Vec<(&'static str, String)>,
        outside: Option<(Database, Bucket)>,
    ) -> Story {
        let logs = folder.path().join("logs").display().to_string();
        more.extend([
            ("LOG_DIR", logs),
            ("LEADS_SECRET", SECRET.to_owned()),
            ("LEADS_IP_SALT", "a salt".to_owned()),
        ]);
        let mut stage = Stage::with(folder, database, more).await;
        let admin = stage.person("Нодира", "ru");
        stage.world.start(admin, BOT, None).expect("the admin presses Start");
        let group =
            NewGroup { title: "Заявки".to_owned(), members: vec![admin], ..NewGroup::default() };
        let group = stage.world.add_group(group).expect("the team's group");
        stage.more.push(("LEADS_CHAT_ID", group.to_string()));
        stage.more.push(("LEADS_ADMIN_IDS", admin.to_string()));
        stage.start_bot("");
        Story { stage, admin, group, outside }
    }

    /// The system is used: one guest up to the pack, one up to the camera; two requests and a repeat.
    async fn is_used(&self) -> Planted {
        let stage = &self.stage;
        let first = marked_person(stage, 1);
        let token = stage.at_the_camera(first, "chapan").await;
        if let Some((_, bucket)) = &self.outside {
            // No photo gets there with its EXIF; a file that holds the word shows that the store is really searched.
            let folder = bucket.folder().join(bucket::NAME).join("media/sessions").join(&token);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("sheet.png"), marked_photo()).expect("an object");
        }
        let (status, queued) = stage.upload_as(&token, marked_photo(), &format!("{MARK}.jpg")).await;
        assert_eq!(status, 202, "{queued}");
        let second = marked_person(stage, 2);
        stage.at_the_camera(second, "hoodie").await;
        for person in [first, second] {
            stage.world.send_text(person, BOT, &format!("{MARK} was here"), None).expect("a message");
        }
        let lead = request(stage, REQUEST, "Свадьба", "+998901739100").await;
        let test_lead = request(stage, TEST_REQUEST, "тест", "+998901739177").await;
        stage
            .until("both cards are in the group", async || (self.in_group("request_id: ") == 2).then_some(()))
            .await;
        assert_eq!(request(stage, REPEAT, "Юбилей", "+998901739100").await, lead, "a repeat");
        stage.until("the repeat is told", async || (self.in_group("Юбилей") > 0).then_some(())).await;
        stage.pack_arrives_once(first).await;
        Planted { first, second, lead, test_lead }
    }

    /// Everyone is erased: by themselves, by an engineer, by the team.
    async fn erases(&self, planted: &Planted) {
        let stage = &self.stage;
        stage.world.send_text(planted.first, BOT, "/forget_me", None).expect("a command");
        stage.hears(planted.first, "Удалить").await;
        stage.press_button(planted.first).await;
        stage.hears(planted.first, "твои данные и файлы удалены").await;
        let told = run(stage, &["reset-user", &planted.second.to_string(), "--yes"]).await;
        let counts = format!("удалено для {}: users=1, sessions=1, jobs=0", planted.second);
        assert!(told.contains(&counts), "{told}");
        let command =
            |text: String| stage.world.send_text(self.admin, self.group, &text, None).expect("a command");
        command(format!("/stickers_forget {}", planted.lead));
        command(format!("/stickers_forget {} тест", planted.test_lead));
        stage.until("the cards are rewritten", async || (self.in_group(MARK) == 0).then_some(())).await;
    }

    /// How many messages of the group hold this text.
    fn in_group(&self, text: &str) -> usize {
        let view = self.stage.world.view(Some(self.admin), self.group).unwrap_or_default();
        let messages = view["messages"].as_array().cloned().unwrap_or_default();
        messages
            .iter()
            .filter(|message| message["text"].as_str().is_some_and(|said| said.contains(text)))
            .count()
    }

    /// Everything that is marked now, but for copies of the two kinds that the answers name: those beside the database, and `older`.
    fn marked(&self, older: Option<&Path>) -> Vec<PathBuf> {
        let mut found = marked_below(self.stage.folder.path());
        found.retain(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            !name.contains(".bak-") && Some(path.as_path()) != older
        });
        if let Some((database, bucket)) = &self.outside {
            found.extend(marked_below(bucket.folder()));
            found.extend(dump(database).lines().filter(|line| is_marked(line.as_bytes())).map(PathBuf::from));
        }
        found
    }

    /// Nothing is marked while the services run, nor when they have stopped.
    async fn is_clean(&mut self, older: Option<&Path>) {
        // The loop may have rewritten the cards a moment before the verb took the words out of the database's files.
        let clean = async || self.marked(older).is_empty().then_some(());
        self.stage.until("no byte is marked while the services run", clean).await;
        assert_eq!(self.stage.stop_bot().await, Some(0));
        self.stage.stop_api().await;
        assert_eq!(self.marked(older), Vec::<PathBuf>::new(), "the services have stopped");
    }
}

/// All that the database server gives out, as text.
fn dump(database: &Database) -> String {
    let output =
        Command::new("pg_dump").args(["--format=plain", &database.url]).output().expect("pg_dump runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The whole story. Of each of the `places` the search must find something before the erasures.
async fn nothing_is_left(mut story: Story, places: &[&str]) {
    let planted = story.is_used().await;

    // A copy that knows them all, and proof that the search finds what is there.
    run(&story.stage, &["backup"]).await;
    let older = new_copy(&story.stage, &[]);
    let marked = story.marked(None);
    assert!(marked.contains(&older), "the marker was planted: {marked:?}");
    for place in places {
        let found = marked.iter().any(|path| path.to_string_lossy().contains(place));
        assert!(found, "{place:?} was planted: {marked:?}");
    }

    story.erases(&planted).await;
    run(&story.stage, &["backup"]).await;
    story.is_clean(Some(&older)).await;

    // The older copy comes back, and they do not come back with it.
    let restored = run(&story.stage, &["restore", &older.display().to_string(), "--json"]).await;
    let restored: serde_json::Value = serde_json::from_str(&restored).expect("JSON");
    assert_eq!(restored["guests_erased_again"], 2, "{restored}");
    assert_eq!(story.marked(Some(&older)), Vec::<PathBuf>::new(), "after the restore");
    let count = ["sql", "SELECT COUNT(*) AS n FROM users WHERE first_name LIKE '%mark%'"];
    assert_eq!(run(&story.stage, &count).await, "n\n0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_marker_planted_everywhere_is_found_nowhere_after_the_erasures_and_stays_gone_after_a_restore() {
    nothing_is_left(Story::on_one_disk().await, &["app.db"]).await;
}

/// Lines of the dump stand for their tables: a guest, a request, its repeat; and a file stands for the store.
#[tokio::test(flavor = "multi_thread")]
async fn a_marker_planted_everywhere_is_found_in_no_byte_of_the_s3_store_and_in_no_line_of_a_dump_of_postgresql()
 {
    let places = [" Lola\t", "Свадьба", "Юбилей", "sheet.png"];
    nothing_is_left(Story::on_postgresql_and_s3().await, &places).await;
}
