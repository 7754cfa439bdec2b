//! One real pack, made from a photo and deleted again: the only proof that drawing, keys and Telegram work together.

use super::{Finding, words};
use crate::Outside;
use crate::job::{ByHand, draw_by_hand};
use clients::telegram::{CreateStickerSet, InputSticker};
use domain::job::JobId;
use domain::{Clock, Rng, names, rng};
use render::{Language, Renderer, Sticker};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// Telegram may need a moment until it shows a new set.
const LOOKS: u32 = 10;
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a rehearsal works with.
pub struct Rehearsal<'a> {
    /// Draws and checks.
    pub renderer: &'a Arc<Renderer>,
    /// Telegram, waits and providers.
    pub outside: &'a Outside,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Chance, for the name of the set.
    pub rng: &'a dyn Rng,
    /// The photo as it lies on the disk.
    pub photo: Vec<u8>,
    /// The operator who owns the set for a moment.
    pub owner: i64,
}

/// Makes the pack and takes it away.
pub async fn rehearse(with: Rehearsal<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    match draw(&with, &mut found).await {
        Err(failure) => found.push(failure),
        Ok(stickers) => found.push(deliver(&with, stickers).await),
    }
    found
}

/// Draws as a job would: the providers in their order, then the built-in renderer where that is allowed.
async fn draw(with: &Rehearsal<'_>, found: &mut Vec<Finding>) -> Result<Vec<Sticker>, Finding> {
    const ABOUT: &str = "drawing";
    let photo = with.renderer.check_photo(&with.photo).map_err(|refusal| {
        Finding::failure(
            ABOUT,
            format!("the photo is refused: {refusal}"),
            "take one of a single face, looking at the camera",
        )
    })?;
    let Some(template) = with.renderer.templates().iter().next() else {
        return Err(Finding::failure(ABOUT, "there is no outfit", "look at TEMPLATES_DIR"));
    };
    let providers = &with.outside.providers;
    if !providers.list.is_empty() {
        let made = draw_by_hand(ByHand {
            renderer: with.renderer,
            clock: with.clock,
            timer: &*with.outside.timer,
            providers,
            photo: photo.jpeg.clone().into(),
            template,
            language: Language::Ru,
        })
        .await;
        let cost = domain::cost::sum_usd(made.calls.iter().map(|call| call.cost_usd));
        match made.stickers {
            Ok(stickers) => {
                found.push(Finding::ok(
                    ABOUT,
                    format!("{} stickers by a provider, {cost:.4} USD", stickers.len()),
                ));
                return Ok(stickers);
            }
            Err(why) if providers.local => found.push(Finding::warning(
                ABOUT,
                format!("no provider drew: {}", why.reason),
                "look at the keys and the money; guests would get the built-in pack",
            )),
            Err(why) => {
                return Err(Finding::failure(
                    ABOUT,
                    format!("no provider drew: {}", why.reason),
                    "look at the keys and the money",
                ));
            }
        }
    }
    let (renderer, id) = (Arc::clone(with.renderer), template.id.clone());
    let drawn = tokio::task::spawn_blocking(move || {
        renderer.composite(&photo.jpeg, &id, Language::Ru, &mut |_, _| ControlFlow::Continue(()))
    })
    .await;
    match drawn {
        Ok(Ok(stickers)) => {
            found.push(Finding::ok(ABOUT, format!("{} stickers by the built-in renderer", stickers.len())));
            Ok(stickers)
        }
        Ok(Err(error)) => Err(Finding::failure(ABOUT, words(&error), "try another photo")),
        Err(error) => Err(Finding::failure(ABOUT, words(&error), "this is a fault of the program")),
    }
}

/// Makes the set, reads it back, deletes it.
async fn deliver(with: &Rehearsal<'_>, stickers: Vec<Sticker>) -> Finding {
    const ABOUT: &str = "rehearsal";
    let telegram = &*with.outside.telegram;
    let me = match telegram.get_me().await {
        Ok(me) => me,
        Err(error) => return Finding::failure(ABOUT, error.description, "look at BOT_TOKEN and the network"),
    };
    let count = stickers.len();
    let name = names::pack_name(JobId(0), &rng::pack_key(with.rng), &me.username);
    let stickers =
        stickers.into_iter().map(|one| InputSticker { webp: one.webp.into(), emoji: one.emoji }).collect();
    let set =
        CreateStickerSet {
            user_id: with.owner, name: name.clone(), title: "Репетиция".to_owned(), stickers
        };
    let made = telegram.create_sticker_set(set).await;
    let seen = match &made {
        Ok(()) => seen(with, &name).await,
        Err(_) => 0,
    };
    // Whatever became of it, nothing stays.
    let gone = telegram.delete_sticker_set(&name).await;
    match (made, gone) {
        (Err(error), _) => Finding::failure(
            ABOUT,
            format!("the set was not made: {}", error.description),
            format!("the first of ADMIN_USER_IDS ({}) must have pressed Start", with.owner),
        ),
        (Ok(()), _) if seen < count => Finding::failure(
            ABOUT,
            format!("{seen} of {count} stickers show in the set {name}"),
            "try again; look at Telegram's status",
        ),
        (Ok(()), Err(error)) => Finding::warning(
            ABOUT,
            format!("the pack {name} was made and is not deleted: {}", error.description),
            "delete it by hand in Telegram",
        ),
        (Ok(()), Ok(())) => Finding::ok(ABOUT, format!("a pack of {count} was made, read back and deleted")),
    }
}

/// How many stickers Telegram shows of the set.
async fn seen(with: &Rehearsal<'_>, name: &str) -> usize {
    let mut most = 0;
    for _ in 0..LOOKS {
        if let Ok(Some(set)) = with.outside.telegram.get_sticker_set(name).await {
            most = most.max(set.stickers.len());
            // A pack is small; whole is when nothing more comes.
            if set.stickers.len() >= PACK {
                return most;
            }
        }
        with.outside.timer.sleep(LOOK_EVERY).await;
    }
    most
}

/// Stickers of a pack.
const PACK: usize = 9;
