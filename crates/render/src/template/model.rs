//! What a template says, as types. Lengths are figure px: the origin is the base of the neck, y points down.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;

/// Languages of titles and captions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Russian.
    Ru,
    /// Uzbek, Latin script.
    Uz,
    /// English.
    En,
}

/// The same words in the three languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Russian.
    pub ru: String,
    /// Uzbek.
    pub uz: String,
    /// English.
    pub en: String,
}

impl Words {
    /// In one language.
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::Ru => &self.ru,
            Language::Uz => &self.uz,
            Language::En => &self.en,
        }
    }

    /// All three.
    pub fn all(&self) -> [&str; 3] {
        [&self.ru, &self.uz, &self.en]
    }
}

/// An outfit.
#[derive(Clone, Debug)]
pub struct Template {
    /// Name of its folder.
    pub id: String,
    /// Name for people.
    pub titles: Words,
    /// What an image provider is told that the guest wears.
    pub prompt: String,
    /// The stickers of a pack, in order.
    pub slots: Vec<Slot>,
    pub(crate) outfit: Outfit,
    pub(crate) parts: Parts,
}

/// One sticker of an outfit.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Unique within the outfit; the pose's name unless it says otherwise.
    pub id: String,
    /// What Telegram files the sticker under.
    pub emoji: String,
    /// Words on the sticker.
    pub caption: Words,
    /// What an image provider is told about the pose; empty when the pose's name says it all.
    pub prompt: String,
    pub(crate) pose: Pose,
    pub(crate) expression: Expression,
}

/// SVG bodies (what stands between `<svg …>` and `</svg>`) by path below the templates folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts(pub Arc<HashMap<String, Arc<str>>>);

impl Parts {
    /// A drawing of the outfit: `<id>/<name>` or `<id>/props/<name>`.
    pub fn own(&self, outfit: &str, name: &str) -> Option<&str> {
        self.first([format!("{outfit}/{name}"), format!("{outfit}/props/{name}")])
    }

    /// A drawing of a kind (`hands`, `effects`, `props`): the outfit's own before the rig's. The extension may be left out.
    pub fn of_kind(&self, outfit: &str, kind: &str, name: &str) -> Option<&str> {
        let file = if name.ends_with(".svg") { name.to_owned() } else { format!("{name}.svg") };
        let places =
            [format!("{outfit}/{file}"), format!("{outfit}/{kind}/{file}"), format!("rig/{kind}/{file}")];
        self.first(places)
    }

    fn first<const N: usize>(&self, names: [String; N]) -> Option<&str> {
        names.iter().find_map(|n| self.0.get(n)).map(AsRef::as_ref)
    }
}

/// The drawn body of an outfit: everything in `template.toml` that is not title, prompt or slot.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Outfit {
    /// Colour of the sleeves.
    pub sleeve: String,
    /// Their width.
    #[serde(default = "forty")]
    pub sleeve_width: f32,
    /// Dots down the sleeve, and their inner colour.
    pub sleeve_dots: Option<String>,
    pub sleeve_dots2: Option<String>,
    /// A stripe down the sleeve.
    pub sleeve_stripe: Option<String>,
    /// The part of the arm that the sleeve covers; absent: all of it.
    pub sleeve_short: Option<f32>,
    /// Width of the bare arm under a short sleeve.
    #[serde(default = "thirty_two")]
    pub arm_width: f32,
    /// Colour of the cuff.
    pub cuff: String,
    #[serde(default = "forty")]
    pub cuff_width: f32,
    #[serde(default = "twelve")]
    pub cuff_length: f32,
    /// Where the figure ends without legs.
    pub hem: f32,
    /// A helmet of glass round the head.
    #[serde(default)]
    pub dome: bool,
    /// The outfit has a hood that hides a bad outline of the head.
    #[serde(default)]
    pub hood: bool,
    /// File of the hat.
    pub hat: Option<String>,
    /// Gloves: colours that hands take instead of skin.
    pub glove: Option<String>,
    pub glove_line: Option<String>,
    pub glove_shade: Option<String>,
    /// Every text of the table: what `{{name}}` in a part becomes.
    #[serde(skip)]
    pub tokens: BTreeMap<String, String>,
}

fn forty() -> f32 {
    40.0
}

fn thirty_two() -> f32 {
    32.0
}

fn twelve() -> f32 {
    12.0
}

/// A pose after merging with what the slot overrides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pose {
    pub emoji: String,
    #[serde(default)]
    pub tilt: f32,
    pub expression: String,
    #[serde(default)]
    pub legs: Legs,
    pub colour: String,
    pub caption: Words,
    pub heart_hands: Option<[f32; 2]>,
    #[serde(rename = "A")]
    pub a: Arm,
    #[serde(rename = "B")]
    pub b: Arm,
    #[serde(default)]
    pub effects: Vec<EffectSpec>,
    pub confetti: Option<Confetti>,
    #[serde(default)]
    pub back: Vec<String>,
    #[serde(default)]
    pub front: Vec<String>,
    /// The whole body turned about the neck, degrees; the head keeps its tilt.
    #[serde(default)]
    pub lean: f32,
    /// Middle of the caption's line.
    pub caption_at: Option<[f32; 2]>,
    /// A file instead of the outfit's `back.svg`; `none` for nothing.
    pub outfit_back: Option<String>,
}

/// Whether a figure has legs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Legs {
    /// `legs.svg`, or a cut at the waist.
    Usual(bool),
    /// Another file of the outfit.
    File(String),
}

impl Default for Legs {
    fn default() -> Self {
        Legs::Usual(false)
    }
}

impl Legs {
    /// The file to draw, if any.
    pub fn file(&self) -> Option<&str> {
        match self {
            Legs::Usual(false) => None,
            Legs::Usual(true) => Some("legs.svg"),
            Legs::File(name) => Some(name),
        }
    }
}

/// An arm and what it holds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arm {
    pub wrist: [f32; 2],
    /// The side of the elbow, -1 or 1; absent: outward.
    pub bend: Option<f32>,
    #[serde(default)]
    pub layer: Layer,
    pub hand: Option<String>,
    #[serde(default = "hand_scale")]
    pub scale: f32,
    /// Absent: hands of side A are mirrored.
    pub mirror: Option<bool>,
    /// Absent: along the forearm.
    pub rot: Option<f32>,
    #[serde(default)]
    pub hand_over: bool,
    pub prop: Option<String>,
    #[serde(default)]
    pub prop_layer: HandLayer,
}

fn hand_scale() -> f32 {
    1.08
}

/// Where an arm is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Layer {
    /// Behind the torso.
    Back,
    /// Before the torso, behind the head.
    Mid,
    /// Before everything.
    #[default]
    Front,
}

/// Whether a prop lies under or over the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HandLayer {
    #[default]
    Under,
    Over,
}

/// A small drawing beside the figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EffectSpec {
    pub part: String,
    #[serde(default)]
    pub at: At,
    #[serde(default)]
    pub x: f32,
    #[serde(default)]
    pub y: f32,
    #[serde(default = "one")]
    pub scale: f32,
    #[serde(default)]
    pub turn: f32,
    #[serde(default)]
    pub mirror: bool,
    #[serde(default)]
    pub layer: Layer,
    pub colour: Option<String>,
}

fn one() -> f32 {
    1.0
}

/// What an effect's place counts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum At {
    /// The upper left corner of the head's box.
    Left,
    /// Its upper right corner.
    Right,
    /// The middle of its upper edge.
    Top,
    /// Its middle across; y as on the body.
    Middle,
    /// The base of the neck.
    #[default]
    Body,
    /// The wrist of arm A.
    HandA,
    /// The wrist of arm B.
    HandB,
}

/// Seeded confetti.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Confetti {
    pub count: usize,
    pub colours: Vec<String>,
}

/// How an eye is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lid {
    Open,
    Happy,
    Sleep,
}

/// Amplitudes in distances between the eyes; pairs are left and right in the picture; + is down or outward.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expression {
    pub eyes: f32,
    pub cornx: f32,
    pub corny: f32,
    pub open: f32,
    pub up: f32,
    pub skew: f32,
    pub browi: [f32; 2],
    pub browo: [f32; 2],
    pub lid: [Lid; 2],
    pub squint: [f32; 2],
    pub blush: f32,
    pub tears: f32,
    pub heart: f32,
    pub drool: f32,
    pub red: f32,
    pub sparkle: f32,
    pub frown: f32,
    pub pinch: f32,
    pub teeth: f32,
    pub tongue: f32,
}
