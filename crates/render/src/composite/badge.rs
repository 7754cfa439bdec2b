//! The round badge: the portrait in a ring of the slot's colour, with effect and caption. For photos whose head cannot be
//! cut out well; no cut, no expression.

use image::RgbImage;
use resvg::tiny_skia::Pixmap;

use super::caption::Typeface;
use super::draw::{Drawing, INK, canvas};
use super::tokens::Tokens;
use crate::RenderError;
use crate::face::Found;
use crate::finish::SIDE;
use crate::photo::{Part, scaled};
use crate::raster::Picture;
use crate::raster::sample::Affine;
use crate::template::{At, Language, Slot, Template};

/// Radius of the portrait.
const RADIUS: f32 = 186.0;
const CENTRE: [f32; 2] = [256.0, 222.0];
/// The portrait shows this many boxes of the face.
const PORTRAIT_BOXES: f32 = 2.5;
/// Effects are placed round a head of this half width and height, at this scale.
const EFFECT_BOX: [f32; 2] = [118.0, 150.0];
const EFFECT_SCALE: f32 = 1.35;
const CAPTION_SIZE: f32 = 84.0;
const CAPTION_WIDTH_MAX: f32 = 400.0;

/// The part of the photo that the badge shows, as large as it is shown.
pub(super) fn portrait(photo: &RgbImage, found: &Found) -> Picture {
    let side = found.size[0].max(found.size[1]) * PORTRAIT_BOXES;
    let side = side.min(photo.width().min(photo.height()) as f32);
    let inside = |c: f32, length: u32| c.clamp(side / 2.0, length as f32 - side / 2.0);
    let x = inside(found.centre[0], photo.width()) - side / 2.0;
    let y = inside(found.centre[1] - 0.05 * side, photo.height()) - side / 2.0;
    let target = (2.0 * RADIUS) as u32;
    Picture::from_rgb(&scaled(photo, Part { x, y, w: side, h: side }, target, target))
}

/// One badge, without outline and shadow.
pub(super) fn draw(
    typeface: &Typeface,
    portrait: &Picture,
    template: &Template,
    slot: &Slot,
    language: Language,
) -> Result<Pixmap, RenderError> {
    let mut out = canvas(SIDE, SIDE)?;
    let [x, y] = CENTRE;
    let colour = &slot.pose.colour;
    let back =
        format!(r#"<circle cx="{x}" cy="{y}" r="206" fill="{colour}" stroke="{INK}" stroke-width="6"/>"#);
    let as_is = Affine::turn_scale(0.0, 1.0);
    Drawing::new(&back)?.onto(&mut out, &as_is);
    paste_round(&mut out, portrait);
    let ring = format!(
        r##"<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="none" stroke="{INK}" stroke-width="6"/>
        <circle cx="{x}" cy="{y}" r="196" fill="none" stroke="#fff" stroke-width="4" stroke-dasharray="2 14" stroke-linecap="round"/>"##
    );
    Drawing::new(&ring)?.onto(&mut out, &as_is);
    effects(&mut out, template, slot)?;
    let words = typeface.caption(slot.caption.get(language), colour, CAPTION_SIZE, CAPTION_WIDTH_MAX);
    let place = Affine::turn_scale(0.0, 1.0).bringing([0.0, 0.0], [x, 440.0]);
    Drawing::new(&words)?.onto(&mut out, &place);
    Ok(out)
}

/// The slot's small drawings round the ring; the pillow would lie behind it and is left out with the confetti.
fn effects(out: &mut Pixmap, template: &Template, slot: &Slot) -> Result<(), RenderError> {
    let map = Affine::turn_scale(0.0, EFFECT_SCALE).bringing([0.0, 0.0], CENTRE);
    let colour = &slot.pose.colour;
    for effect in slot.pose.effects.iter().filter(|e| matches!(e.at, At::Left | At::Right | At::Top)) {
        let Some(part) = template.parts.of_kind(&template.id, "effects", &effect.part) else { continue };
        let tokens = Tokens::sample(&template.outfit).with("fx", effect.colour.as_deref().unwrap_or(colour));
        let corner = match effect.at {
            At::Left => [-EFFECT_BOX[0], -EFFECT_BOX[1]],
            At::Right => [EFFECT_BOX[0], -EFFECT_BOX[1]],
            _ => [0.0, -EFFECT_BOX[1]],
        };
        let (x, y) = (corner[0] + effect.x.clamp(-30.0, 30.0), corner[1] + effect.y.max(20.0));
        let mirror = if effect.mirror { -effect.scale } else { effect.scale };
        let body = format!(
            r#"<g transform="translate({x:.1},{y:.1}) rotate({}) scale({mirror},{})">{}</g>"#,
            effect.turn,
            effect.scale,
            tokens.fill(part, effect.scale)
        );
        Drawing::new(&body)?.onto(out, &map);
    }
    Ok(())
}

/// The portrait in its circle.
fn paste_round(out: &mut Pixmap, portrait: &Picture) {
    let (w, side) = (out.width() as usize, portrait.w());
    let (left, top) = ((CENTRE[0] - RADIUS) as usize, (CENTRE[1] - RADIUS) as usize);
    let data = out.data_mut();
    for y in 0..portrait.h() {
        for x in 0..side {
            let from_middle = (x as f32 + 0.5 - RADIUS).hypot(y as f32 + 0.5 - RADIUS);
            let cover = (RADIUS - from_middle + 0.5).clamp(0.0, 1.0);
            let to = ((y + top) * w + x + left) * 4;
            for (c, v) in portrait.get(y * side + x).iter().enumerate() {
                data[to + c] = (v * 255.0 * cover + f32::from(data[to + c]) * (1.0 - cover) + 0.5) as u8;
            }
        }
    }
}
