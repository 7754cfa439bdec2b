//! The drawn layers of a sticker, as SVG in figure px: body behind the head, arms and effects before it, caption.

use std::fmt::Write as _;

use super::draw::INK;
use super::effects;
use super::place::Place;
use super::rig::{self, DrawnArm, Side};
use super::tokens::Tokens;
use crate::template::{Layer, Legs, Slot, Template};

/// Where half figures are cut, in the middle; the cut is an arc.
pub(crate) const WAIST: f32 = 120.0;
const WAIST_ARC: f32 = 0.001_125;
/// Place of the caption under a half figure, and beside the legs of a whole one (from the hem up).
const CAPTION_AT: [f32; 2] = [0.0, 139.0];
const CAPTION_BESIDE_LEGS: [f32; 2] = [88.0, -30.0];
const HEART_SCALE: f32 = 1.42;
const GLASS: &str = "#cfe9f7";

/// Height of the waist's cut at a place.
pub(crate) fn waist_at(x: f32) -> f32 {
    WAIST - WAIST_ARC * x * x
}

/// The layers from back to front; each an SVG body, possibly empty.
pub(crate) struct Layers {
    /// Effects and other drawings behind the figure.
    pub behind: String,
    /// The body; cut at the waist when `half`.
    pub body: String,
    /// Arms before the torso and behind the head, and the back of the dome.
    pub middle: String,
    /// Hat, dome and collar over the head.
    pub over_head: String,
    /// Arms and hands before everything; cut at the waist when `half`.
    pub front: String,
    /// Effects, caption: never cut.
    pub top: String,
    /// The figure has no legs.
    pub half: bool,
}

/// Draws the layers of a slot round a head; `caption` is SVG about the middle of its base line.
pub(crate) fn layers(
    template: &Template,
    slot: &Slot,
    tokens: &Tokens,
    place: &Place,
    caption: &str,
) -> Layers {
    let (outfit, pose, id) = (&template.outfit, &slot.pose, template.id.as_str());
    let own = |name: &str| template.parts.own(id, name).map_or_else(String::new, |p| tokens.fill(p, 1.0));
    let extra = |names: &[String]| names.iter().map(|n| own(n)).collect::<String>();
    let lean = |body: String| {
        if pose.lean == 0.0 { body } else { format!(r#"<g transform="rotate({})">{body}</g>"#, pose.lean) }
    };
    let arms = [(Side::A, &pose.a), (Side::B, &pose.b)]
        .map(|(side, arm)| (arm.layer, rig::arm(side, arm, outfit, id, &template.parts, tokens)));
    let of_layer = |layer: Layer| -> String {
        arms.iter().filter(|(l, _)| *l == layer).map(|(_, a): &(Layer, DrawnArm)| a.svg.as_str()).collect()
    };
    let hands = [arms[0].1.hand, arms[1].1.hand];
    let (behind, before) = effects::draw(template, slot, place, hands, tokens);
    let back = match pose.outfit_back.as_deref() {
        Some("none") => String::new(),
        Some(name) => own(name),
        None => own("back.svg"),
    };
    let legs = pose.legs.file().map_or_else(String::new, own);
    let collar = own("collar.svg");
    let body = back + &of_layer(Layer::Back) + &legs + &own("torso.svg") + &neck(tokens) + &collar;
    let mut middle = lean(of_layer(Layer::Mid));
    let mut over_head = place.hat().to_owned();
    if let Some(hood) = &place.hood {
        middle += &hood.back(tokens, outfit);
        over_head += &hood.ring(tokens, outfit);
    }
    if let Some(dome) = &place.dome {
        let [x, y, r] = *dome;
        let _ = write!(middle, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" fill="{GLASS}"/>"#);
        over_head += &glass(x, y, r);
        over_head += &lean(collar);
    }
    let mut front = of_layer(Layer::Front);
    if let Some(at) = pose.heart_hands {
        front += &heart_hands(at, template, &tokens.with_gloves(outfit));
    }
    let at = pose.caption_at.unwrap_or(if pose.legs == Legs::Usual(false) {
        CAPTION_AT
    } else {
        [CAPTION_BESIDE_LEGS[0], outfit.hem + CAPTION_BESIDE_LEGS[1]]
    });
    let caption = match caption {
        "" => String::new(),
        words => format!(r#"<g transform="translate({},{})">{words}</g>"#, at[0], at[1]),
    };
    Layers {
        behind: behind + &extra(&pose.back),
        body: lean(body),
        middle,
        over_head,
        front: lean(front),
        top: extra(&pose.front) + &before + &caption,
        half: pose.legs == Legs::Usual(false),
    }
}

/// The arms behind the torso alone, for checks.
pub(crate) fn back_arms(template: &Template, slot: &Slot) -> String {
    let tokens = Tokens::sample(&template.outfit);
    [(Side::A, &slot.pose.a), (Side::B, &slot.pose.b)]
        .into_iter()
        .filter(|(_, arm)| arm.layer == Layer::Back)
        .map(|(side, arm)| rig::arm(side, arm, &template.outfit, &template.id, &template.parts, &tokens).svg)
        .collect()
}

fn neck(tokens: &Tokens) -> String {
    format!(
        r#"<path d="M-23,-34 L-23,12 C-20,26 20,26 23,12 L23,-34 Z" fill="{}" stroke="{INK}" stroke-width="5"/><path d="M-21,-34 L-21,-6 C-10,8 16,12 21,2 L21,-34 Z" fill="{}"/>"#,
        tokens.get("neck"),
        tokens.get("neck_shade")
    )
}

/// Two hands that make a heart.
fn heart_hands(at: [f32; 2], template: &Template, tokens: &Tokens) -> String {
    let half = template.parts.of_kind(&template.id, "hands", "heart_half");
    let half = half.map_or_else(String::new, |h| tokens.fill(h, HEART_SCALE));
    format!(
        r##"<g transform="translate({},{}) scale({HEART_SCALE})"><path d="M0,22 C-34,0 -28,-24 -14,-26 C-6,-27 0,-20 0,-14 C0,-20 6,-27 14,-26 C28,-24 34,0 0,22 Z" fill="#ff2f57"/>{half}<g transform="scale(-1,1)">{half}</g></g>"##,
        at[0], at[1]
    )
}

/// The ring of the dome and the light on its glass.
fn glass(x: f32, y: f32, r: f32) -> String {
    let ring = |extra: &str| format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{r:.1}" {extra}/>"#);
    let tint = ring(r##"fill="#bfe8ff" opacity=".07""##);
    let ink = ring(&format!(r#"fill="none" stroke="{INK}" stroke-width="10""#));
    let light = ring(r##"fill="none" stroke="#eaf6ff" stroke-width="4""##);
    let arc = |from: [f32; 2], to: [f32; 2]| {
        format!(
            r#"<path d="M{:.1},{:.1} A{:.1},{:.1} 0 0 1 {:.1},{:.1}" stroke-width="11"/>"#,
            x + r * from[0],
            y + r * from[1],
            r * 0.82,
            r * 0.82,
            x + r * to[0],
            y + r * to[1]
        )
    };
    let shine = arc([-0.80, -0.18], [-0.36, -0.73]) + &arc([-0.20, -0.79], [-0.08, -0.81]);
    format!(
        r##"{tint}{ink}{light}<g fill="none" stroke="#fff" stroke-linecap="round" opacity=".85">{shine}</g>"##
    )
}
