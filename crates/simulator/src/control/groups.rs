//! Groups: made, joined, left, sorted by topics, upgraded, deleted.

use axum::Router;
use axum::extract::{Json, Path, State};
use axum::routing::{delete, get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Done, created, done};
use crate::world::{NewGroup, Standing, Telling, World};

pub(super) fn routes() -> Router<World> {
    Router::new()
        .route("/groups", get(all).post(add))
        .route("/groups/{id}", delete(remove))
        .route("/groups/{id}/members", post(set_standing))
        .route("/groups/{id}/upgrade", post(upgrade))
        .route("/groups/{id}/anonymous", post(anonymous))
        .route("/groups/{id}/hidden", post(hidden))
        .route("/groups/{id}/topics", post(add_topic))
        .route("/groups/{id}/topics/{topic}", delete(delete_topic))
}

async fn all(State(world): State<World>) -> Json<Value> {
    Json(world.groups())
}

async fn add(State(world): State<World>, Body(new): Body<NewGroup>) -> Done {
    let id = world.add_group(new)?;
    created(world.group(id).unwrap_or_default())
}

async fn remove(State(world): State<World>, Path(id): Path<i64>) -> Done {
    world.delete_group(id).map(done)
}

/// `{"user":5,"status":"kicked"}`
#[derive(Deserialize)]
struct NewStanding {
    user: i64,
    status: Standing,
    #[serde(default)]
    by: Option<i64>,
}

async fn set_standing(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<NewStanding>) -> Done {
    world.set_standing(id, new.user, new.status, new.by).map(done)
}

#[derive(Deserialize)]
struct Upgrade {
    /// Whether anything is told of it; each part can be chosen beside it.
    #[serde(default)]
    told: Option<bool>,
    #[serde(flatten)]
    telling: Telling,
}

async fn upgrade(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<Upgrade>) -> Done {
    let telling = if new.told == Some(false) { Telling::NOTHING } else { new.telling };
    let to = world.upgrade_group_telling(id, telling)?;
    created(world.group(to).unwrap_or_default())
}

#[derive(Deserialize)]
struct Anonymous {
    text: String,
}

async fn anonymous(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<Anonymous>) -> Done {
    let message = world.send_anonymously(id, &new.text)?;
    created(json!({"message_id": message}))
}

#[derive(Deserialize)]
struct Hidden {
    person: i64,
    hidden: bool,
}

async fn hidden(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<Hidden>) -> Done {
    world.set_hidden(id, new.person, new.hidden).map(done)
}

#[derive(Deserialize)]
struct NewTopic {
    name: String,
}

async fn add_topic(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<NewTopic>) -> Done {
    let topic = world.add_topic(id, &new.name)?;
    created(json!({"message_thread_id": topic}))
}

async fn delete_topic(State(world): State<World>, Path((id, topic)): Path<(i64, i64)>) -> Done {
    world.delete_topic(id, topic).map(done)
}
