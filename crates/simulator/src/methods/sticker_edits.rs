//! Changes to sets and stickers that are there.

use serde_json::{Value, json};

use super::access::owner;
use super::input::{self, Input};
use super::sticker_input;
use super::stickers::{cut_title, one_json, own_set, read_one};
use super::{Answer, Call, picture};
use crate::refusal::Refusal;
use crate::world::state::{FileKind, State};

pub(super) fn delete_set(state: &mut State, call: Call<'_>) -> Answer {
    let key = own_set(state, call, call.params.text_or_empty("name"))?;
    // Right after its creation a set cannot be found, also not for this.
    if state.sets.get(&key).is_some_and(|set| set.seen_from_ms > call.now) {
        return Err(Refusal::bad("STICKERSET_INVALID"));
    }
    state.sets.remove(&key);
    state.buried_sets.insert(key, call.now);
    Ok(json!(true))
}

/// Set and place of the sticker that a parameter names.
fn place(state: &State, call: Call<'_>, param: &str) -> Result<(String, usize), Refusal> {
    let Some(Input::Named(id)) = input::of_param(call.params, param) else {
        return Err(Refusal::bad("sticker is not specified"));
    };
    let (key, _) = input::stored(state, call, id, FileKind::Sticker)?;
    let found = state.sets.iter().find_map(|(name, set)| {
        Some((name, set, set.stickers.iter().position(|sticker| sticker.file == key)?))
    });
    match found {
        Some((name, set, at)) if set.bot == Some(call.bot) => Ok((name.clone(), at)),
        Some(_) => Err(Refusal::bad("STICKERSET_INVALID")),
        None => Err(Refusal::bad("STICKERSET_NOT_MODIFIED")),
    }
}

pub(super) fn delete_sticker(state: &mut State, call: Call<'_>) -> Answer {
    let (key, at) = place(state, call, "sticker")?;
    own_set(state, call, &key)?;
    if let Some(set) = state.sets.get_mut(&key) {
        set.stickers.remove(at);
        if set.stickers.is_empty() {
            state.sets.remove(&key);
            state.buried_sets.insert(key, call.now);
        }
    }
    Ok(json!(true))
}

pub(super) fn replace(state: &mut State, call: Call<'_>) -> Answer {
    let json = one_json(call)?;
    let sticker = read_one(call, &json)?;
    owner(state, call)?;
    let ready = sticker.ready(state, call)?;
    let name = own_set(state, call, call.params.text_or_empty("name"))?;
    let (key, at) = place(state, call, "old_sticker")?;
    if key != name {
        return Err(Refusal::bad("STICKERSET_INVALID"));
    }
    let sticker = ready.keep(state, call.bot);
    if let Some(set) = state.sets.get_mut(&key) {
        set.stickers[at] = sticker;
    }
    Ok(json!(true))
}

pub(super) fn set_position(state: &mut State, call: Call<'_>) -> Answer {
    let to = call.params.integer("position");
    let to = usize::try_from(to).map_err(|_| Refusal::bad("STICKER_POSITION_INVALID"))?;
    let (key, at) = place(state, call, "sticker")?;
    if let Some(set) = state.sets.get_mut(&key) {
        let sticker = set.stickers.remove(at);
        set.stickers.insert(to.min(set.stickers.len()), sticker);
    }
    Ok(json!(true))
}

pub(super) fn set_emoji(state: &mut State, call: Call<'_>) -> Answer {
    let value = call.params.json("emoji_list", "can't parse emoji list JSON object")?;
    let emoji = sticker_input::read_emoji(&value.unwrap_or_else(|| json!([])));
    let emoji = emoji.map_err(Refusal::bad)?;
    let (key, at) = place(state, call, "sticker")?;
    if let Some(set) = state.sets.get_mut(&key) {
        set.stickers[at].emoji = emoji;
    }
    Ok(json!(true))
}

pub(super) fn set_keywords(state: &mut State, call: Call<'_>) -> Answer {
    let value = call.params.json("keywords", "can't parse keywords JSON object")?;
    let keywords = value.as_ref().map_or(Ok(Vec::new()), sticker_input::keywords).map_err(Refusal::bad)?;
    let (key, at) = place(state, call, "sticker")?;
    if let Some(set) = state.sets.get_mut(&key) {
        set.stickers[at].keywords = keywords;
    }
    Ok(json!(true))
}

pub(super) fn set_title(state: &mut State, call: Call<'_>) -> Answer {
    let title = cut_title(call.params.text_or_empty("title"))?;
    let key = own_set(state, call, call.params.text_or_empty("name"))?;
    if let Some(set) = state.sets.get_mut(&key) {
        set.title = title;
    }
    Ok(json!(true))
}

pub(super) fn set_thumbnail(state: &mut State, call: Call<'_>) -> Answer {
    let format = sticker_input::format(call.params.text_or_empty("format"));
    format.ok_or_else(|| Refusal::bad("invalid sticker format specified"))?;
    owner(state, call)?;
    let key = own_set(state, call, call.params.text_or_empty("name"))?;
    let kept = match input::of_param(call.params, "thumbnail") {
        None => None,
        Some(Input::Upload(upload)) => {
            let picture = picture::thumbnail(upload)?;
            Some(state.keep_sticker(call.bot, picture))
        }
        Some(Input::Named(id)) => Some(input::stored(state, call, id, FileKind::Sticker)?.0.to_owned()),
    };
    if let Some(set) = state.sets.get_mut(&key) {
        set.thumbnail = kept;
    }
    Ok(Value::Bool(true))
}
