//! A server over a fresh SQLite file, a guest whose phone does what it is told, and short words for requests.
#![allow(dead_code, reason = "each test file uses its part of the harness")]

use app::{Ctx, Limits, Settings};
use axum::Router;
use axum::body::Body;
use axum::response::Response;
use clients::media::Media;
use domain::clock::ManualClock;
use domain::guest::{Guest, Personal, TelegramId};
use domain::rng::SeededRng;
use domain::{Language, Timestamp};
use http::{Method, Request, StatusCode};
use http_body_util::BodyExt;
use render::{Renderer, Templates};
use secrecy::SecretString;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use store::{Change, Store, StoreError, StoreOptions, sessions, settings, users};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use web::{PanelOptions, WebOptions};

/// One person, in front, looking at the camera.
pub const PORTRAIT: &[u8] = include_bytes!("../../../render/tests/data/astronaut.png");
/// The same person twice.
pub const TWO_PEOPLE: &[u8] = include_bytes!("../../../render/tests/data/two_people_synthetic.png");
/// The guest of the stories.
pub const LOLA: TelegramId = TelegramId(4_201);
/// An outfit that ships.
pub const OUTFIT: &str = "hoodie";

/// Loading the models once is enough for a test process.
static RENDERER: LazyLock<Arc<Renderer>> =
    LazyLock::new(|| Arc::new(Renderer::new(Templates::built_in()).expect("the models load")));

/// A server under test.
pub struct Kiosk {
    pub ctx: Ctx,
    pub clock: Arc<ManualClock>,
    pub stop: CancellationToken,
    key: Option<&'static str>,
    router: Router,
    _folder: TempDir,
}

impl Kiosk {
    /// A server whose bot has told its name.
    pub async fn open() -> Kiosk {
        Kiosk::with(|_| {}, None).await
    }

    /// A server with other settings and a kiosk key.
    pub async fn with(change: impl FnOnce(&mut Settings), key: Option<&'static str>) -> Kiosk {
        let kiosk = Kiosk::without_bot(change, key).await;
        kiosk.set("bot_username", "stickers_test_bot").await;
        kiosk
    }

    /// A server that the bot has not told its name yet.
    pub async fn without_bot(change: impl FnOnce(&mut Settings), key: Option<&'static str>) -> Kiosk {
        Kiosk::build(change, key, None).await
    }

    /// A server with an admin panel.
    pub async fn with_panel(change: impl FnOnce(&mut Settings), panel: PanelOptions) -> Kiosk {
        let kiosk = Kiosk::build(change, None, Some(panel)).await;
        kiosk.set("bot_username", "stickers_test_bot").await;
        kiosk
    }

    async fn build(
        change: impl FnOnce(&mut Settings),
        key: Option<&'static str>,
        panel: Option<PanelOptions>,
    ) -> Kiosk {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}", folder.path().join("app.db").display());
        let store = Store::open(StoreOptions::new(url)).await.expect("a database");
        store.migrate().await.expect("migrations");
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(1_795_959_000_000)));
        let mut settings = settings_of_a_test();
        change(&mut settings);
        let ctx = Ctx {
            store,
            media: Media::in_memory(),
            clock: clock.clone(),
            rng: Arc::new(SeededRng::new(7)),
            renderer: Arc::clone(&RENDERER),
            settings: Arc::new(settings),
            limits: Arc::new(Limits::default()),
            watchers: Arc::default(),
        };
        let stop = CancellationToken::new();
        let options = WebOptions {
            kiosk_key: key.map(SecretString::from),
            trusted_proxies: Vec::new(),
            version: "1.2.3",
            revision: "abc",
            figures: Arc::new(|| "figures 1\n".to_owned()),
            shutdown: stop.clone(),
            panel,
            extra: None,
        };
        let router = web::router(ctx.clone(), options);
        Kiosk { ctx, clock, stop, key: None, router, _folder: folder }
    }

    /// The routes, to be served over a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// The same server, seen from a tablet that shows this key.
    pub fn showing(mut self, key: &'static str) -> Kiosk {
        self.key = Some(key);
        self
    }

    /// Sends a request as it is.
    pub async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.expect("a router never fails")
    }

    fn request(&self, method: Method, path: &str, body: impl Into<Body>) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(path).header("accept-language", "en");
        if let Some(key) = self.key {
            request = request.header("x-kiosk-key", key);
        }
        request.body(body.into()).expect("a request")
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        json(self.send(self.request(Method::GET, path, Body::empty())).await).await
    }

    pub async fn post(&self, path: &str, body: impl Into<Body>) -> (StatusCode, Value) {
        json(self.send(self.request(Method::POST, path, body)).await).await
    }

    pub async fn post_photo(&self, token: &str, photo: &[u8]) -> (StatusCode, Value) {
        let mut request = self.request(Method::POST, &format!("/session/{token}/photo"), form(photo));
        request.headers_mut().insert("content-type", FORM_TYPE.parse().expect("a type"));
        json(self.send(request).await).await
    }

    /// A guest taps Start.
    pub async fn start(&self) -> String {
        let (status, session) = self.post("/session", r#"{"kiosk":"left","language":"en"}"#).await;
        assert_eq!(status, StatusCode::CREATED, "{session}");
        session["token"].as_str().expect("a token").to_owned()
    }

    /// Lola scans the code and agrees.
    pub async fn agreed(&self) -> String {
        let token = self.start().await;
        self.lola_agrees(&token).await;
        token
    }

    pub async fn lola_agrees(&self, token: &str) {
        let now = Timestamp::from_millis(1_795_959_000_001);
        let token = token.to_owned();
        self.ctx
            .store
            .write(move |tx| {
                Box::pin(async move {
                    users::upsert(tx, &lola(), now).await?;
                    assert_eq!(sessions::link(tx, &token, LOLA, Language::Uz, now).await?, Change::Changed);
                    assert_eq!(sessions::consent(tx, &token, LOLA, now).await?, Change::Changed);
                    Ok::<_, StoreError>(())
                })
            })
            .await
            .expect("a linked session");
    }

    /// Lola agrees and taps an outfit.
    pub async fn dressed(&self) -> String {
        let token = self.agreed().await;
        let (status, answer) = self
            .post(&format!("/session/{token}/template"), format!(r#"{{"template_id":"{OUTFIT}"}}"#))
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        token
    }

    pub async fn set(&self, key: &'static str, value: &'static str) {
        let now = Timestamp::from_millis(0);
        self.ctx
            .store
            .write(move |tx| Box::pin(async move { settings::set(tx, key, value, now).await }))
            .await
            .expect("a setting");
    }

    pub async fn status_of(&self, token: &str) -> String {
        let (_, session) = self.get(&format!("/session/{token}")).await;
        session["status"].as_str().expect("a status").to_owned()
    }
}

/// The guest.
pub fn lola() -> Guest {
    Guest {
        id: LOLA,
        first_name: Personal("Lola".into()),
        last_name: None,
        username: None,
        language: Language::Uz,
    }
}

fn settings_of_a_test() -> Settings {
    Settings {
        link_url: "https://t.me".into(),
        public_url: "http://localhost:8000".into(),
        event_name: "Fest".into(),
        brand_name: "Agency".into(),
        privacy_url: None,
        admin_user_ids: Vec::new(),
        worker_slots: 2,
        pack_limit: 1,
        photo_ttl_hours: 72,
        maintenance: false,
        process: "test".into(),
        several_machines: false,
        backups: None,
        leads: app::LeadsSettings::default(),
    }
}

const FORM_TYPE: &str = "multipart/form-data; boundary=frontier";

/// A form as a browser sends it.
pub fn form(photo: &[u8]) -> Vec<u8> {
    let mut body = b"--frontier\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n".to_vec();
    body.extend_from_slice(
        b"--frontier\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"me.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n",
    );
    body.extend_from_slice(photo);
    body.extend_from_slice(b"\r\n--frontier--\r\n");
    body
}

/// Status and JSON of an answer; no body is null.
pub async fn json(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}
