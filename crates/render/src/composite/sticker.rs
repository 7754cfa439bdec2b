//! One sticker: head and layers brought to the size at which everything just fits, then drawn from back to front.

use resvg::tiny_skia::{Pixmap, PixmapPaint, Transform};

use super::caption::{SIZE, Typeface, WIDTH_MAX};
use super::draw::{Drawing, INK_RGB, canvas};
use super::figure::{self, Layers, WAIST, waist_at};
use super::guest::Guest;
use super::hood::Hood;
use super::paint::{Paint, Palette};
use super::place::Place;
use super::stamp::Stamp;
use super::tokens::Tokens;
use super::warp::Warp;
use crate::RenderError;
use crate::finish::{MARGIN, SIDE};
use crate::raster::sample::Affine;
use crate::template::{Language, Slot, Template};

/// Width of the ink that closes the waist, in figure px.
const WAIST_INK: f32 = 5.5;
/// Front arms above this height are never cut by the waist.
const FRONT_CUT_FROM: f32 = 30.0;

/// Draws a slot, without outline and shadow.
pub(super) fn draw(
    guest: &Guest,
    palette: &Palette,
    typeface: &Typeface,
    template: &Template,
    slot: &Slot,
    language: Language,
) -> Result<Pixmap, RenderError> {
    let portrait = &guest.portrait;
    let warp = Warp::new(&portrait.points, &slot.expression, portrait.alpha.w, portrait.alpha.h);
    let tokens = Tokens::of(&template.outfit, guest);
    let hat = template.outfit.hat.as_deref().and_then(|h| template.parts.own(&template.id, h));
    let place = Place::new(
        guest,
        &template.outfit,
        slot,
        &warp,
        &hat.map_or_else(String::new, |h| tokens.fill(h, 1.0)),
    )?;
    let caption = typeface.caption(slot.caption.get(language), &slot.pose.colour, SIZE, WIDTH_MAX);
    let drawn = Drawn::new(figure::layers(template, slot, &tokens, &place, &caption))?;
    let fit = fit(drawn.bounds(&place), SIDE as f32, MARGIN);
    let mut out = canvas(SIDE, SIDE)?;
    drawn.behind.onto(&mut out, &fit);
    if drawn.half {
        let mut body = canvas(SIDE, SIDE)?;
        drawn.body.onto(&mut body, &fit);
        cut(&mut body, &fit, Some(WAIST_INK * fit.scale()), f32::MIN);
        lay(&mut out, &body);
    } else {
        drawn.body.onto(&mut out, &fit);
    }
    drawn.middle.onto(&mut out, &fit);
    let paint = Paint::draw(palette, &warp, &slot.expression);
    let scale = fit.scale();
    let (low, high) = (fit.apply([place.head[0], place.head[1]]), fit.apply([place.head[2], place.head[3]]));
    let stamp = Stamp {
        guest,
        warp: &warp,
        paint: &paint,
        map: place.map.then(&fit),
        figure_scale: scale,
        bounds: [low[0], low[1], high[0], high[1]],
        dome: place.dome.map(|[x, y, r]| {
            let c = fit.apply([x, y]);
            [c[0], c[1], r * scale]
        }),
        opening: place.hood.as_ref().map(Hood::opening),
    };
    stamp.onto(&mut out)?;
    drawn.over_head.onto(&mut out, &fit);
    if drawn.half {
        let mut front = canvas(SIDE, SIDE)?;
        drawn.front.onto(&mut front, &fit);
        cut(&mut front, &fit, None, FRONT_CUT_FROM);
        lay(&mut out, &front);
    } else {
        drawn.front.onto(&mut out, &fit);
    }
    drawn.top.onto(&mut out, &fit);
    Ok(out)
}

/// The layers, parsed.
struct Drawn {
    behind: Drawing,
    body: Drawing,
    middle: Drawing,
    over_head: Drawing,
    front: Drawing,
    top: Drawing,
    half: bool,
}

impl Drawn {
    fn new(layers: Layers) -> Result<Drawn, RenderError> {
        Ok(Drawn {
            behind: Drawing::new(&layers.behind)?,
            body: Drawing::new(&layers.body)?,
            middle: Drawing::new(&layers.middle)?,
            over_head: Drawing::new(&layers.over_head)?,
            front: Drawing::new(&layers.front)?,
            top: Drawing::new(&layers.top)?,
            half: layers.half,
        })
    }

    /// The box of everything that will be seen, in figure px.
    fn bounds(&self, place: &Place) -> [f32; 4] {
        let mut all = place.surround;
        let mut include = |b: Option<[f32; 4]>, cut: bool| {
            if let Some([l, t, r, b]) = b {
                let b = if cut { b.min(WAIST) } else { b };
                all = [all[0].min(l), all[1].min(t), all[2].max(r), all[3].max(b)];
            }
        };
        include(self.behind.bounds(), false);
        include(self.body.bounds(), self.half);
        include(self.middle.bounds(), false);
        include(self.over_head.bounds(), false);
        include(self.front.bounds(), self.half);
        include(self.top.bounds(), false);
        all
    }
}

/// Figure px to canvas px, so that the box fills the canvas up to its margin, in the middle.
pub(super) fn fit([left, top, right, bottom]: [f32; 4], side: f32, margin: f32) -> Affine {
    let scale = (side - 2.0 * margin) / (right - left).max(bottom - top).max(1.0);
    let middle = [(left + right) / 2.0, (top + bottom) / 2.0];
    Affine::turn_scale(0.0, scale).bringing(middle, [side / 2.0, side / 2.0])
}

/// Side of a silhouette.
const SILHOUETTE_SIDE: u32 = 64;

/// What of a small square the arms, hands, props and effects of a slot cover: what tells it from others at a distance,
/// since head and torso are the same on all. Without a guest and without the caption.
pub(crate) fn silhouette(template: &Template, slot: &Slot) -> Result<Vec<bool>, RenderError> {
    let place = Place::sample(slot);
    let layers = figure::layers(template, slot, &Tokens::sample(&template.outfit), &place, "");
    let drawn = Drawn::new(layers)?;
    let arms = Drawing::new(&figure::back_arms(template, slot))?;
    let fit = fit(drawn.bounds(&place), SILHOUETTE_SIDE as f32, 0.0);
    let mut out = canvas(SILHOUETTE_SIDE, SILHOUETTE_SIDE)?;
    for layer in [&drawn.behind, &arms, &drawn.middle, &drawn.front, &drawn.top] {
        layer.onto(&mut out, &fit);
    }
    Ok(out.data().chunks_exact(4).map(|p| p[3] > 127).collect())
}

/// Cuts a layer along the waist, below `from` (figure px); `ink` px above the cut become ink.
fn cut(layer: &mut Pixmap, fit: &Affine, ink: Option<f32>, from: f32) {
    let back = fit.inverse();
    let (w, h) = (layer.width() as usize, layer.height() as usize);
    let hem: Vec<f32> = (0..w)
        .map(|x| {
            let x = back.apply([x as f32 + 0.5, 0.0])[0];
            fit.apply([x, waist_at(x)])[1]
        })
        .collect();
    let first = hem.iter().fold(f32::MAX, |a, b| a.min(*b)) - ink.unwrap_or(0.0) - 1.0;
    let first = first.max(fit.apply([0.0, from.max(-1e4)])[1]).clamp(0.0, h as f32) as usize;
    let data = layer.data_mut();
    for y in first..h {
        for (x, hem) in hem.iter().enumerate() {
            let i = (y * w + x) * 4;
            if data[i + 3] == 0 {
                continue;
            }
            let at = y as f32 + 0.5;
            if let Some(width) = ink {
                let part = (at - (hem - width) + 0.5).clamp(0.0, 1.0);
                let a = f32::from(data[i + 3]);
                for c in 0..3 {
                    data[i + c] = (f32::from(data[i + c]) * (1.0 - part) + INK_RGB[c] * a * part + 0.5) as u8;
                }
            }
            let keep = (hem - at + 0.5).clamp(0.0, 1.0);
            if keep < 1.0 {
                data[i..i + 4].iter_mut().for_each(|v| *v = (f32::from(*v) * keep + 0.5) as u8);
            }
        }
    }
}

fn lay(out: &mut Pixmap, layer: &Pixmap) {
    out.draw_pixmap(0, 0, layer.as_ref(), &PixmapPaint::default(), Transform::identity(), None);
}
