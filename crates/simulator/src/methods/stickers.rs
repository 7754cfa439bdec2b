//! Sticker sets: upload, create, add, get.

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use serde_json::{Value, json};

use super::access::{owner, owner_reachable};
use super::input::{self, Input};
use super::sticker_input::{self, Format, InputSticker, Ready};
use super::{Answer, Call, picture};
use crate::refusal::Refusal;
use crate::wire::show;
use crate::world::Picture;
use crate::world::state::{State, StickerSet};

/// Stickers that one call may bring.
const MOST_CREATED: usize = 50;
/// Stickers of one set.
const MOST_STICKERS: usize = 120;
/// Letters of a name and of a title.
const MOST_NAME: usize = 64;
/// For this long after its deletion a name is not free, and not taken either.
const BURIED_MS: i64 = 10 * 60_000;
/// For this long the server contradicts itself about a set made under such a name.
const ODD_MS: i64 = 5 * 60_000;

pub(super) fn upload(state: &mut State, call: Call<'_>) -> Answer {
    let Some(Input::Upload(upload)) = input::of_param(call.params, "sticker") else {
        return Err(Refusal::bad("there is no sticker in the request"));
    };
    let format = sticker_input::format(call.params.text_or_empty("sticker_format"));
    let format = format.ok_or_else(|| Refusal::bad("invalid sticker format specified"))?;
    owner(state, call)?;
    if format != Format::Static {
        return Err(Refusal::bad("wrong file type"));
    }
    let picture = picture::sticker(upload)?;
    let key = state.keep_sticker(call.bot, picture);
    Ok(state.files.get(&key).map_or(Value::Null, |file| show::file(file, true)))
}

pub(super) fn create(state: &mut State, call: Call<'_>) -> Answer {
    let given = read_all_json(call)?;
    let stickers = given
        .iter()
        .map(|value| sticker_input::read(call, value))
        .collect::<Result<Vec<_>, String>>()
        .map_err(|words| Refusal::bad(format!("can't parse InputSticker: {words}")))?;
    let kind = call.params.text("sticker_type").unwrap_or("regular");
    if kind != "regular" {
        return Err(Refusal::bad("unsupported sticker type specified"));
    }
    let person = owner(state, call)?;
    let (name, title) = names(call)?;
    match stickers.len() {
        0 => return Err(Refusal::bad("at least 1 sticker must be specified")),
        1..=MOST_CREATED => {}
        _ => return Err(Refusal::bad("too many stickers specified")),
    }
    let ready = look_at_all(state, call, stickers)?;
    owner_reachable(state, call.bot, person)?;
    check_name(state, call.bot, &name)?;
    let key = name.to_lowercase();
    if state.sets.contains_key(&key) {
        return Err(Refusal::bad("sticker set name is already occupied"));
    }
    if state.settings.flood_control {
        state.flood.take_set(call.bot, person, call.now)?;
    }
    let buried = state.buried_sets.get(&key).is_some_and(|at| call.now - at < BURIED_MS);
    if buried && state.chance.coin() {
        return Err(not_found_after_creation());
    }
    make(state, call, StickerSet::empty(name, title, call.bot, person), ready, buried);
    if buried { Err(not_found_after_creation()) } else { Ok(json!(true)) }
}

fn not_found_after_creation() -> Refusal {
    Refusal::new(500, "Internal Server Error: created sticker set not found")
}

impl StickerSet {
    fn empty(name: String, title: String, bot: i64, owner: i64) -> Self {
        Self {
            name,
            title,
            bot: Some(bot),
            owner,
            stickers: Vec::new(),
            thumbnail: None,
            seen_from_ms: 0,
            odd_until_ms: 0,
        }
    }
}

fn make(state: &mut State, call: Call<'_>, set: StickerSet, ready: Vec<Ready>, buried: bool) {
    let stickers = ready.into_iter().map(|ready| ready.keep(state, call.bot)).collect();
    let set = StickerSet {
        stickers,
        seen_from_ms: call.now + state.settings.set_lag_ms,
        odd_until_ms: if buried { call.now + ODD_MS } else { 0 },
        ..set
    };
    state.sets.insert(set.name.to_lowercase(), set);
}

/// The JSON of `stickers`, or the refusal for calls of the time before it.
fn read_all_json(call: Call<'_>) -> Result<Vec<Value>, Refusal> {
    let given = call.params.json("stickers", "can't parse stickers JSON object")?;
    match given {
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(Refusal::bad("expected an Array of InputSticker")),
        None => Err(Refusal::bad("invalid sticker emojis")),
    }
}

fn look_at_all(
    state: &State,
    call: Call<'_>,
    stickers: Vec<InputSticker<'_>>,
) -> Result<Vec<Ready>, Refusal> {
    stickers.into_iter().map(|sticker| sticker.ready(state, call)).collect()
}

/// Name and title; a title is stripped and cut without a word.
fn names(call: Call<'_>) -> Result<(String, String), Refusal> {
    let title = cut_title(call.params.text_or_empty("title"))?;
    let name = call.params.text_or_empty("name").trim().to_owned();
    if name.is_empty() {
        return Err(Refusal::bad("sticker set name must be non-empty"));
    }
    Ok((name, title))
}

pub(super) fn cut_title(title: &str) -> Result<String, Refusal> {
    let title: String = title.trim().chars().take(MOST_NAME).collect();
    if title.is_empty() { Err(Refusal::bad("sticker set title must be non-empty")) } else { Ok(title) }
}

/// Letters, digits and single underscores, a letter first, `_by_<bot>` last.
fn check_name(state: &State, bot: i64, name: &str) -> Result<(), Refusal> {
    let ending = state.bots.get(&bot).map(|bot| format!("_by_{}", bot.username.to_lowercase()));
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let right = letters
        && name.len() <= MOST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !name.contains("__")
        && ending.is_some_and(|ending| {
            name.to_lowercase().strip_suffix(ending.as_str()).is_some_and(|own| !own.is_empty())
        });
    if right { Ok(()) } else { Err(Refusal::bad("invalid sticker set name is specified")) }
}

/// The set that this bot made under a name: its key.
pub(super) fn own_set(state: &State, call: Call<'_>, name: &str) -> Result<String, Refusal> {
    let key = name.to_lowercase();
    let set = state.sets.get(&key).filter(|set| set.bot == Some(call.bot));
    let set = set.ok_or_else(|| Refusal::bad("STICKERSET_INVALID"))?;
    if set.odd_until_ms > call.now {
        return Err(Refusal::bad("STICKERPACK_NOT_FOUND"));
    }
    Ok(key)
}

/// The JSON of the parameter `sticker`, for methods that take one.
pub(super) fn one_json(call: Call<'_>) -> Result<Value, Refusal> {
    let value = call.params.json("sticker", "can't parse sticker JSON object")?;
    value.ok_or_else(|| Refusal::bad("invalid sticker emojis"))
}

/// One sticker as the call describes it.
pub(super) fn read_one<'a>(call: Call<'a>, value: &'a Value) -> Result<InputSticker<'a>, Refusal> {
    sticker_input::read(call, value).map_err(|words| Refusal::bad(format!("can't parse sticker: {words}")))
}

pub(super) fn add(state: &mut State, call: Call<'_>) -> Answer {
    let json = one_json(call)?;
    let sticker = read_one(call, &json)?;
    let person = owner(state, call)?;
    let ready = sticker.ready(state, call)?;
    let key = own_set(state, call, call.params.text_or_empty("name"))?;
    let set = state.sets.get(&key).filter(|set| set.owner == person);
    let set = set.ok_or_else(|| Refusal::bad("STICKERSET_INVALID"))?;
    let again = |source: &str| set.stickers.iter().any(|s| s.source == source || s.file == source);
    if !ready.source.is_empty() && again(&ready.source) {
        return Ok(json!(true));
    }
    if set.stickers.len() >= MOST_STICKERS {
        return Err(Refusal::bad("STICKERS_TOO_MUCH"));
    }
    owner_reachable(state, call.bot, person)?;
    let sticker = ready.keep(state, call.bot);
    if let Some(set) = state.sets.get_mut(&key) {
        set.stickers.push(sticker);
    }
    Ok(json!(true))
}

pub(super) fn get(state: &mut State, call: Call<'_>) -> Answer {
    let name = call.params.text_or_empty("name").to_lowercase();
    let odd = state.sets.get(&name).is_some_and(|set| set.odd_until_ms > call.now);
    let hidden = odd && state.chance.coin();
    let set = state.sets.get(&name).filter(|set| set.seen_from_ms <= call.now && !hidden);
    let set = set.ok_or_else(|| Refusal::bad("STICKERSET_INVALID"))?;
    Ok(show::sticker_set(state, set))
}

/// A plain sticker of one colour that can be looked through, for sets that a test wants filled.
pub(crate) fn make_picture(number: usize) -> Picture {
    let shade = u8::try_from(number * 37 % 200).unwrap_or(0);
    let (width, height) = (512, 512);
    let pixels = [shade, 120, 255 - shade, 200].repeat(512 * 512);
    let mut bytes = Vec::new();
    // Writing into memory cannot fail for a picture of this size and kind.
    let _ = PngEncoder::new(&mut bytes).write_image(&pixels, width, height, ExtendedColorType::Rgba8);
    Picture { bytes: bytes.into(), width, height, mime: "image/png", transparent: true }
}
