//! The sticker set of a job, made so that a lost answer does no harm (telegram.md, section 7).
//!
//! `createNewStickerSet` has no idempotency key, so the name is the key: it comes from the job and its letters, an attempt that finds its
//! own set completes it, and nothing is believed before the set was read back.

use super::JobError;
use crate::Outside;
use clients::telegram::{CreateStickerSet, ErrorKind, InputSticker, StickerSet, TelegramError};
use domain::delivery;
use std::time::Duration;

/// Longest flood wait that holds a slot; a longer one goes back to the queue (telegram.md, section 8).
const HOLD_SLOT_FOR: u32 = 60;
/// Flood waits in a row for one call.
const FLOOD_WAITS_MAX: u32 = 3;

/// The set to make.
pub(super) struct Order {
    /// Owner.
    pub user_id: i64,
    /// Name.
    pub name: String,
    /// Name to fall back to when Telegram contradicts itself about the first.
    pub second_name: String,
    /// Title.
    pub title: String,
    /// Pictures in order.
    pub stickers: Vec<InputSticker>,
    /// Whether an earlier attempt may have made the set.
    pub may_exist: bool,
}

/// Makes the set, or completes the one that an earlier attempt left. Answers its name.
pub(super) async fn make(outside: &Outside, order: &Order) -> Result<String, JobError> {
    if order.may_exist && complete(outside, order, &order.name).await? {
        return Ok(order.name.clone());
    }
    if create(outside, order, &order.name).await? {
        return Ok(order.name.clone());
    }
    // Not there after all waits: the create is repeated once under the same name, then under another.
    for name in [&order.name, &order.second_name] {
        if create(outside, order, name).await? {
            return Ok(name.clone());
        }
    }
    Err(JobError::retry(format!("the set {} was created and is not there", order.name)))
}

/// Whether the set is there; adds what it lacks.
async fn complete(outside: &Outside, order: &Order, name: &str) -> Result<bool, JobError> {
    match look(outside, name).await? {
        None => Ok(false),
        Some(set) => add_missing(outside, order, name, set).await.map(|()| true),
    }
}

async fn look(outside: &Outside, name: &str) -> Result<Option<StickerSet>, JobError> {
    let mut floods = 0;
    loop {
        match outside.telegram.get_sticker_set(name).await {
            Ok(set) => return Ok(set),
            Err(error) => rest(outside, error, &mut floods).await?,
        }
    }
}

/// One create call. `true`: the set is there and whole. `false`: the answer was doubtful and the set did not show up within the waits.
async fn create(outside: &Outside, order: &Order, name: &str) -> Result<bool, JobError> {
    let mut floods = 0;
    loop {
        let call = CreateStickerSet {
            user_id: order.user_id,
            name: name.to_owned(),
            title: order.title.clone(),
            stickers: order.stickers.clone(),
        };
        match outside.telegram.create_sticker_set(call).await {
            Ok(()) => return Ok(true),
            // Flood control is honoured for as long as it asks; a restarting server says the same of a call that it may have carried out
            // (telegram.md, section 0), so the set is looked for before it is made again.
            Err(error) if error.retry_after_s().is_some() => {
                rest(outside, error, &mut floods).await?;
                if complete(outside, order, name).await? {
                    return Ok(true);
                }
            }
            Err(error) if doubtful(&error) => {
                tracing::warn!(set = name, description = %error.description, "the answer to a new set is doubtful, looking for it");
                return wait_for(outside, order, name).await;
            }
            Err(error) => rest(outside, error, &mut floods).await?,
        }
    }
}

/// Whether the set may exist although the call failed.
fn doubtful(error: &TelegramError) -> bool {
    error.may_have_applied() || error.kind == ErrorKind::SetNameOccupied
}

/// Looks for the set after growing waits.
async fn wait_for(outside: &Outside, order: &Order, name: &str) -> Result<bool, JobError> {
    for wait in delivery::SET_LOOK_WAITS {
        outside.timer.sleep(wait).await;
        if complete(outside, order, name).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds the stickers that a half-made set lacks, in order. After a doubtful answer the set is read again, never added to blindly.
async fn add_missing(
    outside: &Outside,
    order: &Order,
    name: &str,
    mut set: StickerSet,
) -> Result<(), JobError> {
    let mut doubts = 0;
    let mut floods = 0;
    while set.stickers.len() < order.stickers.len() {
        let next = order.stickers[set.stickers.len()].clone();
        match outside.telegram.add_sticker_to_set(order.user_id, name, next).await {
            Ok(()) => {}
            Err(error) if error.may_have_applied() && doubts < 3 => {
                doubts += 1;
                if error.retry_after_s().is_some() {
                    rest(outside, error, &mut floods).await?;
                }
            }
            Err(error) => rest(outside, error, &mut floods).await?,
        }
        set = look(outside, name)
            .await?
            .ok_or_else(|| JobError::retry("the set vanished while it was completed"))?;
    }
    Ok(())
}

/// Rests for as long as flood control asks, within bounds; any other refusal, and a longer wait, ends the attempt.
async fn rest(outside: &Outside, error: TelegramError, floods: &mut u32) -> Result<(), JobError> {
    match error.retry_after_s() {
        Some(seconds) if seconds <= HOLD_SLOT_FOR && *floods < FLOOD_WAITS_MAX => {
            *floods += 1;
            outside.timer.sleep(Duration::from_secs(seconds.into())).await;
            Ok(())
        }
        _ => Err(error.into()),
    }
}
