//! Effects and confetti beside a figure.

use std::f32::consts::PI;
use std::fmt::Write as _;

use super::draw::INK;
use super::place::Place;
use super::tokens::Tokens;
use crate::template::{At, EffectSpec, Layer, Slot, Template};

/// Confetti keeps this far from the fingers, which are about so much above the wrist.
const HAND_ROOM: f32 = 66.0;
const FINGERS_UP: f32 = 45.0;
/// What lies behind the head (a pillow) grows with heads wider than this.
const WIDE_HEAD: f32 = 230.0;
const SEED: u64 = 7;

/// What is drawn behind and before the figure.
pub(crate) fn draw(
    template: &Template,
    slot: &Slot,
    place: &Place,
    hands: [[f32; 2]; 2],
    tokens: &Tokens,
) -> (String, String) {
    let (mut behind, mut before) = (confetti(slot, place, hands), String::new());
    for effect in &slot.pose.effects {
        let colour = effect.colour.as_deref().unwrap_or(&slot.pose.colour);
        let Some(part) = template.parts.of_kind(&template.id, "effects", &effect.part) else { continue };
        let wide = (place.surround[2] - place.surround[0]) / WIDE_HEAD;
        let scale = if effect.at == At::Middle { effect.scale * wide.max(1.0) } else { effect.scale };
        let body = tokens.with("fx", colour).fill(part, scale);
        let [x, y] = anchor(effect, slot, place);
        let mirror = if effect.mirror { -1.0 } else { 1.0 };
        let to = if effect.layer == Layer::Back { &mut behind } else { &mut before };
        // writing to a String cannot fail
        let _ = write!(
            to,
            r#"<g transform="translate({:.1},{:.1}) rotate({}) scale({},{})">{body}</g>"#,
            x + effect.x,
            y + effect.y,
            effect.turn,
            mirror * scale,
            scale
        );
    }
    (behind, before)
}

fn anchor(effect: &EffectSpec, slot: &Slot, place: &Place) -> [f32; 2] {
    let [left, top, right, _] = place.surround;
    match effect.at {
        At::Left => [left, top],
        At::Right => [right, top],
        At::Top => [(left + right) / 2.0, top],
        At::Middle => [(left + right) / 2.0, 0.0],
        At::Body => [0.0, 0.0],
        At::HandA => slot.pose.a.wrist,
        At::HandB => slot.pose.b.wrist,
    }
}

/// An arc of confetti over the head; the same every time.
fn confetti(slot: &Slot, place: &Place, hands: [[f32; 2]; 2]) -> String {
    let mut out = String::new();
    let Some(spec) = slot.pose.confetti.as_ref().filter(|c| !c.colours.is_empty()) else { return out };
    let [left, top, right, _] = place.surround;
    let mut dice = Dice(SEED);
    for i in 0..spec.count {
        let angle = PI * (1.0 + (i as f32 + 0.5) / spec.count as f32) + dice.between(-0.05, 0.05);
        // two rows in turn: chance alone makes lumps
        let (out_x, out_y) = if i % 2 == 0 { (4.0, 10.0) } else { (40.0, 32.0) };
        let rx = ((right - left) / 2.0 + 26.0).max(128.0) + out_x + dice.between(-6.0, 8.0);
        let ry = -top - 70.0 + out_y + dice.between(-4.0, 6.0);
        let (x, y) = ((left + right) / 2.0 + rx * angle.cos(), -74.0 + ry * angle.sin());
        let turn = dice.between(0.0, 180.0);
        if hands.iter().any(|h| (x - h[0]).hypot(y - h[1] + FINGERS_UP) < HAND_ROOM) {
            continue;
        }
        let colour = &spec.colours[i % spec.colours.len()];
        let paint = format!(r#"fill="{colour}" stroke="{INK}" stroke-width="4""#);
        let shape = if i % 3 == 0 {
            format!(r#"<circle r="8" {paint}/>"#)
        } else {
            format!(r#"<rect x="-11" y="-6" width="22" height="12" rx="3" {paint}/>"#)
        };
        let _ = write!(out, r#"<g transform="translate({x:.1},{y:.1}) rotate({turn:.0})">{shape}</g>"#);
    }
    out
}

/// A small generator of its own (SplitMix64): the picture must never change with a library.
struct Dice(u64);

impl Dice {
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 40) as f32 / (1u64 << 24) as f32)
    }
}
