//! The round badge: the portrait in a ring of the slot's colour, with effects and caption. For photos whose head cannot be
//! cut out; no cut, no expression.
//!
//! It is laid out in figure px about the same origin as a figure, so that effects and captions find their places, and
//! brought to the size at which everything just fits.

use std::f32::consts::FRAC_1_SQRT_2;

use image::RgbImage;
use resvg::tiny_skia::Pixmap;

use super::caption::Typeface;
use super::draw::{Drawing, INK, canvas};
use super::effects;
use super::look;
use super::place::Place;
use super::sticker::fit;
use super::tokens::Tokens;
use crate::RenderError;
use crate::face::Found;
use crate::finish::{MARGIN, SIDE};
use crate::photo::{Part, scaled};
use crate::raster::Picture;
use crate::raster::sample::{Affine, pull};
use crate::template::{At, Language, Slot, Template};

/// Middle of the badge, radius of its coloured disc, and of the portrait on it.
const CENTRE: [f32; 2] = [0.0, -96.0];
const DISC: f32 = 150.0;
const PORTRAIT: f32 = 135.0;
const INK_WIDTH: f32 = 5.0;
/// The dots of the ring run half way between portrait and edge.
const DOTS: f32 = (DISC + PORTRAIT) / 2.0;
/// Side of the portrait's picture: a little above the size at which it is drawn.
const PORTRAIT_PX: u32 = 400;
/// The portrait shows this many boxes of the face.
const PORTRAIT_BOXES: f32 = 2.5;
/// What lies behind a head is cut back to this: a disc is wider than a head, and it shall stay the larger of the two.
const PILLOW: f32 = 0.86;
const CAPTION_AT: [f32; 2] = [0.0, 65.0];
const CAPTION_SIZE: f32 = 60.0;
const CAPTION_WIDTH_MAX: f32 = 290.0;
/// No hands: confetti need not keep clear of any.
const NO_HANDS: [[f32; 2]; 2] = [[1e4, 1e4]; 2];

/// The part of the photo that the badge shows, in the drawn look.
pub(super) fn portrait(photo: &RgbImage, found: &Found) -> Picture {
    let side = found.size[0].max(found.size[1]) * PORTRAIT_BOXES;
    let side = side.min(photo.width().min(photo.height()) as f32);
    let inside = |c: f32, length: u32| c.clamp(side / 2.0, length as f32 - side / 2.0);
    let x = inside(found.centre[0], photo.width()) - side / 2.0;
    let y = inside(found.centre[1], photo.height()) - side / 2.0;
    let part = Part { x, y, w: side, h: side };
    look::scene(&Picture::from_rgb(&scaled(photo, part, PORTRAIT_PX, PORTRAIT_PX)))
}

/// One badge, without outline and shadow.
pub(super) fn draw(
    typeface: &Typeface,
    portrait: &Picture,
    template: &Template,
    slot: &Slot,
    language: Language,
) -> Result<Pixmap, RenderError> {
    let colour = &slot.pose.colour;
    let [x, y] = CENTRE;
    let (behind, before) = around(template, slot);
    let disc = format!(
        r#"<circle cx="{x}" cy="{y}" r="{DISC}" fill="{colour}" stroke="{INK}" stroke-width="{INK_WIDTH}"/>"#
    );
    let ring = format!(
        r##"<circle cx="{x}" cy="{y}" r="{PORTRAIT}" fill="none" stroke="{INK}" stroke-width="{INK_WIDTH}"/>
        <circle cx="{x}" cy="{y}" r="{DOTS}" fill="none" stroke="#fff" stroke-width="3" stroke-dasharray="1.5 10" stroke-linecap="round"/>"##
    );
    let words = typeface.caption(slot.caption.get(language), colour, CAPTION_SIZE, CAPTION_WIDTH_MAX);
    let [cx, cy] = CAPTION_AT;
    let under = Drawing::new(&(behind + &disc))?;
    let over = Drawing::new(&format!(r#"{ring}{before}<g transform="translate({cx},{cy})">{words}</g>"#))?;
    let mut all = [x - DISC, y - DISC, x + DISC, y + DISC];
    for [l, t, r, b] in [under.bounds(), over.bounds()].into_iter().flatten() {
        all = [all[0].min(l), all[1].min(t), all[2].max(r), all[3].max(b)];
    }
    let fit = fit(all, SIDE as f32, MARGIN);
    let mut out = canvas(SIDE, SIDE)?;
    under.onto(&mut out, &fit);
    paste_round(&mut out, portrait, &fit);
    over.onto(&mut out, &fit);
    Ok(out)
}

/// The slot's small drawings behind and before the badge; those that belong to a hand or the body have nothing to hold on
/// to here.
fn around(template: &Template, slot: &Slot) -> (String, String) {
    let mut slot = slot.clone();
    slot.pose.effects.retain(|e| !matches!(e.at, At::Body | At::HandA | At::HandB));
    for effect in &mut slot.pose.effects {
        match effect.at {
            At::Left => effect.x += beyond_the_edge(effect.y),
            At::Right => effect.x -= beyond_the_edge(effect.y),
            At::Middle => effect.scale *= PILLOW,
            _ => {}
        }
    }
    let [x, y] = CENTRE;
    let place = Place::around([x - DISC, y - DISC, x + DISC, y + DISC]);
    effects::draw(template, &slot, &place, NO_HANDS, &Tokens::sample(&template.outfit))
}

/// How far the disc's edge lies inside its box, `below` its top: effects count from the box's corners.
fn beyond_the_edge(below: f32) -> f32 {
    let from_middle = (DISC - below).clamp(0.0, DISC * FRAC_1_SQRT_2);
    DISC - (DISC * DISC - from_middle * from_middle).sqrt()
}

/// The portrait in its circle.
fn paste_round(out: &mut Pixmap, portrait: &Picture, fit: &Affine) {
    let scale = 2.0 * PORTRAIT / PORTRAIT_PX as f32;
    let [cx, cy] = fit.apply(CENTRE);
    let middle = PORTRAIT_PX as f32 / 2.0;
    let map = Affine::turn_scale(0.0, scale * fit.scale()).bringing([middle, middle], [cx, cy]);
    let (w, h) = (out.width() as usize, out.height() as usize);
    let drawn = pull(portrait, &map.inverse(), w, h);
    let radius = PORTRAIT * fit.scale();
    let data = out.data_mut();
    for y in 0..h {
        for x in 0..w {
            let cover = (radius - (x as f32 + 0.5 - cx).hypot(y as f32 + 0.5 - cy) + 0.5).clamp(0.0, 1.0);
            if cover <= 0.0 {
                continue;
            }
            let to = (y * w + x) * 4;
            for (c, v) in drawn.get(y * w + x).iter().enumerate() {
                let v = v.clamp(0.0, 1.0) * 255.0;
                data[to + c] = (v * cover + f32::from(data[to + c]) * (1.0 - cover) + 0.5) as u8;
            }
        }
    }
}
