//! The built binary from outside: what it prints, where, and with which status it ends.

mod journal;
mod ops;
mod s3;

use serde_json::Value;
use simulator::VirtualClock;
use simulator::images::{GEMINI_KEY, ImageFault, ImageWorld, OPENAI_KEY, Scripted, Task};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

const PORTRAIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../render/tests/data/astronaut.png");
const TWO_PEOPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../render/tests/data/two_people_synthetic.png");

/// The binary in an empty folder and with an empty environment.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stickers"));
        command.args(args).current_dir(self.path()).env_clear();
        command
    }

    fn run(&self, args: &[&str], env: &[(&str, &str)]) -> Output {
        self.command(args).envs(env.iter().copied()).output().expect("the binary runs")
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Status 2, nothing on standard output, one line on standard error with every part.
fn is_bad_input(output: &Output, parts: &[&str]) {
    let line = err(output);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!((out(output).as_str(), line.lines().count()), ("", 1), "{line}");
    parts.iter().for_each(|part| assert!(line.contains(part), "{part}: {line}"));
}

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

/// A database of the program before its newest migration.
fn older_database(place: &Place) -> std::path::PathBuf {
    let file = place.path().join("data/app.db");
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let url = format!("sqlite://{}", file.display());
        let store = store::Store::open(store::StoreOptions::new(url)).await.expect("opens");
        store.migrate_up_to(6).await.expect("migrates");
        store.close().await;
    });
    file
}

fn beside(file: &Path, part: &str) -> Vec<std::path::PathBuf> {
    let folder = std::fs::read_dir(file.parent().expect("a folder")).expect("a folder");
    let paths = folder.map(|entry| entry.expect("a file").path());
    paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(part))).collect()
}

#[test]
fn row_002_copies_1_a_database_is_copied_and_its_migration_rehearsed_before_it_is_migrated_and_the_copy_comes_back()
 {
    let place = Place::new();
    let file = older_database(&place);
    let migrated = place.run(&["migrate"], &[("LOG_FORMAT", "text")]);
    assert!(migrated.status.success(), "{}", err(&migrated));
    let copies = beside(&file, ".bak-");
    assert_eq!(copies.len(), 1, "{copies:?}");
    let line = format!("бэкап до миграции: {}", copies[0].display());
    assert!(err(&migrated).contains("Миграция БД") && err(&migrated).contains(&line), "{}", err(&migrated));
    assert_eq!(beside(&file, "rehearsal"), Vec::<std::path::PathBuf>::new());

    // A new database is worth no copy, and one that is up to date neither.
    assert!(place.run(&["migrate"], &[]).status.success());
    assert_eq!(beside(&file, ".bak-").len(), 1);

    // The copy is of the older program; restored, it is migrated.
    let restored = place.run(&["restore", &copies[0].display().to_string()], &[]);
    assert!(restored.status.success() && out(&restored).contains("integrity=ok"), "{}", err(&restored));
    assert!(place.run(&["migrate", "--check"], &[]).status.success());
}

#[test]
fn rows_002_backup_a_copy_is_for_its_owner_only_and_without_a_database_there_is_none() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().expect("is there").permissions().mode() & 0o777;
    let place = Place::new();
    let none = place.run(&["backup"], &[]);
    assert!(
        none.status.success() && out(&none).contains(" UTC SKIP нет БД "),
        "{}{}",
        out(&none),
        err(&none)
    );
    assert!(place.run(&["migrate"], &[]).status.success());
    let made = place.run(&["backup"], &[]);
    assert!(made.status.success() && out(&made).contains("integrity=ok jobs=0 users=0"), "{}", err(&made));
    let folder = place.path().join("data/backups");
    assert_eq!(mode(&folder), 0o700);
    let files = beside(&folder.join("x"), "app-");
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(mode(&files[0]), 0o600);
    is_bad_input(&place.run(&["restore", "nowhere.db.gz"], &[]), &["nowhere.db.gz"]);
    let away = place.run(&["backup"], &[("DATABASE_URL", "postgres://kiosk:secret@127.0.0.1:1/app")]);
    assert_eq!(away.status.code(), Some(1));
    assert!(out(&away).contains("FAIL pg_dump вернул ошибку"), "{}", out(&away));
    assert!(err(&away).contains("server") && !err(&away).contains("secret"), "{}", err(&away));
}

#[test]
fn migrate_says_what_is_missing_applies_it_once_and_then_nothing() {
    let place = Place::new();
    let check = place.run(&["migrate", "--check"], &[]);
    assert_eq!(check.status.code(), Some(1), "{}", err(&check));
    assert!(out(&check).contains("pending 0001_"), "{}", out(&check));
    let first = place.run(&["migrate"], &[]);
    assert!(first.status.success() && out(&first).contains("applied 0001_"), "{}", err(&first));
    let second = place.run(&["migrate", "--json"], &[]);
    let json: Value = serde_json::from_slice(&second.stdout).expect("JSON");
    assert_eq!(json["applied"], Value::Array(Vec::new()));
    assert!(place.run(&["migrate", "--check"], &[]).status.success());
}

#[test]
fn a_database_that_cannot_be_used_is_a_failure_and_not_bad_input() {
    let place = Place::new();
    std::fs::write(place.path().join("file"), "").expect("a file");
    let output = place.run(&["migrate"], &[("DATA_DIR", "file/below")]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(err(&output).lines().count(), 1, "{}", err(&output));
}

#[test]
fn an_address_that_means_nothing_is_bad_input_and_a_server_that_is_not_there_is_told_as_such() {
    let place = Place::new();
    let malformed = place.run(&["migrate"], &[("DATABASE_URL", "postgres://kiosk:secret@db:notaport/app")]);
    is_bad_input(&malformed, &["DATABASE_URL", "PostgreSQL", "port"]);
    assert!(!err(&malformed).contains("secret"), "{}", err(&malformed));

    // A port that was free a moment ago: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|socket| socket.local_addr())
        .expect("a port")
        .port();
    let url = format!("postgres://kiosk:secret@127.0.0.1:{port}/app");
    let nobody = place.run(&["migrate"], &[("DATABASE_URL", &url)]);
    assert_eq!(nobody.status.code(), Some(1));
    let line = err(&nobody);
    assert!(line.contains("Connection refused") && !line.contains("secret"), "{line}");
}

#[test]
fn a_new_outfit_passes_the_check_and_a_broken_one_is_told_by_file() {
    let place = Place::new();
    let new = place.run(&["templates", "new", "pirate", "--dir", "outfits"], &[]);
    assert!(new.status.success(), "{}", err(&new));
    let check = place.run(&["templates", "check", "outfits"], &[]);
    assert!(check.status.success(), "{}{}", out(&check), err(&check));
    let template = place.path().join("outfits/pirate/template.toml");
    let text = std::fs::read_to_string(&template).expect("the template");
    std::fs::write(&template, text.replacen("pose = \"", "pose = \"moonwalk_", 1)).expect("written");
    let check = place.run(&["templates", "check", "outfits"], &[]);
    assert_eq!(check.status.code(), Some(1));
    let line = out(&check);
    assert!(line.contains("pirate/template.toml:") && line.contains("moonwalk"), "{line}");
    let json: Value =
        serde_json::from_slice(&place.run(&["templates", "check", "outfits", "--json"], &[]).stdout)
            .expect("JSON");
    assert_eq!(json["ok"], false);
    let problems = json["problems"].as_array().expect("a list");
    assert!(problems.iter().any(|problem| problem["line"].as_u64().is_some_and(|line| line > 0)), "{json}");
}

#[test]
fn photos_become_packs_and_a_refused_one_does_not_stop_the_others() {
    let place = Place::new();
    let output = place.run(
        &[
            "render",
            "--template",
            "hoodie",
            TWO_PEOPLE,
            "nothing.jpg",
            PORTRAIT,
            "--out",
            "packs",
            "--lang",
            "en",
            "--sheet",
            "sheet.png",
        ],
        &[],
    );
    let told = err(&output);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("two_people_synthetic.png") && told.contains("several_faces"), "{told}");
    assert!(told.contains("nothing.jpg"), "{told}");
    assert!(out(&output).contains("astronaut.png: 9 stickers"), "{}", out(&output));
    let pack: Vec<_> = std::fs::read_dir(place.path().join("packs/astronaut")).expect("a folder").collect();
    assert_eq!(pack.len(), 9);
    assert!(std::fs::read(place.path().join("sheet.png")).expect("a sheet").starts_with(b"\x89PNG"));
}

#[test]
fn render_tells_packs_and_refusals_as_json() {
    let place = Place::new();
    let output = place.run(&["render", "--template", "hoodie", PORTRAIT, "--out", "packs", "--json"], &[]);
    assert!(output.status.success(), "{}", err(&output));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["packs"][0]["stickers"].as_array().map(Vec::len), Some(9), "{json}");
    assert_eq!(json["refused"], Value::Array(Vec::new()));
}

/// The stand-ins of both image services, and the environment that leads to them.
struct Services {
    world: ImageWorld,
    env: Vec<(&'static str, String)>,
    _runtime: tokio::runtime::Runtime,
}

impl Services {
    fn start(place: &Place) -> Services {
        let runtime = tokio::runtime::Runtime::new().expect("threads");
        let world = ImageWorld::new(Arc::new(VirtualClock::at(0))).expect("the built-in figures");
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        runtime.spawn(simulator::images::serve(listener, world.clone()));
        // Small sheets are drawn faster.
        let catalogue = include_str!("../../../app/src/providers/providers.toml");
        let small = catalogue.replace("\"2K\"", "\"1K\"").replace("2048x2048", "1024x1024");
        std::fs::write(place.path().join("providers.toml"), small).expect("written");
        let env = vec![
            ("GEMINI_API_URL", url.clone()),
            ("OPENAI_API_URL", url),
            ("GEMINI_API_KEY", GEMINI_KEY.to_owned()),
            ("OPENAI_API_KEY", OPENAI_KEY.to_owned()),
            ("PROVIDERS_FILE", "providers.toml".to_owned()),
        ];
        Services { world, env, _runtime: runtime }
    }

    fn render(&self, place: &Place, provider: &str, more: &[&str], env: &[(&str, &str)]) -> Output {
        let args = ["render", "--provider", provider, "--template", "chapan", PORTRAIT, "--out", "packs"];
        let args: Vec<&str> = args.iter().chain(more).copied().collect();
        let own = self.env.iter().map(|(name, value)| (*name, value.as_str()));
        let env: Vec<(&str, &str)> = own.chain(env.iter().copied()).collect();
        place.run(&args, &env)
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn render_with_a_provider_draws_without_a_database_and_prints_what_it_cost() {
    let place = Place::new();
    let services = Services::start(&place);
    let output = services.render(&place, "gemini", &["--drawings", "drawn", "--sheet", "sheet.png"], &[]);
    let line = out(&output);
    assert!(output.status.success(), "{}", err(&output));
    assert!(line.contains("astronaut.png: 9 stickers in packs/astronaut, 0.0"), "{line}");
    let paid = line.split("USD (").nth(1).expect("the bill");
    let stages: Vec<&str> = paid.split(", ").filter_map(|call| call.split(' ').next()).collect();
    assert_eq!(stages, ["describe", "anchor", "sheet", "judge"], "{line}");
    assert_eq!(names_in(place.path()), ["drawn", "packs", "providers.toml", "sheet.png"]);
    assert_eq!(names_in(&place.path().join("packs/astronaut")).len(), 9);
    let drawn = ["astronaut_a1_report.json", "astronaut_a1_sheet0.jpg", "astronaut_anchor.jpg"];
    assert_eq!(names_in(&place.path().join("drawn")), drawn);
    let output = services.render(&place, "openai", &["--json"], &[]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let calls = json["packs"][0]["calls"].as_array().expect("calls");
    assert!(calls.len() == 4 && calls.iter().all(|call| call["provider"] == "openai"), "{json}");
    let sum: f64 = calls.iter().filter_map(|call| call["cost_usd"].as_f64()).sum();
    assert!(sum > 0.0 && json["cost_usd"].as_f64() == Some(sum), "{json}");
}

#[test]
fn render_says_clearly_why_a_provider_drew_nothing() {
    let place = Place::new();
    let services = Services::start(&place);
    let refused = |fault: Option<ImageFault>, env: &[(&str, &str)], code: &str| {
        services.world.all_well();
        fault.into_iter().for_each(|fault| {
            assert!(services.world.order(Scripted::once(fault).on(Task::Draw).times(0)));
        });
        let output = services.render(&place, "gemini", &[], env);
        let line = err(&output);
        assert_eq!((output.status.code(), line.lines().count()), (Some(1), 1), "{line}");
        assert!(line.contains(&format!("({code})")) && !line.contains(GEMINI_KEY), "{line}");
        line
    };
    assert!(refused(Some(ImageFault::OutOfFunds), &[], "out_of_funds").contains("credits are depleted"));
    refused(Some(ImageFault::Safety), &[], "refused_by_provider");
    let limit = refused(None, &[("JOB_COST_LIMIT_USD", "0.05")], "cost_limit");
    assert!(limit.contains("of 0.05") && limit.contains("USD (describe 0.0"), "{limit}");
    let key = refused(None, &[("GEMINI_API_KEY", "a-wrong-key")], "provider_failed");
    assert!(key.contains("the key is not valid") && !key.contains("a-wrong-key"), "{key}");
    assert_eq!(names_in(place.path()), ["providers.toml"], "nothing is written");
}

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Server {
    /// Starts `api` on a free port and answers its address, which it prints.
    fn start(place: &Place) -> (Server, String) {
        let mut child = place
            .command(&["api"])
            .envs([("API_BIND", "127.0.0.1:0"), ("LOG_FORMAT", "json"), ("LOG_DIR", "logs")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let printed = BufReader::new(child.stdout.take().expect("its output"));
        let server = Server(child);
        let first = printed.lines().next().expect("the address").expect("text");
        let address = first.strip_prefix("listening on http://").expect("the address").to_owned();
        (server, address)
    }

    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs").success());
    }
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: kiosk\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_api_answers_logs_to_files_and_ends_with_status_0_when_asked() {
    let place = Place::new();
    for signal in ["TERM", "INT"] {
        let (mut server, address) = Server::start(&place);
        let health = get(&address, "/health");
        assert!(health.starts_with("HTTP/1.1 200") && health.contains("\"ok\":true"), "{health}");
        assert!(get(&address, "/metrics").contains("http_requests_total"));
        server.signal(signal);
        assert_eq!(server.0.wait().expect("an end").code(), Some(0), "{signal}");
    }
    let files: Vec<_> = std::fs::read_dir(place.path().join("logs"))
        .expect("a folder")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(files.iter().all(|name| name.starts_with("app.log.20")) && !files.is_empty(), "{files:?}");
    for name in files {
        let text = std::fs::read_to_string(place.path().join("logs").join(name)).expect("a log");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
        assert!(lines.iter().any(|line| line["message"] == "listening"), "{text}");
    }
}

#[test]
fn a_taken_address_is_a_failure_that_names_it() {
    let place = Place::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = place.run(&["api"], &[("API_BIND", &address), ("RUST_LOG", "off")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(err(&output).contains(&address), "{}", err(&output));
}
