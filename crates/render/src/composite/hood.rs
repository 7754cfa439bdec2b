//! A drawn hood round the face: looks meant where the head's own outline is bad (door frames, hands in the hair).

use super::draw::INK;
use super::guest::Guest;
use super::head::{FACE_HEIGHT, Facts};
use super::rig::shaded;
use super::tokens::Tokens;
use crate::face::points::{CHIN, TOP};
use crate::raster::sample::Affine;
use crate::template::Outfit;

/// The opening, in half widths and heights of the face.
const OPENING: [f32; 2] = [1.34, 0.70];
const INSIDE: &str = "#3a2330";
/// From this raggedness (1 is a circle, a fur hat with ear flaps 1.9) or this part of an unsure mask (0.04 at most on good
/// portraits) the outline is not shown.
const RAGGED_MAX: f32 = 2.1;
const UNSURE_MAX: f32 = 0.12;

/// From this many pixels of outline on the photo's border, about two heights of the face, a rounded end looks odd.
const BORDER_MAX_PX: usize = 420;

/// Whether an outline should be hidden.
pub(crate) fn wanted(outfit: &Outfit, facts: &Facts) -> bool {
    let bad = facts.ragged > RAGGED_MAX || facts.unsure > UNSURE_MAX || facts.border_px > BORDER_MAX_PX;
    outfit.hood && bad
}

/// A hood in px of the portrait.
pub(crate) struct Hood {
    centre: [f32; 2],
    radii: [f32; 2],
    /// Portrait px for a figure px.
    unit: f32,
    frame: String,
}

impl Hood {
    /// Round a guest's face.
    pub fn round(guest: &Guest, map: &Affine) -> Hood {
        let points = &guest.portrait.points;
        Hood {
            centre: [guest.middle_x(), points[TOP][1] * 0.55 + points[CHIN][1] * 0.45],
            radii: [guest.face_width() / 2.0 * OPENING[0], FACE_HEIGHT * OPENING[1]],
            unit: 1.0 / guest.scale,
            frame: map.svg(),
        }
    }

    /// Centre and radii of the opening.
    pub fn opening(&self) -> [f32; 4] {
        [self.centre[0], self.centre[1], self.radii[0], self.radii[1]]
    }

    /// Points on its outer edge, in px of the portrait.
    pub fn edge(&self) -> Vec<[f32; 2]> {
        let grown = self.radii.map(|r| r + 31.0 * self.unit);
        (0..32)
            .map(|i| {
                let (s, c) = (i as f32 / 32.0 * std::f32::consts::TAU).sin_cos();
                [self.centre[0] + grown[0] * c, self.centre[1] + grown[1] * s]
            })
            .collect()
    }

    fn ellipse(&self, shift: [f32; 2], grow: [f32; 2], paint: &str) -> String {
        format!(
            r#"<ellipse cx="{:.1}" cy="{:.1}" rx="{:.1}" ry="{:.1}" {paint}/>"#,
            self.centre[0] + shift[0],
            self.centre[1] + shift[1],
            self.radii[0] + grow[0],
            self.radii[1] + grow[1]
        )
    }

    /// What lies behind the head.
    pub fn back(&self, tokens: &Tokens, outfit: &Outfit) -> String {
        let u = self.unit;
        let dark = tokens.fill(outfit.tokens.get("main_dark").unwrap_or(&outfit.cuff), 1.0);
        let cloth = format!(r#"fill="{dark}" stroke="{INK}" stroke-width="{:.1}""#, 5.5 * u);
        let outside = self.ellipse([0.0, -0.02 * FACE_HEIGHT], [30.0 * u, 28.0 * u], &cloth);
        let inside = self.ellipse([0.0, 0.0], [-0.5 * u, -0.5 * u], &format!(r#"fill="{INSIDE}""#));
        format!(r#"<g transform="{}">{outside}{inside}</g>"#, self.frame)
    }

    /// The ring before it.
    pub fn ring(&self, tokens: &Tokens, outfit: &Outfit) -> String {
        let u = self.unit;
        let main = tokens.fill(outfit.tokens.get("main").unwrap_or(&outfit.sleeve), 1.0);
        let line = |shift: [f32; 2], colour: &str, width: f32| {
            let paint = format!(r#"fill="none" stroke="{colour}" stroke-width="{:.1}""#, width * u);
            self.ellipse(shift, [8.0 * u, 8.0 * u], &paint)
        };
        let rings = line([0.0; 2], INK, 29.0)
            + &line([0.0; 2], &shaded(&main), 18.5)
            + &line([-1.5 * u, -2.0 * u], &main, 12.0);
        format!(r#"<g transform="{}">{rings}</g>"#, self.frame)
    }
}
