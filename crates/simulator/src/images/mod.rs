//! The image services, imitated: Gemini's `generateContent` and OpenAI's `images/edits` and `responses`, strict about what they
//! accept. They draw real sheets from figures that are files, and fail as told.
//!
//! An [`ImageWorld`] is reached by a direct call ([`ImageWorld::ask`]) or over a socket ([`serve`]). It reads an order as a model
//! would, from the words: `3 columns x 3 rows`, the first `#RRGGBB`, and one line a figure that begins with its number. The same
//! line brings the same figure again.

mod fault;
mod gemini;
mod kinds;
mod openai;
mod order;
mod sheet;

pub use fault::{Defect, ImageFault, Scripted};
pub use kinds::{Call, PictureFormat, Service, Task};

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::clock::Clock;
use crate::http::{answer, serve_router};
use crate::wire::Reply;
use fault::{Faults, Trouble};
use kinds::{Asked, fingerprint};
use sheet::Figures;

/// The largest request that is read, in bytes (100 MB is the vendor's own limit).
const MOST_BYTES: usize = 100 * 1024 * 1024;
/// How long a silent connection is held before it is closed.
const SILENCE: Duration = Duration::from_secs(600);
/// Calls that are remembered.
const MOST_CALLS: usize = 10_000;

/// Key of the Gemini stand-in unless it was changed.
pub const GEMINI_KEY: &str = "stand-in-gemini-key";
/// Key of the OpenAI stand-in unless it was changed.
pub const OPENAI_KEY: &str = "stand-in-openai-key";

/// Both services in one. Cheap to clone; clones are the same world.
#[derive(Clone)]
pub struct ImageWorld {
    inner: Arc<Mutex<Inner>>,
    clock: Arc<dyn Clock>,
    figures: Arc<Figures>,
}

struct Inner {
    faults: Faults,
    calls: Vec<Call>,
    /// The line of each pose that was asked for: its place is its figure.
    poses: Vec<String>,
    /// What a described photo shows.
    person: Value,
    /// Drawings that show somebody else, and in which cells.
    strangers: Vec<(u64, Vec<usize>)>,
    format: PictureFormat,
    counts_tokens: bool,
}

impl ImageWorld {
    /// A world in which everything works.
    ///
    /// # Errors
    /// When the built-in figures cannot be read, which a test would have said.
    pub fn new(clock: Arc<dyn Clock>) -> io::Result<Self> {
        let inner = Inner {
            faults: Faults::default(),
            calls: Vec::new(),
            poses: Vec::new(),
            person: somebody(),
            strangers: Vec::new(),
            format: PictureFormat::Jpeg,
            counts_tokens: true,
        };
        Ok(Self { inner: Arc::new(Mutex::new(inner)), clock, figures: Arc::new(Figures::built_in()?) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Orders a failure or a defect. False when too many wait already.
    pub fn order(&self, fault: Scripted) -> bool {
        self.lock().faults.add(fault)
    }

    /// Takes all orders back.
    pub fn all_well(&self) {
        self.lock().faults.clear();
    }

    /// Everything that was asked so far, refused calls too.
    pub fn calls(&self) -> Vec<Call> {
        self.lock().calls.clone()
    }

    /// Changes what a described photo shows; `null` members are left as they are.
    pub fn person(&self, changes: &Value) {
        let mut inner = self.lock();
        for (name, value) in changes.as_object().into_iter().flatten() {
            inner.person[name] = value.clone();
        }
    }

    /// The file format of pictures that are not asked for in a certain one.
    pub fn draw_as(&self, format: PictureFormat) {
        self.lock().format = format;
    }

    /// Whether answers say what they cost; a local server does not.
    pub fn count_tokens(&self, counts: bool) {
        self.lock().counts_tokens = counts;
    }

    /// One request, answered without a socket.
    pub async fn ask(&self, request: Request) -> Response {
        answer(self.exchange(request).await).await
    }

    /// Both services as routes.
    pub fn router(&self) -> Router {
        Router::new().fallback(by_socket).with_state(self.clone())
    }

    async fn exchange(&self, request: Request) -> Reply {
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MOST_BYTES).await else {
            return refused(Service::OpenAi, 413, json!({"error": {"message": "Request Entity Too Large"}}));
        };
        let path = parts.uri.path().to_owned();
        if parts.method != Method::POST {
            return Reply::Html { status: 404, body: "Not Found".to_owned() };
        }
        let header =
            |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let asked = if let Some(rest) = path.strip_prefix("/v1beta/models/") {
            gemini::read(rest, parts.uri.query(), header("x-goog-api-key"), &body)
        } else {
            let kind = header(CONTENT_TYPE.as_str()).unwrap_or_default();
            openai::read(&path, header("authorization"), &kind, body).await
        };
        match asked {
            Ok(asked) => self.answer(asked).await,
            Err(refusal) => {
                self.note(Call::refused(refusal.service, refusal.body.to_string()));
                refused(refusal.service, refusal.status, refusal.body)
            }
        }
    }

    fn note(&self, call: Call) {
        let mut inner = self.lock();
        if inner.calls.len() < MOST_CALLS {
            inner.calls.push(call);
        }
    }

    async fn answer(&self, asked: Asked) -> Reply {
        let plan = self.lock().faults.plan(asked.service, asked.task);
        self.note(Call::taken(&asked));
        for seconds in &plan.waits {
            let until =
                self.clock.now_ms().saturating_add(i64::try_from(seconds * 1_000).unwrap_or(i64::MAX));
            self.clock.until(until).await;
        }
        if let Some(trouble) = &plan.trouble {
            let reply = match asked.service {
                Service::Gemini => gemini::trouble(trouble, &asked),
                Service::OpenAi => openai::trouble(trouble, &asked),
            };
            if let Some(reply) = reply {
                return reply;
            }
        }
        let reply = match asked.task {
            Task::Describe => self.described(&asked),
            Task::Judge => self.judged(&asked, plan.trouble == Some(Trouble::Is(ImageFault::Doubts))),
            Task::Draw => self.drawn(asked, plan.defects).await,
        };
        match (plan.trouble, reply) {
            (Some(Trouble::Half), Reply::Json { status, body, .. }) => Reply::Half { status, body },
            (_, reply) => reply,
        }
    }

    fn described(&self, asked: &Asked) -> Reply {
        let text = self.lock().person.to_string();
        self.told(asked, &text)
    }

    /// Sees what it drew itself: a cell with somebody else is known by its order.
    fn judged(&self, asked: &Asked, doubts: bool) -> Reply {
        let order = order::read(&asked.prompt);
        let strangers = {
            let inner = self.lock();
            let known = inner.strangers.iter().find(|(drawing, _)| Some(*drawing) == asked.last);
            known.map(|(_, cells)| cells.clone()).unwrap_or_default()
        };
        let cell = |place: usize| {
            let same = !doubts && !strangers.contains(&place);
            json!({"cell": place + 1, "same_person": same, "likeness": if same { 8 } else { 2 }})
        };
        let cells: Vec<Value> = (0..(order.columns * order.rows) as usize).map(cell).collect();
        self.told(asked, &json!({"cells": cells}).to_string())
    }

    fn told(&self, asked: &Asked, text: &str) -> Reply {
        let counts = self.lock().counts_tokens;
        let body = match asked.service {
            Service::Gemini => gemini::described(text, counts),
            Service::OpenAi => openai::described(text, counts),
        };
        Reply::Json { status: 200, body, retry_after: None }
    }

    fn remember(&self, drawing: u64, strangers: Vec<usize>) {
        let mut inner = self.lock();
        if inner.strangers.len() < MOST_CALLS {
            inner.strangers.push((drawing, strangers));
        }
    }

    async fn drawn(&self, asked: Asked, defects: Vec<Defect>) -> Reply {
        let order = order::read(&asked.prompt);
        let (figures, format, counts) = {
            let mut inner = self.lock();
            let places = order.poses.iter().map(|pose| {
                inner.poses.iter().position(|known| known == pose).unwrap_or_else(|| {
                    if inner.poses.len() < MOST_CALLS {
                        inner.poses.push(pose.clone());
                    }
                    inner.poses.len().saturating_sub(1)
                })
            });
            let places: Vec<usize> = places.collect();
            (places, asked.format.unwrap_or(inner.format), inner.counts_tokens)
        };
        let strangers: Vec<usize> = defects
            .iter()
            .filter_map(|defect| if let Defect::Stranger(place) = defect { Some(*place) } else { None })
            .collect();
        let drawing =
            sheet::Drawing { order, figures, width: asked.size.0, height: asked.size.1, defects, format };
        let files = Arc::clone(&self.figures);
        let drawn = tokio::task::spawn_blocking(move || sheet::draw(&files, &drawing)).await;
        let Ok(Ok(bytes)) = drawn else {
            return Reply::Html { status: 500, body: "the stand-in cannot draw".to_owned() };
        };
        if !strangers.is_empty() {
            self.remember(fingerprint(&bytes), strangers);
        }
        let body = match asked.service {
            Service::Gemini => gemini::drawn(&bytes, format, counts, asked.size),
            Service::OpenAi => openai::drawn(&bytes, format, counts, asked.size),
        };
        Reply::Json { status: 200, body, retry_after: None }
    }
}

async fn by_socket(State(world): State<ImageWorld>, request: axum::http::Request<Body>) -> Response {
    // In a task of its own: a client that gave up is billed all the same.
    match tokio::spawn(async move { world.exchange(request).await }).await {
        Ok(reply) => answer(reply).await,
        Err(_) => answer(Reply::Html { status: 500, body: "the stand-in broke down".to_owned() }).await,
    }
}

/// Serves both services on a socket until the future is dropped.
///
/// # Errors
/// Never by itself; the result is there for callers that select between servers.
pub async fn serve(listener: TcpListener, world: ImageWorld) -> io::Result<()> {
    serve_router(listener, world.router()).await
}

fn refused(service: Service, status: u16, body: Value) -> Reply {
    tracing::debug!(?service, status, "the stand-in refuses");
    Reply::Json { status, body, retry_after: None }
}

/// A grown-up in a good light.
fn somebody() -> Value {
    json!({
        "people_count": 1, "face_visible": true, "age_group": "adult", "age_confidence": 0.95,
        "hair": "short wavy light brown hair", "facial_hair": "none", "eyes": "blue", "glasses": "none",
        "headwear": "none", "clothing": "an orange suit with a white collar", "marks": "none",
        "dominant_colors": ["orange", "white"], "photo_quality": "good"
    })
}
