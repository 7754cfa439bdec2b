//! Paint on the bent face: one drawn sign for every expression (closed-arc eyes, heart eyes, lids, open mouth, blush …), as
//! SVG in the portrait's pixels. A drawn mouth looks better than a stretched one, drawn lids better than warped eyes.

mod eyes;
mod mouth;

use std::fmt::Write as _;

use super::draw::{INK, hex_lab, smooth};
use super::guest::Guest;
use super::warp::{BROWS, Warp};
use crate::face::points::SKIN;
use crate::raster::shape::disc;
use crate::raster::{lab, median};
use crate::template::Expression;

/// Eyes this much darker than the cheek are behind sunglasses: no lids, no sparkle.
const SUNGLASSES_L: f32 = -40.0;
/// An eye narrower than this (in distances between the eyes) is on the far side: left alone.
const FAR_EYE: f32 = 0.24;
/// A cheek nearer to the nose than this is on the far side.
const FAR_CHEEK: f32 = 0.35;

/// Colours that the paint takes from the face, measured once for all stickers.
pub(crate) struct Palette {
    skin: [f32; 3],
    lids: [[f32; 3]; 2],
    brows: [[f32; 3]; 2],
    sunglasses: bool,
}

impl Palette {
    /// Measures a guest.
    pub fn of(guest: &Guest) -> Palette {
        let at = |places: &[usize], r: f32| {
            let mut colours = Vec::new();
            for place in places {
                let a = &guest.portrait.alpha;
                disc(a.w, a.h, guest.portrait.points[*place], r, |i| {
                    colours.push(lab::from_rgb(guest.portrait.rgb.get(i)));
                });
            }
            median(&colours).unwrap_or([65.0, 16.0, 20.0])
        };
        let skin = at(&SKIN[..6], 5.0);
        let lid = |above: &[usize], below: &[usize]| eyes::lid_colour(skin, at(above, 3.5), at(below, 3.5));
        Palette {
            lids: [
                lid(&[27, 28, 56, 223, 222], &[119, 118, 230]),
                lid(&[257, 258, 286, 443, 442], &[348, 347, 450]),
            ],
            brows: BROWS.map(|b| at(&b[..5], 2.8)),
            sunglasses: guest.facts.eye_light < SUNGLASSES_L,
            skin,
        }
    }

    /// Skin on which dark lines would vanish.
    fn dark_skin(&self) -> bool {
        self.skin[0] < 55.0
    }
}

/// The drawing for one expression.
pub(crate) struct Paint<'a> {
    palette: &'a Palette,
    warp: &'a Warp,
    expression: &'a Expression,
    /// Distance between the eyes.
    u: f32,
    body: String,
    defs: String,
}

impl<'a> Paint<'a> {
    /// As SVG body.
    pub fn draw(palette: &'a Palette, warp: &'a Warp, expression: &'a Expression) -> String {
        let mut paint =
            Paint { palette, warp, expression, u: warp.ied, body: String::new(), defs: String::new() };
        paint.flush();
        paint.brows();
        paint.blush();
        paint.mouth();
        paint.eyes();
        paint.water();
        format!("<defs>{}</defs>{}", paint.defs, paint.body)
    }

    fn at(&self, i: usize) -> [f32; 2] {
        self.warp.points[i]
    }

    /// Appends to the drawing; writing to a String cannot fail.
    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        let _ = self.body.write_fmt(what);
    }

    fn define(&mut self, what: std::fmt::Arguments<'_>) {
        let _ = self.defs.write_fmt(what);
    }

    /// The red of anger over the upper face.
    fn flush(&mut self) {
        if self.expression.red <= 0.0 {
            return;
        }
        let (c, u, red) = (self.at(6), self.u, self.expression.red);
        self.define(format_args!(
            r##"<radialGradient id="rd"><stop offset="0" stop-color="#ff2a2a" stop-opacity="{:.2}"/><stop offset="1" stop-color="#ff2a2a" stop-opacity="0"/></radialGradient>"##,
            0.42 * red
        ));
        self.put(format_args!(
            r##"<ellipse cx="{:.1}" cy="{:.1}" rx="{:.1}" ry="{:.1}" fill="url(#rd)"/>"##,
            c[0],
            c[1] - 0.1 * u,
            1.25 * u,
            1.1 * u
        ));
    }

    /// Brows that move much are drawn in their own colour, darkened: fair ones would not be seen.
    fn brows(&mut self) {
        let moved = self.expression.browi[0].abs() + self.expression.browi[1].abs();
        if moved <= 0.15 || self.palette.sunglasses {
            return;
        }
        let opacity = if self.expression.red > 0.0 { 0.62 } else { 0.42 };
        for (side, brow) in BROWS.iter().enumerate() {
            let (upper, lower) = brow.split_at(5);
            let ring: Vec<[f32; 2]> = lower.iter().rev().chain(upper).map(|i| self.at(*i)).collect();
            let middle = ring.iter().map(|p| p[1]).sum::<f32>() / ring.len() as f32;
            let ring: Vec<[f32; 2]> = ring.iter().map(|p| [p[0], middle + (p[1] - middle) * 0.72]).collect();
            let own = self.palette.brows[side];
            let dark = hex_lab([(own[0] * 0.55).min(24.0), own[1] * 0.6, own[2] * 0.6]);
            self.put(format_args!(
                r#"<path d="{}" fill="{dark}" opacity="{opacity}"/>"#,
                smooth(&ring, true)
            ));
        }
    }

    fn blush(&mut self) {
        let blush = self.expression.blush;
        if blush <= 0.0 {
            return;
        }
        let u = self.u;
        let red = if self.palette.skin[0] > 50.0 { "#ff4d6d" } else { "#c8324f" };
        self.define(format_args!(
            r##"<radialGradient id="bl"><stop offset="0" stop-color="{red}" stop-opacity=".6"/><stop offset=".6" stop-color="{red}" stop-opacity=".4"/><stop offset="1" stop-color="{red}" stop-opacity="0"/></radialGradient>"##
        ));
        for (cheek, below, sign) in [(50, 117, -1.0), (280, 346, 1.0)] {
            let (p, k) = (self.at(cheek), self.at(below));
            if (p[0] - self.at(1)[0]).abs() <= FAR_CHEEK * u {
                continue;
            }
            let c = [p[0] * 0.55 + k[0] * 0.45 + sign * 0.04 * u, p[1] * 0.55 + k[1] * 0.45 + 0.12 * u];
            self.put(format_args!(
                r##"<ellipse cx="{:.1}" cy="{:.1}" rx="{:.1}" ry="{:.1}" fill="url(#bl)" opacity="{blush:.2}"/><g stroke="#d8344f" stroke-width="{:.2}" stroke-linecap="round" opacity="{:.2}">"##,
                c[0], c[1], 0.36 * u, 0.24 * u, 0.035 * u, 0.75 * blush
            ));
            for offset in [-0.13, 0.0, 0.13] {
                self.put(format_args!(
                    r#"<path d="M{:.1},{:.1} l{:.1},{:.1}"/>"#,
                    c[0] + (offset + 0.035) * u,
                    c[1] - 0.06 * u,
                    -0.07 * u,
                    0.12 * u
                ));
            }
            self.put(format_args!("</g>"));
        }
    }

    /// Tears of laughter and the drop of sleep.
    fn water(&mut self) {
        let u = self.u;
        if self.expression.tears > 0.0 {
            for (corner, sign) in [(33, -1.0), (263, 1.0)] {
                let p = self.at(corner);
                self.put(format_args!(
                    r##"<g transform="translate({:.1},{:.1}) rotate({:.0}) scale({:.4})"><path d="M0,-30 C12,-10 20,2 20,13 A20,20 0 0 1 -20,13 C-20,2 -12,-10 0,-30 Z" fill="#6ed3ff" stroke="{INK}" stroke-width="6" stroke-linejoin="round"/><path d="M-9,14 Q-8,22 0,23" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round"/></g>"##,
                    p[0] + sign * 0.26 * u, p[1] + 0.16 * u, -sign * 62.0, 0.0085 * u
                ));
            }
        }
        if self.expression.drool > 0.0 {
            let p = self.at(291);
            self.put(format_args!(
                r##"<path d="M{:.1},{:.1} q{:.1},{:.1} {:.1},{:.1} a{:.1},{:.1} 0 0 1 {:.1},{:.1} q{:.1},{:.1} {:.1},{:.1} z" fill="#8fdcff" stroke="{INK}" stroke-width="{:.2}" stroke-linejoin="round"/>"##,
                p[0] - 0.02 * u, p[1] + 0.02 * u,
                0.10 * u, 0.10 * u, 0.08 * u, 0.26 * u,
                0.065 * u, 0.075 * u, -0.13 * u, -0.02 * u,
                0.03 * u, -0.10 * u, 0.05 * u, -0.24 * u,
                0.032 * u
            ));
        }
    }
}
