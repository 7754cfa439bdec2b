//! Eyes: hearts, closed lids (asleep or happy), or a sparkle on the real ones.

use super::super::draw::{INK, hex_lab, smooth};
use super::{FAR_EYE, Paint};
use crate::face::points::{EYE_CORNERS, EYES};
use crate::template::Lid;

/// Ink on skin that is dark itself.
const DARKER_INK: &str = "#170b12";

/// A lid's colour from what is above and below the eye: not much darker than the skin, and never lighter than it, which
/// would read as rolled-up eyes.
pub(super) fn lid_colour(skin: [f32; 3], above: [f32; 3], below: [f32; 3]) -> [f32; 3] {
    let half: [f32; 3] = std::array::from_fn(|k| (above[k] + below[k]) / 2.0);
    let base = [half[0].max(skin[0] - 24.0), half[1], half[2]];
    let mut out: [f32; 3] = std::array::from_fn(|k| 0.7 * base[k] + 0.3 * skin[k]);
    out[0] = out[0].min(skin[0] - 3.0);
    out
}

/// One eye.
struct Eye {
    side: usize,
    /// -1 at the left, 1 at the right.
    sign: f32,
    centre: [f32; 2],
    inner: [f32; 2],
    outer: [f32; 2],
    width: f32,
}

impl Paint<'_> {
    pub(super) fn eyes(&mut self) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let ring = EYES[side].map(|i| self.at(i));
            let centre = std::array::from_fn(|k| ring.iter().map(|p| p[k]).sum::<f32>() / ring.len() as f32);
            let (inner, outer) = (self.at(EYE_CORNERS[side].0), self.at(EYE_CORNERS[side].1));
            let width = (outer[0] - inner[0]).hypot(outer[1] - inner[1]);
            if width < FAR_EYE * self.u {
                continue;
            }
            let eye = Eye { side, sign, centre, inner, outer, width };
            let lid = self.expression.lid[side];
            if self.expression.heart > 0.0 {
                self.heart(&eye);
            } else if self.palette.sunglasses {
                continue;
            } else if lid == Lid::Open {
                self.sparkle(&eye);
            } else {
                self.lid(&eye, &ring);
                if lid == Lid::Sleep { self.sleeping(&eye) } else { self.happy(&eye) }
            }
        }
    }

    fn heart(&mut self, eye: &Eye) {
        let u = self.u;
        self.put(format_args!(
            r##"<g transform="translate({:.1},{:.1}) rotate({:.0}) scale({:.4})"><path d="M0,34 C-46,4 -40,-34 -16,-34 C-6,-34 0,-26 0,-20 C0,-26 6,-34 16,-34 C40,-34 46,4 0,34 Z" fill="#ff2f57" stroke="{INK}" stroke-width="6" stroke-linejoin="round"/><path d="M-24,-14 Q-24,-24 -15,-25" fill="none" stroke="#fff" stroke-width="7" stroke-linecap="round"/></g>"##,
            eye.centre[0],
            eye.centre[1] + 0.02 * u,
            eye.sign * -8.0,
            0.0115 * 0.88 * u
        ));
    }

    fn sparkle(&mut self, eye: &Eye) {
        if self.expression.sparkle <= 0.0 {
            return;
        }
        let ([x, y], u, r) = (eye.centre, self.u, 0.042 * self.u);
        self.put(format_args!(
            r##"<circle cx="{:.1}" cy="{:.1}" r="{r:.2}" fill="#fff"/><circle cx="{:.1}" cy="{:.1}" r="{:.2}" fill="#fff" opacity=".8"/>"##,
            x - 0.055 * u,
            y - 0.05 * u,
            x + 0.05 * u,
            y + 0.045 * u,
            r * 0.5
        ));
    }

    /// Skin over the eye.
    fn lid(&mut self, eye: &Eye, ring: &[[f32; 2]]) {
        let c = eye.centre;
        let wide: Vec<[f32; 2]> =
            ring.iter().map(|p| [c[0] + (p[0] - c[0]) * 1.08, c[1] + (p[1] - c[1]) * 1.38]).collect();
        let (side, blur) = (eye.side, 0.03 * self.u);
        let colour = hex_lab(self.palette.lids[side]);
        self.define(format_args!(
            r#"<filter id="f{side}" x="-20%" y="-40%" width="140%" height="180%"><feGaussianBlur stdDeviation="{blur:.2}"/></filter>"#
        ));
        self.put(format_args!(
            r##"<path d="{}" fill="{colour}" filter="url(#f{side})"/>"##,
            smooth(&wide, true)
        ));
    }

    fn sleeping(&mut self, eye: &Eye) {
        let (w, u) = (eye.width, self.u);
        let m = middle(eye);
        let a = stretched(eye.inner, m, -0.08, 0.02 * w);
        let b = stretched(eye.outer, m, 0.16, 0.0);
        let q = [m[0], m[1] + 0.46 * w];
        self.arc(a, q, b, 0.08, 0.17, INK);
        for (t, length) in [(0.45f32, 0.11), (0.68, 0.13), (0.9, 0.13)] {
            let s = 1.0 - t;
            let p: [f32; 2] = std::array::from_fn(|k| s * s * a[k] + 2.0 * t * s * q[k] + t * t * b[k]);
            self.put(format_args!(
                r#"<path d="M{:.1},{:.1} l{:.1},{:.1}" stroke="{INK}" stroke-width="{:.2}" stroke-linecap="round"/>"#,
                p[0],
                p[1],
                eye.sign * length * (t - 0.25) * u,
                length * u,
                0.045 * u
            ));
        }
    }

    fn happy(&mut self, eye: &Eye) {
        let w = eye.width;
        let m = middle(eye);
        let a = stretched(eye.inner, m, -0.08, 0.20 * w);
        let b = stretched(eye.outer, m, 0.16, 0.22 * w);
        let ink = if self.palette.dark_skin() { DARKER_INK } else { INK };
        self.arc(a, [m[0], m[1] - 0.5 * w], b, 0.09, 0.19, ink);
    }

    /// A thick arc; on dark skin over a lighter one, else it vanishes.
    fn arc(&mut self, a: [f32; 2], q: [f32; 2], b: [f32; 2], line: f32, under: f32, ink: &str) {
        let u = self.u;
        let path = format!("M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}", a[0], a[1], q[0], q[1], b[0], b[1]);
        let (skin, dark) = (self.palette.skin, self.palette.dark_skin());
        let mut stroke = |colour: &str, width: f32| {
            self.put(format_args!(
                r#"<path d="{path}" fill="none" stroke-linecap="round" stroke="{colour}" stroke-width="{:.2}"/>"#,
                width * u
            ));
        };
        if dark {
            stroke(&hex_lab([skin[0] + 13.0, skin[1], skin[2] + 2.0]), under);
        }
        stroke(ink, line);
    }
}

fn middle(eye: &Eye) -> [f32; 2] {
    std::array::from_fn(|k| (eye.inner[k] + eye.outer[k]) / 2.0)
}

/// A corner moved away from the middle (or towards it) and down.
fn stretched(corner: [f32; 2], middle: [f32; 2], by: f32, down: f32) -> [f32; 2] {
    let away = if by < 0.0 {
        (middle[0] - corner[0], middle[1] - corner[1])
    } else {
        (corner[0] - middle[0], corner[1] - middle[1])
    };
    [corner[0] + away.0 * by, corner[1] + away.1 * by + down]
}
