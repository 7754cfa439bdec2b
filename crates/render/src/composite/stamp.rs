//! The head onto the canvas: bent, painted, lit and inked at its final size, in its own box only.

use resvg::tiny_skia::Pixmap;

use super::draw::{Drawing, INK_RGB, canvas};
use super::guest::Guest;
use super::place::CONTOUR_PX;
use super::warp::Warp;
use crate::RenderError;
use crate::raster::blur::gaussian;
use crate::raster::sample::{Affine, bicubic};
use crate::raster::shape::distance_within;
use crate::raster::{Area, Picture, Plane};

/// Contact shadow of the head on the body, in figure px: how far, how soft, how strong, which colour.
const CONTACT: ([f32; 2], f32, f32) = ([4.0, 9.0], 3.0, 0.30);
const CONTACT_COLOUR: [f32; 3] = [0.16, 0.07, 0.2];
/// The light of the drawing comes from the upper left. In px of the portrait.
const SHADE_SHIFT: [f32; 2] = [18.2, 14.0];
const SHADE_BLUR: f32 = 9.8;
const SHADE_COLOUR: [f32; 3] = [0.74, 0.66, 0.78];
const RIM_SHIFT: [f32; 2] = [6.3, 5.6];
const RIM_PART: f32 = 0.28;
const RIM_COLOUR: [f32; 3] = [1.0, 0.97, 0.9];

/// How a head goes onto the canvas.
pub(super) struct Stamp<'a> {
    pub guest: &'a Guest,
    pub warp: &'a Warp,
    /// SVG in portrait px.
    pub paint: &'a str,
    /// Portrait px to canvas px.
    pub map: Affine,
    /// Figure px to canvas px.
    pub figure_scale: f32,
    /// Box of the head on the canvas: left, top, right, bottom.
    pub bounds: [f32; 4],
    /// The dome's centre and radius on the canvas.
    pub dome: Option<[f32; 3]>,
    /// The hood's opening in portrait px: centre and radii.
    pub opening: Option<[f32; 4]>,
}

impl Stamp<'_> {
    /// Draws it.
    pub fn onto(&self, out: &mut Pixmap) -> Result<(), RenderError> {
        let area = self.area(out);
        let (mut colours, alpha) = self.bent(area);
        self.painted(&mut colours, area)?;
        let k = self.map.scale();
        let (shape, ink) = contour(&alpha, k);
        light(&mut colours, &alpha, k);
        let mut cover = shape.zip(&ink, f32::max);
        self.clip_to_dome(&mut cover, area);
        self.contact(out, &cover, area);
        for y in 0..area.h {
            for x in 0..area.w {
                let i = y * area.w + x;
                let (a, s) = (cover.d[i], shape.d[i]);
                if a <= 0.0 {
                    continue;
                }
                let to = ((y + area.y) * out.width() as usize + x + area.x) * 4;
                let own = colours.get(i);
                let data = out.data_mut();
                for c in 0..3 {
                    let v = own[c].clamp(0.0, 1.0) * s + INK_RGB[c] * (1.0 - s);
                    data[to + c] = (v * a * 255.0 + f32::from(data[to + c]) * (1.0 - a) + 0.5) as u8;
                }
                data[to + 3] = (a * 255.0 + f32::from(data[to + 3]) * (1.0 - a) + 0.5) as u8;
            }
        }
        Ok(())
    }

    /// The head's box with room for ink and shadow, inside the canvas.
    fn area(&self, out: &Pixmap) -> Area {
        let room = 6.0 + (CONTACT.0[1] + 2.0 * CONTACT.1) * self.figure_scale;
        let b = self.bounds;
        let low = |v: f32, n: u32| ((v - 6.0).floor().max(0.0) as usize).min(n as usize - 1);
        let high = |v: f32, n: u32| ((v + room).ceil().max(1.0) as usize).min(n as usize);
        let (x, y) = (low(b[0], out.width()), low(b[1], out.height()));
        Area {
            x,
            y,
            w: high(b[2], out.width()).saturating_sub(x).max(1),
            h: high(b[3], out.height()).saturating_sub(y).max(1),
        }
    }

    /// Colours and alpha of the portrait through expression and place.
    fn bent(&self, area: Area) -> (Picture, Plane) {
        let portrait = &self.guest.portrait;
        let [r, g, b] = &portrait.rgb.0;
        let planes = [r, g, b, &portrait.alpha];
        let back = self.map.inverse();
        let (w, h) = (portrait.alpha.w as f32, portrait.alpha.h as f32);
        let mut colours = Picture::new(area.w, area.h, [0.0; 3]);
        let mut alpha = Plane::new(area.w, area.h, 0.0);
        for y in 0..area.h {
            for x in 0..area.w {
                let p = back.apply([(x + area.x) as f32 + 0.5, (y + area.y) as f32 + 0.5]);
                let s = self.warp.source(p[0], p[1]);
                if s[0] < -1.0 || s[1] < -1.0 || s[0] > w || s[1] > h {
                    continue;
                }
                if !near(&portrait.alpha, s) {
                    continue;
                }
                let [r, g, b, a] = bicubic(planes, s[0], s[1]);
                let i = y * area.w + x;
                colours.set(i, [r, g, b]);
                let open = match self.opening {
                    Some([cx, cy, rx, ry]) => (1.0 - ((p[0] - cx) / rx).hypot((p[1] - cy) / ry)) * rx,
                    None => 1.0,
                };
                alpha.d[i] = a.clamp(0.0, 1.0) * open.clamp(0.0, 1.0);
            }
        }
        (colours, alpha)
    }

    fn painted(&self, colours: &mut Picture, area: Area) -> Result<(), RenderError> {
        let mut sheet = canvas(area.w as u32, area.h as u32)?;
        let shift = Affine([1.0, 0.0, -(area.x as f32), 0.0, 1.0, -(area.y as f32)]);
        Drawing::new(self.paint)?.onto(&mut sheet, &self.map.then(&shift));
        for (i, p) in sheet.data().chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
            let rest = 1.0 - f32::from(p[3]) / 255.0;
            for (plane, own) in colours.0.iter_mut().zip(p) {
                let v = &mut plane.d[i];
                *v = f32::from(*own) / 255.0 + v.clamp(0.0, 1.0) * rest;
            }
        }
        Ok(())
    }

    fn clip_to_dome(&self, cover: &mut Plane, area: Area) {
        let Some([cx, cy, r]) = self.dome else { return };
        for y in 0..area.h {
            for x in 0..area.w {
                let (px, py) = ((x + area.x) as f32 + 0.5, (y + area.y) as f32 + 0.5);
                cover.d[y * area.w + x] *= (r - 2.0 - (px - cx).hypot(py - cy)).clamp(0.0, 1.0);
            }
        }
    }

    /// The shadow that puts the head on the body: darkens what is there, covers nothing new.
    fn contact(&self, out: &mut Pixmap, cover: &Plane, area: Area) {
        let f = self.figure_scale;
        let [dx, dy] = CONTACT.0.map(|v| (v * f).round() as isize);
        let shadow = gaussian(&shifted(cover, dx, dy), CONTACT.1 * f);
        let w = out.width() as usize;
        let data = out.data_mut();
        for y in 0..area.h {
            for x in 0..area.w {
                let part = shadow.d[y * area.w + x] * CONTACT.2;
                let to = ((y + area.y) * w + x + area.x) * 4;
                if part < 0.004 || data[to + 3] == 0 {
                    continue;
                }
                let a = f32::from(data[to + 3]);
                for c in 0..3 {
                    data[to + c] =
                        (f32::from(data[to + c]) * (1.0 - part) + CONTACT_COLOUR[c] * a * part + 0.5) as u8;
                }
            }
        }
    }
}

/// Whether there is any head about a place, as far as the contour's blur reaches; the rest need not be sampled.
fn near(alpha: &Plane, [x, y]: [f32; 2]) -> bool {
    const REACH: isize = 8;
    let at = |dx: isize, dy: isize| {
        let (x, y) = (
            (x as isize + dx).clamp(0, alpha.w as isize - 1),
            (y as isize + dy).clamp(0, alpha.h as isize - 1),
        );
        alpha.at(x as usize, y as usize) > 0.0
    };
    at(0, 0) || at(-REACH, 0) || at(REACH, 0) || at(0, -REACH) || at(0, REACH)
}

/// What was at (x - dx, y - dy); outside nothing.
fn shifted(p: &Plane, dx: isize, dy: isize) -> Plane {
    let mut out = Plane::new(p.w, p.h, 0.0);
    for y in 0..p.h {
        let from = y as isize - dy;
        if from < 0 || from >= p.h as isize {
            continue;
        }
        let row = p.row(from as usize);
        let to = &mut out.d[y * p.w..(y + 1) * p.w];
        let n = p.w.saturating_sub(dx.unsigned_abs());
        if dx >= 0 {
            to[p.w - n..].copy_from_slice(&row[..n]);
        } else {
            to[..n].copy_from_slice(&row[p.w - n..]);
        }
    }
    out
}

/// A smooth silhouette, and the ink round it.
fn contour(alpha: &Plane, k: f32) -> (Plane, Plane) {
    let soft = gaussian(alpha, 2.45 * k);
    let shape = soft.map(|v| ((v - 0.5) * 5.0 + 0.5).clamp(0.0, 1.0));
    let reach = CONTOUR_PX * k;
    let near = distance_within(&soft, reach + 1.0, |v| v > 0.5).map(|d| (reach - d + 0.5).clamp(0.0, 1.0));
    let ink = gaussian(&near, 1.54 * k).map(|v| ((v - 0.5) * 2.2 + 0.5).clamp(0.0, 1.0));
    (shape, ink)
}

/// Shade at the lower right, a thin rim of light at the upper left.
fn light(colours: &mut Picture, alpha: &Plane, k: f32) {
    let hard = gaussian(&alpha.map(|v| if v > 0.5 { 1.0 } else { 0.0 }), 2.8 * k)
        .map(|v| if v > 0.5 { 1.0 } else { 0.0 });
    let px = |v: f32| (v * k).round() as isize;
    let from = shifted(&gaussian(&hard, SHADE_BLUR * k), -px(SHADE_SHIFT[0]), -px(SHADE_SHIFT[1]));
    let shade = from.zip(&hard, |v, s| ((0.62 - v) / 0.10).clamp(0.0, 1.0) * s);
    let shade = gaussian(&shade, 1.05 * k);
    let behind = shifted(&hard, px(RIM_SHIFT[0]), px(RIM_SHIFT[1]));
    let rim = gaussian(&hard.zip(&behind, |s, b| s * (1.0 - b)), 1.4 * k);
    for c in 0..3 {
        for ((v, shade), rim) in colours.0[c].d.iter_mut().zip(&shade.d).zip(&rim.d) {
            let dark = *v * (1.0 - shade * (1.0 - SHADE_COLOUR[c]));
            *v = dark * (1.0 - rim * RIM_PART) + RIM_COLOUR[c] * rim * RIM_PART;
        }
    }
}
