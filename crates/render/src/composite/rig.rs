//! Arms: two bones from shoulder to wrist, drawn as one soft stroke with sleeve, cuff, hand and what it holds.

use std::fmt::Write as _;

use super::draw::INK;
use super::tokens::Tokens;
use crate::template::{Arm, HandLayer, Outfit, Parts};

const SHOULDERS: [[f32; 2]; 2] = [[-50.0, 24.0], [50.0, 24.0]];
const UPPER_ARM: f32 = 50.0;
const FOREARM: f32 = 46.0;
/// Shade of sleeves is mixed with this.
const SHADE: [f32; 3] = [42.0, 17.0, 64.0];
const SHADE_PART: f32 = 0.24;
/// The lit part of a sleeve lies this much towards the upper left.
const LIGHT: &str = "translate(-2.4,-3)";

/// Which arm, A is left in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

/// An arm as a drawing, and where its hand is.
pub(crate) struct DrawnArm {
    pub svg: String,
    pub hand: [f32; 2],
}

struct Bones {
    shoulder: [f32; 2],
    wrist: [f32; 2],
    /// Control point of the curve through the elbow.
    bend: [f32; 2],
    /// Direction of the forearm.
    forward: [f32; 2],
}

fn along(p: [f32; 2], d: [f32; 2], by: f32) -> [f32; 2] {
    [p[0] + d[0] * by, p[1] + d[1] * by]
}

fn unit(v: [f32; 2]) -> [f32; 2] {
    let length = v[0].hypot(v[1]).max(1e-6);
    [v[0] / length, v[1] / length]
}

fn mix(a: [f32; 2], b: [f32; 2], t: f32) -> [f32; 2] {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

/// Elbow by two bones; the wrist is drawn in when it is out of reach.
fn bones(side: Side, arm: &Arm) -> Bones {
    let (shoulder, outward) = match side {
        Side::A => (SHOULDERS[0], -1.0),
        Side::B => (SHOULDERS[1], 1.0),
    };
    let v = [arm.wrist[0] - shoulder[0], arm.wrist[1] - shoulder[1]];
    let d = v[0].hypot(v[1]).clamp(UPPER_ARM - FOREARM + 1.0, UPPER_ARM + FOREARM - 1.0);
    let u = unit(v);
    let wrist = along(shoulder, u, d);
    let a = (UPPER_ARM * UPPER_ARM - FOREARM * FOREARM + d * d) / (2.0 * d);
    let h = (UPPER_ARM * UPPER_ARM - a * a).max(0.0).sqrt() * arm.bend.unwrap_or(outward);
    let elbow = along(along(shoulder, u, a), [-u[1], u[0]], h);
    let chord = mix(shoulder, wrist, 0.5);
    Bones {
        shoulder,
        wrist,
        bend: along(elbow, [elbow[0] - chord[0], elbow[1] - chord[1]], 0.35),
        forward: unit([wrist[0] - elbow[0], wrist[1] - elbow[1]]),
    }
}

/// Draws an arm.
pub(crate) fn arm(
    side: Side,
    arm: &Arm,
    outfit: &Outfit,
    id: &str,
    parts: &Parts,
    tokens: &Tokens,
) -> DrawnArm {
    let bones = bones(side, arm);
    let (hand, at) = hand(side, arm, &bones, id, parts, &tokens.with_gloves(outfit));
    let mut svg = String::new();
    if !arm.hand_over {
        svg.push_str(&hand);
    }
    match outfit.sleeve_short {
        Some(part) => short_sleeve(&mut svg, &bones, outfit, tokens, part),
        None => long_sleeve(&mut svg, &bones, outfit, tokens),
    }
    if arm.hand_over {
        svg.push_str(&hand);
    }
    DrawnArm { svg, hand: at }
}

fn hand(
    side: Side,
    arm: &Arm,
    bones: &Bones,
    id: &str,
    parts: &Parts,
    tokens: &Tokens,
) -> (String, [f32; 2]) {
    let f = bones.forward;
    let angle = arm.rot.unwrap_or_else(|| f[0].atan2(-f[1]).to_degrees());
    let scale = arm.scale;
    let (s, c) = angle.to_radians().sin_cos();
    let at = along(along(bones.wrist, f, 3.0), [s, -c], 8.0 * (scale - 1.0).max(0.0));
    let mirrored = if arm.mirror.unwrap_or(side == Side::A) { -1.0 } else { 1.0 };
    let drawing = |kind: &str, name: &Option<String>| {
        let body = name.as_ref().and_then(|n| parts.of_kind(id, kind, n));
        body.map_or_else(String::new, |b| tokens.fill(b, scale))
    };
    let (own, prop) = (drawing("hands", &arm.hand), drawing("props", &arm.prop));
    let both = match arm.prop_layer {
        HandLayer::Under => prop + &own,
        HandLayer::Over => own + &prop,
    };
    let frame = format!(
        r#"<g transform="translate({:.1},{:.1}) rotate({angle:.1}) scale({:.3},{scale:.3})">{both}</g>"#,
        at[0],
        at[1],
        mirrored * scale
    );
    (if both.is_empty() { both } else { frame }, at)
}

fn stroke(out: &mut String, path: &str, colour: &str, width: f32, cap: &str) {
    // writing to a String cannot fail
    let _ = write!(
        out,
        r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:.1}" stroke-linecap="{cap}" stroke-linejoin="round"/>"#
    );
}

fn lit(out: &mut String, path: &str, colour: &str, width: f32, cap: &str) {
    let _ = write!(out, r#"<g transform="{LIGHT}">"#);
    stroke(out, path, colour, width, cap);
    out.push_str("</g>");
}

fn curve(from: [f32; 2], bend: [f32; 2], to: [f32; 2]) -> String {
    format!("M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}", from[0], from[1], bend[0], bend[1], to[0], to[1])
}

fn long_sleeve(out: &mut String, bones: &Bones, outfit: &Outfit, tokens: &Tokens) {
    let path = curve(bones.shoulder, bones.bend, bones.wrist);
    let (sleeve, width) = (tokens.fill(&outfit.sleeve, 1.0), outfit.sleeve_width);
    stroke(out, &path, INK, width + 7.0, "round");
    stroke(out, &path, &shaded(&sleeve), width - 2.0, "round");
    lit(out, &path, &sleeve, width - 10.0, "round");
    ornaments(out, &path, outfit, tokens);
    let f = bones.forward;
    cuff(out, along(bones.wrist, f, -outfit.cuff_length), along(bones.wrist, f, 1.0), outfit, tokens);
}

/// The bare arm, and the sleeve over its first part.
fn short_sleeve(out: &mut String, bones: &Bones, outfit: &Outfit, tokens: &Tokens, part: f32) {
    let whole = curve(bones.shoulder, bones.bend, bones.wrist);
    let bare = outfit.arm_width;
    stroke(out, &whole, INK, bare + 9.0, "round");
    stroke(out, &whole, tokens.get("skin_shade"), bare, "round");
    lit(out, &whole, tokens.get("skin"), bare - 8.0, "round");
    let (first, second) = (mix(bones.shoulder, bones.bend, part), mix(bones.bend, bones.wrist, part));
    let end = mix(first, second, part);
    let path = curve(bones.shoulder, first, end);
    let (sleeve, width) = (tokens.fill(&outfit.sleeve, 1.0), outfit.sleeve_width);
    let shade = shaded(&sleeve);
    stroke(out, &path, INK, width + 7.0, "butt");
    stroke(out, &path, &shade, width - 2.0, "butt");
    lit(out, &path, &sleeve, width - 10.0, "butt");
    let [x, y] = bones.shoulder;
    let _ = write!(
        out,
        r#"<circle cx="{x}" cy="{y}" r="{}" fill="{shade}"/><circle cx="{}" cy="{}" r="{}" fill="{sleeve}"/>"#,
        (width - 2.0) / 2.0,
        x - 2.4,
        y - 3.0,
        (width - 10.0) / 2.0
    );
    ornaments(out, &path, outfit, tokens);
    let f = unit([second[0] - first[0], second[1] - first[1]]);
    cuff(out, along(end, f, -outfit.cuff_length), along(end, f, 2.0), outfit, tokens);
}

fn ornaments(out: &mut String, path: &str, outfit: &Outfit, tokens: &Tokens) {
    if let Some(dots) = &outfit.sleeve_dots {
        out.push_str(r#"<g stroke-dasharray="0.1 19" transform="translate(-2,-2)">"#);
        stroke(out, path, &tokens.fill(dots, 1.0), 13.0, "round");
        if let Some(inner) = &outfit.sleeve_dots2 {
            stroke(out, path, &tokens.fill(inner, 1.0), 6.5, "round");
        }
        out.push_str("</g>");
    }
    if let Some(stripe) = &outfit.sleeve_stripe {
        out.push_str(r#"<g transform="translate(-2,-2)">"#);
        stroke(out, path, &tokens.fill(stripe, 1.0), 7.0, "butt");
        out.push_str("</g>");
    }
}

fn cuff(out: &mut String, from: [f32; 2], to: [f32; 2], outfit: &Outfit, tokens: &Tokens) {
    let line = |a: [f32; 2], b: [f32; 2]| format!("M{:.1},{:.1} L{:.1},{:.1}", a[0], a[1], b[0], b[1]);
    let f = unit([to[0] - from[0], to[1] - from[1]]);
    stroke(out, &line(from, to), INK, outfit.cuff_width + 8.0, "butt");
    let inner = line(along(from, f, 3.6), along(to, f, -3.6));
    stroke(out, &inner, &tokens.fill(&outfit.cuff, 1.0), outfit.cuff_width, "butt");
}

/// A colour in the shade: darker and towards violet. Colours that are not `#rrggbb` stay.
pub(crate) fn shaded(colour: &str) -> String {
    let part = |i: usize| colour.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
    let (Some(r), Some(g), Some(b)) = (part(1), part(3), part(5)) else { return colour.to_owned() };
    let mixed: [u8; 3] =
        std::array::from_fn(|i| (f32::from([r, g, b][i]) * (1.0 - SHADE_PART) + SHADE[i] * SHADE_PART) as u8);
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Templates;

    fn length(a: [f32; 2], b: [f32; 2]) -> f32 {
        (a[0] - b[0]).hypot(a[1] - b[1])
    }

    #[test]
    fn every_wrist_of_every_pose_is_within_reach_or_drawn_in() {
        for template in Templates::built_in().iter() {
            for slot in &template.slots {
                for (side, arm) in [(Side::A, &slot.pose.a), (Side::B, &slot.pose.b)] {
                    let bones = bones(side, arm);
                    let reach = length(bones.shoulder, bones.wrist);
                    assert!(reach <= UPPER_ARM + FOREARM, "{}, {}: {reach}", template.id, slot.id);
                }
            }
        }
    }

    #[test]
    fn elbows_of_raised_hands_point_down() {
        for template in Templates::built_in().iter() {
            for slot in &template.slots {
                for (side, arm) in [(Side::A, &slot.pose.a), (Side::B, &slot.pose.b)] {
                    let bones = bones(side, arm);
                    let raised = bones.wrist[1] < bones.shoulder[1] - 20.0;
                    let middle = mix(bones.shoulder, bones.wrist, 0.5);
                    assert!(!raised || bones.bend[1] >= middle[1], "{}, {}", template.id, slot.id);
                }
            }
        }
    }

    #[test]
    fn the_shade_of_a_colour_is_darker_and_words_stay() {
        assert_eq!(shaded("#ffffff"), "#cbc5d1");
        assert_eq!(shaded("red"), "red");
    }
}
