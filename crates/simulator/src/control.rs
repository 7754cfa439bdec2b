//! The control API below `/sim`: what the chat page and tests use. JSON in and out; errors are
//! `{"error":"code","message":"sentence"}`. A `chat` is a bot's id for the private chat with it, or a group's id.
//!
//! | request | what |
//! | --- | --- |
//! | `GET /people`, `POST /people {first_name,last_name?,username?,language_code?}`, `GET`, `DELETE /people/{id}` | persons; `DELETE` deletes the account |
//! | `GET /bots`, `POST /bots {token,username,first_name}` | bots |
//! | `GET /chat?person&chat`, `GET /events?person&chat` | a chat as this person sees it, once or as server-sent events |
//! | `POST /start {person,bot,payload?}`, `/send {person,chat,text,reply_to?,topic?}`, `/edit {person,chat,message_id,text}`, `/sticker {person,chat,set,index}`, `/press {person,chat,message_id,row,col,data?,inaccessible?}`, `/block {person,bot,blocked}`, `/delete_message {person,chat,message_id}` | what persons do |
//! | `GET /groups`, `POST /groups {title,members,admins?,bots?,supergroup?,forum?}`, `DELETE /groups/{id}`, `POST /groups/{id}/members {user,status,by?}`, `/upgrade {told?,old?,new?,new_first?,standing?}`, `/anonymous {text}`, `/hidden {person,hidden}`, `/topics {name}`, `DELETE /groups/{id}/topics/{topic}` | groups |
//! | `GET /sets`, `POST /sets {name,title,owner,bot?,stickers}`, `GET`, `DELETE /sets/{name}`, `DELETE /sets/{name}/{index}`, `GET /files/{file}` | sets and files; `DELETE` is the owner's doing, `POST` passes all rules |
//! | `GET`, `POST`, `DELETE /faults` | failures on order, see [`Fault`] |
//! | `POST /updates {kind:"strange"\|"jump"\|"repeat",bot,…}`, `POST /token {bot,token?}`, `POST /webhook {bot,url?}` | what can happen to a bot |
//! | `GET`, `POST /settings`, `GET`, `POST /clock {advance_seconds}`, `GET`, `DELETE /log`, `POST /reset {seed?}` | the world itself |

mod events;
mod groups;

use std::time::Duration;

use axum::Router;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Json, Path, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::faults::Fault;
use crate::page::safe_headers;
use crate::world::{NewPerson, NewPress, NewSet, Settings, StrangeUpdate, Trouble, World};

pub(crate) fn routes() -> Router<World> {
    Router::new()
        .route("/people", get(people).post(add_person))
        .route("/people/{id}", get(person).delete(delete_account))
        .route("/bots", get(bots).post(add_bot))
        .merge(groups::routes())
        .route("/chat", get(chat))
        .route("/events", get(events::stream))
        .route("/send", post(send))
        .route("/edit", post(edit))
        .route("/start", post(start))
        .route("/press", post(press))
        .route("/sticker", post(sticker))
        .route("/block", post(block))
        .route("/delete_message", post(delete_message))
        .route("/sets", get(sets).post(add_set))
        .route("/sets/{name}", get(set).delete(delete_set))
        .route("/sets/{name}/{index}", axum::routing::delete(delete_sticker))
        .route("/files/{file}", get(file))
        .route("/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/updates", post(update))
        .route("/token", post(token))
        .route("/webhook", post(webhook))
        .route("/settings", get(settings).post(set_settings))
        .route("/clock", get(clock).post(advance))
        .route("/log", get(log).delete(clear_log))
        .route("/reset", post(reset))
        .fallback(|| async { Trouble::new(404, "not_found", "There is no such address.") })
}

impl IntoResponse for Trouble {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(json!({"error": self.code, "message": self.message}))).into_response()
    }
}

/// A JSON body whose refusal looks like all others.
struct Body<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Trouble;

    async fn from_request(request: Request, state: &S) -> Result<Self, Trouble> {
        let read: Result<Json<T>, JsonRejection> = Json::from_request(request, state).await;
        let Json(value) =
            read.map_err(|no| Trouble::new(no.status().as_u16(), "bad_body", no.body_text()))?;
        Ok(Self(value))
    }
}

type Done = Result<Response, Trouble>;

fn created(body: Value) -> Done {
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

fn done(_: ()) -> Response {
    StatusCode::NO_CONTENT.into_response()
}

async fn people(State(world): State<World>) -> Json<Value> {
    Json(world.people())
}

async fn add_person(State(world): State<World>, Body(new): Body<NewPerson>) -> Done {
    let person = world.add_person(new)?;
    created(world.person(person.id).unwrap_or_default())
}

async fn person(State(world): State<World>, Path(id): Path<i64>) -> Result<Json<Value>, Trouble> {
    world.person(id).map(Json).ok_or_else(|| Trouble::no_person(id))
}

async fn delete_account(State(world): State<World>, Path(id): Path<i64>) -> Done {
    world.delete_account(id).map(done)
}

async fn bots(State(world): State<World>) -> Json<Value> {
    Json(world.bots())
}

#[derive(Deserialize)]
struct NewBot {
    token: String,
    username: String,
    first_name: String,
}

async fn add_bot(State(world): State<World>, Body(new): Body<NewBot>) -> Done {
    if !new.token.contains(':') || new.username.is_empty() {
        return Err(Trouble::invalid("A bot has a token like 123456:TEST and a username."));
    }
    let id = world.add_bot(&new.token, &new.username, &new.first_name);
    created(json!({"id": id, "username": new.username, "first_name": new.first_name}))
}

/// Which chat, as whom.
#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    person: Option<i64>,
    chat: i64,
}

impl<S: Send + Sync> FromRequestParts<S> for Which {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Trouble> {
        let read = Query::<Self>::from_request_parts(parts, state).await;
        let Query(which) = read.map_err(|no| Trouble::new(422, "bad_query", no.body_text()))?;
        Ok(which)
    }
}

async fn chat(State(world): State<World>, which: Which) -> Result<Json<Value>, Trouble> {
    world.view(which.person, which.chat).map(Json)
}

#[derive(Deserialize)]
struct NewText {
    person: i64,
    chat: i64,
    text: String,
    #[serde(default)]
    reply_to: Option<i64>,
    /// A topic of a forum; an answer stands where its question stands.
    #[serde(default)]
    topic: Option<i64>,
}

async fn send(State(world): State<World>, Body(new): Body<NewText>) -> Done {
    let id = match (new.reply_to, new.topic) {
        (None, Some(topic)) => world.send_in_topic(new.person, new.chat, topic, &new.text)?,
        (reply_to, _) => world.send_text(new.person, new.chat, &new.text, reply_to)?,
    };
    created(json!({"message_id": id}))
}

#[derive(Deserialize)]
struct Edit {
    person: i64,
    chat: i64,
    message_id: i64,
    text: String,
}

async fn edit(State(world): State<World>, Body(new): Body<Edit>) -> Done {
    world.edit_text(new.person, new.chat, new.message_id, &new.text).map(done)
}

#[derive(Deserialize)]
struct Start {
    person: i64,
    bot: i64,
    #[serde(default)]
    payload: Option<String>,
}

async fn start(State(world): State<World>, Body(new): Body<Start>) -> Done {
    let id = world.start(new.person, new.bot, new.payload.as_deref())?;
    created(json!({"message_id": id}))
}

async fn press(State(world): State<World>, Body(new): Body<NewPress>) -> Done {
    let id = world.press(new)?;
    Ok((StatusCode::ACCEPTED, Json(json!({"callback_query_id": id}))).into_response())
}

#[derive(Deserialize)]
struct SendSticker {
    person: i64,
    chat: i64,
    set: String,
    index: usize,
}

async fn sticker(State(world): State<World>, Body(new): Body<SendSticker>) -> Done {
    let id = world.send_sticker(new.person, new.chat, &new.set, new.index)?;
    created(json!({"message_id": id}))
}

#[derive(Deserialize)]
struct Block {
    person: i64,
    bot: i64,
    blocked: bool,
}

async fn block(State(world): State<World>, Body(new): Body<Block>) -> Done {
    world.block(new.person, new.bot, new.blocked).map(done)
}

#[derive(Deserialize)]
struct DeleteMessage {
    person: i64,
    chat: i64,
    message_id: i64,
}

async fn delete_message(State(world): State<World>, Body(new): Body<DeleteMessage>) -> Done {
    world.delete_message(new.person, new.chat, new.message_id).map(done)
}

async fn sets(State(world): State<World>) -> Json<Value> {
    Json(json!({"sets": world.sets()}))
}

async fn add_set(State(world): State<World>, Body(new): Body<NewSet>) -> Done {
    let name = new.name.clone();
    world.add_set(new)?;
    created(world.set(&name).unwrap_or_default())
}

async fn set(State(world): State<World>, Path(name): Path<String>) -> Result<Json<Value>, Trouble> {
    let found = world.set(&name).map(Json);
    found.ok_or_else(|| Trouble::new(404, "unknown_set", "There is no set of this name."))
}

async fn delete_set(State(world): State<World>, Path(name): Path<String>) -> Done {
    world.owner_deletes(&name, None).map(done)
}

async fn delete_sticker(State(world): State<World>, Path((name, index)): Path<(String, usize)>) -> Done {
    world.owner_deletes(&name, Some(index)).map(done)
}

/// Types that a browser may show by itself; everything else is for saving.
const SHOWN: [&str; 3] = ["image/png", "image/webp", "image/jpeg"];

async fn file(State(world): State<World>, Path(key): Path<String>) -> Done {
    let found = world.file(&key);
    let (kind, bytes) = found.ok_or_else(|| Trouble::new(404, "unknown_file", "There is no such file."))?;
    let mut headers = safe_headers(&kind);
    if !SHOWN.contains(&kind.as_str()) {
        let kept = world
            .file_name(&key)
            .as_deref()
            .map_or_else(|| Ok(HeaderValue::from_static("attachment")), attachment);
        headers.insert(header::CONTENT_DISPOSITION, kept.unwrap_or(HeaderValue::from_static("attachment")));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    Ok((headers, bytes).into_response())
}

/// A file for saving under its own name, whatever letters are in it.
fn attachment(name: &str) -> Result<HeaderValue, header::InvalidHeaderValue> {
    let escaped = name.bytes().map(|byte| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    });
    HeaderValue::try_from(format!("attachment; filename*=UTF-8''{}", escaped.collect::<String>()))
}

async fn faults(State(world): State<World>) -> Json<Value> {
    Json(json!({"faults": world.faults()}))
}

async fn add_fault(State(world): State<World>, Body(fault): Body<Fault>) -> Done {
    if world.fault(fault.clone()) {
        created(json!(fault))
    } else {
        Err(Trouble::invalid("Too many faults wait already."))
    }
}

async fn clear_faults(State(world): State<World>) -> Response {
    world.clear_faults();
    done(())
}

/// Something odd in a bot's queue.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Odd {
    Strange { bot: i64, person: i64, strange: StrangeUpdate },
    Jump { bot: i64, by: i64 },
    Repeat { bot: i64, count: usize },
}

async fn update(State(world): State<World>, Body(odd): Body<Odd>) -> Done {
    match odd {
        Odd::Strange { bot, person, strange } => world.strange_update(bot, person, strange)?,
        Odd::Jump { bot, by } => world.jump_updates(bot, by)?,
        Odd::Repeat { bot, count } => {
            world.repeat_updates(bot, count)?;
        }
    }
    Ok(done(()))
}

#[derive(Deserialize)]
struct Token {
    bot: i64,
    /// A new token; none revokes the old one.
    #[serde(default)]
    token: Option<String>,
}

async fn token(State(world): State<World>, Body(new): Body<Token>) -> Done {
    match new.token {
        Some(token) => world.give_token(new.bot, &token).map(done),
        None => world.revoke_token(new.bot).map(done),
    }
}

#[derive(Deserialize)]
struct Webhook {
    bot: i64,
    #[serde(default)]
    url: Option<String>,
}

async fn webhook(State(world): State<World>, Body(new): Body<Webhook>) -> Done {
    world.set_webhook(new.bot, new.url.as_deref()).map(done)
}

async fn settings(State(world): State<World>) -> Json<Settings> {
    Json(world.settings())
}

async fn set_settings(State(world): State<World>, Body(new): Body<Settings>) -> Json<Settings> {
    world.set_settings(new);
    Json(world.settings())
}

async fn clock(State(world): State<World>) -> Json<Value> {
    Json(json!({"now_ms": world.now_ms()}))
}

#[derive(Deserialize)]
struct Advance {
    advance_seconds: u64,
}

async fn advance(State(world): State<World>, Body(new): Body<Advance>) -> Result<Json<Value>, Trouble> {
    if world.advance(Duration::from_secs(new.advance_seconds)) {
        Ok(Json(json!({"now_ms": world.now_ms()})))
    } else {
        Err(Trouble::new(409, "real_clock", "This world's clock goes by itself."))
    }
}

async fn log(State(world): State<World>) -> Json<Value> {
    Json(json!({"calls": world.log()}))
}

async fn clear_log(State(world): State<World>) -> Response {
    world.clear_log();
    done(())
}

#[derive(Deserialize)]
struct Reset {
    #[serde(default)]
    seed: u64,
}

async fn reset(State(world): State<World>, Body(new): Body<Reset>) -> Response {
    world.reset(new.seed);
    done(())
}
