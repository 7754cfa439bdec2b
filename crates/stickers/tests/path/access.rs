//! Permission lost on the data folder, under processes of an ordinary user (issue 5, "Must hold"): told in the log, on the panel and to the operators,
//! no process ends, nothing that was taken is lost, and when the rights are back all goes on by itself.

use crate::stage::{BOT, Stage, astronaut};
use app::panel::password::cheap_hash;
use domain::rng::SeededRng;
use reqwest::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const PASSWORD: &str = "correct horse";
/// What operators are told of a folder.
const NO_FOLDER: &str = "Нет доступа к папке данных: фото не сохраняются.";
/// And of a database.
const NO_DATABASE: &str = "Нет прав на запись в базу.";

/// A stage of an ordinary user with an operator who hears of trouble, somebody at the panel, and a guest at the camera.
struct Story {
    stage: Stage,
    operator: i64,
    guest: i64,
    token: String,
    cookies: String,
}

impl Story {
    async fn begin() -> Story {
        let hash = cheap_hash(PASSWORD, &SeededRng::new(1)).expect("hashes");
        let more = vec![("ADMIN_LOGIN", "dilnoza".to_owned()), ("ADMIN_PASSWORD_HASH", hash)];
        let mut stage = Stage::unprivileged(more).await;
        let operator = stage.person("Нодира", "ru");
        stage.world.start(operator, BOT, None).expect("the operator presses Start");
        stage.more.push(("ADMIN_USER_IDS", operator.to_string()));
        stage.start_bot("");
        let guest = stage.person("Lola", "ru");
        let token = stage.at_the_camera(guest, "chapan").await;
        let cookies = sign_in(&stage).await;
        Story { stage, operator, guest, token, cookies }
    }

    /// Waits until the operator was told these words, and finds them in the log and on the panel as well.
    async fn is_told(&self, words: &str) {
        self.stage.hears(self.operator, &format!("⚠️ {words}")).await;
        let (what, _) = words.split_once(':').unwrap_or((words, ""));
        self.stage
            .until(&format!("the panel says {what:?}"), async || {
                let page = self.stage.http.get(self.stage.url("/admin")).header(COOKIE, &self.cookies);
                page.send().await.ok()?.text().await.ok()?.contains(what).then_some(())
            })
            .await;
    }

    /// The photo is refused.
    async fn refuses_the_photo(&self) {
        let (status, told) = self.stage.upload(&self.token, astronaut()).await;
        assert!((500..600).contains(&status), "{status} {told}");
    }

    /// No new guest is taken.
    async fn refuses_a_session(&self) {
        let call =
            self.stage.http.post(self.stage.url("/session")).json(&serde_json::json!({"kiosk": "stand"}));
        let status = call.send().await.expect("an answer").status().as_u16();
        assert!((500..600).contains(&status), "{status}");
    }

    /// The rights are back: the photo is taken, the pack comes, and no process ever ended.
    async fn goes_on(mut self, over: &str, logged: &str) {
        self.stage.hears(self.operator, &format!("✅ {over}")).await;
        self.stage
            .until("the photo is taken", async || {
                (self.stage.upload(&self.token, astronaut()).await.0 == 202).then_some(())
            })
            .await;
        self.stage.pack_arrives_once(self.guest).await;
        assert!(self.stage.logged(logged) >= 1, "in the log too: {logged}");
        assert_eq!(self.stage.logged("a role ended"), 0);
        assert_eq!(self.stage.stop_bot().await, Some(0), "it never ended");
        self.stage.stop_api().await;
    }
}

/// Signs in to the panel; the cookies.
async fn sign_in(stage: &Stage) -> String {
    // The cookie comes with the redirect.
    let stays = reqwest::redirect::Policy::none();
    let http = reqwest::Client::builder().no_proxy().redirect(stays).build().expect("a client");
    let page = http.get(stage.url("/admin/login")).send().await.expect("an answer");
    let mut cookies = cookies_of(&page);
    let page = page.text().await.expect("a page");
    let (_, rest) = page.split_once("name=\"csrf\" value=\"").expect("a form");
    let csrf = rest.split('"').next().expect("a value");
    // None of the values needs an escape but the space.
    let form = format!("login=dilnoza&password={}&csrf={csrf}", PASSWORD.replace(' ', "+"));
    let call = http.post(stage.url("/admin/login")).header(COOKIE, cookies.join("; "));
    let answer = call.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form).send().await;
    let answer = answer.expect("an answer");
    cookies.extend(cookies_of(&answer));
    assert_eq!(answer.status(), 303, "signed in");
    cookies.join("; ")
}

fn cookies_of(answer: &reqwest::Response) -> Vec<String> {
    let given = answer.headers().get_all(SET_COOKIE).iter();
    let pair = |cookie: &str| cookie.split(';').next().unwrap_or_default().to_owned();
    given.map(|cookie| pair(cookie.to_str().expect("ASCII"))).collect()
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("changes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_that_may_not_be_written_is_told_and_is_over_by_itself() {
    let story = Story::begin().await;
    chmod(story.stage.folder.path(), 0o500);
    story.is_told(NO_FOLDER).await;
    story.refuses_the_photo().await;
    assert_eq!(
        story.stage.session(&story.token).await["status"],
        "template_chosen",
        "the guest can try again"
    );
    chmod(story.stage.folder.path(), 0o700);
    story.goes_on("Файлы снова сохраняются.", &format!("TROUBLE {NO_FOLDER}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_that_may_not_be_entered_is_told_and_is_over_by_itself() {
    let story = Story::begin().await;
    chmod(story.stage.folder.path(), 0);
    story.is_told(NO_FOLDER).await;
    story.refuses_the_photo().await;
    assert_eq!(
        story.stage.session(&story.token).await["status"],
        "template_chosen",
        "the guest can try again"
    );
    chmod(story.stage.folder.path(), 0o700);
    story.goes_on("Файлы снова сохраняются.", &format!("TROUBLE {NO_FOLDER}")).await;
}

/// As when somebody ran a command as root.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_photos_that_changed_hands_is_told_and_is_over_by_itself() {
    let story = Story::begin().await;
    let sessions = story.stage.folder.path().join("sessions");
    std::fs::create_dir(&sessions).expect("a folder of whoever runs the test");
    chmod(&sessions, 0o500);
    story.is_told(NO_FOLDER).await;
    story.refuses_the_photo().await;
    chmod(&sessions, 0o777);
    story.goes_on("Файлы снова сохраняются.", &format!("TROUBLE {NO_FOLDER}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_may_not_be_written_is_told_and_is_over_by_itself() {
    let story = Story::begin().await;
    let folder = story.stage.folder.path().to_owned();
    let files = || ["app.db", "app.db-wal", "app.db-shm"].map(|name| folder.join(name));
    files().iter().for_each(|file| chmod(file, 0o400));
    // Rights are looked at when a file is opened, and what is open stays so: a disk that takes nothing makes both open it anew.
    let limit = |bytes: &str| {
        for pid in story.stage.ids().into_iter().flatten() {
            let mut set = Command::new("prlimit");
            set.args(["--pid", &pid.to_string(), &format!("--fsize={bytes}:unlimited")]);
            if let Some(user) = story.stage.user {
                set.uid(user).gid(user);
            }
            assert!(set.status().expect("prlimit runs").success());
        }
    };
    limit("1");
    story.refuses_a_session().await;
    // The bot met it too. Not even the log can be written now.
    story.stage.hears(story.operator, "⚠️").await;
    limit("unlimited");
    story.is_told(NO_DATABASE).await;
    story.refuses_a_session().await;
    story.refuses_the_photo().await;
    files().iter().for_each(|file| chmod(file, 0o600));
    // When it began, the log could not be written either.
    story.goes_on("База снова записывается.", "TROUBLE over: База снова записывается.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_without_rights_ends_with_the_reason_and_the_next_one_goes_on() {
    let mut story = Story::begin().await;
    let (status, _) = story.stage.upload(&story.token, astronaut()).await;
    assert_eq!(status, 202);
    story.stage.kill_bot().await;
    let folder = story.stage.folder.path().to_owned();
    let database = folder.join("app.db");
    for (path, mode, back) in [(&database, 0o400, 0o600), (&folder, 0o000, 0o700)] {
        chmod(path, mode);
        story.stage.start_bot("");
        assert_eq!(story.stage.bot_ends().await, Some(1));
        chmod(path, back);
        let said = story.stage.whole_log();
        let line =
            said.lines().rev().find(|line| line.starts_with("stickers: ")).expect("one line of the reason");
        assert!(line.contains("app.db") && line.contains("Permission denied"), "{line}");
    }
    story.stage.start_bot("");
    story.stage.pack_arrives_once(story.guest).await;
}
