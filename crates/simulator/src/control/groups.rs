//! Groups: made, joined, left, upgraded, deleted.

use axum::Router;
use axum::extract::{Json, Path, State};
use axum::routing::{delete, get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Done, created, done};
use crate::world::{NewGroup, Standing, World};

pub(super) fn routes() -> Router<World> {
    Router::new()
        .route("/groups", get(all).post(add))
        .route("/groups/{id}", delete(remove))
        .route("/groups/{id}/members", post(set_standing))
        .route("/groups/{id}/upgrade", post(upgrade))
        .route("/groups/{id}/anonymous", post(anonymous))
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
    /// Whether the messages that tell of it are sent.
    #[serde(default = "told")]
    told: bool,
}

fn told() -> bool {
    true
}

async fn upgrade(State(world): State<World>, Path(id): Path<i64>, Body(new): Body<Upgrade>) -> Done {
    let to = world.upgrade_group(id, new.told)?;
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
