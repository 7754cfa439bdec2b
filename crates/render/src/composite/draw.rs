//! Drawing SVG text onto a canvas, and the few things every drawing shares.

use std::fmt::Write as _;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::RenderError;
use crate::raster::lab;
use crate::raster::sample::Affine;

/// The one ink.
pub(crate) const INK: &str = "#2b1826";
/// The ink as numbers.
pub(crate) const INK_RGB: [f32; 3] = [43.0 / 255.0, 24.0 / 255.0, 38.0 / 255.0];
/// Space that drawings may use round their origin; only says how large the document is, nothing is cut by it.
const SPACE: f32 = 2048.0;

/// A parsed drawing.
pub(crate) struct Drawing(Tree);

impl Drawing {
    /// Parses the inside of an SVG document.
    pub fn new(body: &str) -> Result<Drawing, RenderError> {
        let text = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{SPACE}" height="{SPACE}">{body}</svg>"#
        );
        Tree::from_str(&text, &Options::default())
            .map(Drawing)
            .map_err(|e| RenderError::Drawing(e.to_string()))
    }

    /// Left, top, right and bottom of everything drawn, lines included; nothing when there is nothing.
    pub fn bounds(&self) -> Option<[f32; 4]> {
        let b = self.0.root().abs_stroke_bounding_box();
        (b.width() > 0.0 || b.height() > 0.0).then(|| [b.left(), b.top(), b.right(), b.bottom()])
    }

    /// Draws it over what is there.
    pub fn onto(&self, canvas: &mut Pixmap, map: &Affine) {
        let m = &map.0;
        let map = Transform::from_row(m[0], m[3], m[1], m[4], m[2], m[5]);
        resvg::render(&self.0, map, &mut canvas.as_mut());
    }
}

/// An empty canvas.
pub(crate) fn canvas(w: u32, h: u32) -> Result<Pixmap, RenderError> {
    Pixmap::new(w, h).ok_or_else(|| RenderError::Drawing(format!("no canvas of {w} x {h}")))
}

/// `#rrggbb` of a colour in 0..1.
pub(crate) fn hex(rgb: [f32; 3]) -> String {
    let [r, g, b] = rgb.map(|v| (v.clamp(0.0, 1.0) * 255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// `#rrggbb` of a Lab colour.
pub(crate) fn hex_lab(colour: [f32; 3]) -> String {
    hex(lab::to_rgb(colour))
}

/// A closed or open smooth curve (Catmull-Rom) through points, as path data.
pub(crate) fn smooth(points: &[[f32; 2]], closed: bool) -> String {
    let n = points.len();
    let Some(first) = points.first() else { return String::new() };
    let mut out = format!("M{:.1},{:.1}", first[0], first[1]);
    let at = |i: isize| {
        if closed {
            points[i.rem_euclid(n as isize) as usize]
        } else {
            points[i.clamp(0, n as isize - 1) as usize]
        }
    };
    for i in 0..(if closed { n } else { n - 1 }) as isize {
        let [p0, p1, p2, p3] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
        let a: [f32; 2] = std::array::from_fn(|k| p1[k] + (p2[k] - p0[k]) / 6.0);
        let b: [f32; 2] = std::array::from_fn(|k| p2[k] - (p3[k] - p1[k]) / 6.0);
        // writing to a String cannot fail
        let _ = write!(out, " C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}", a[0], a[1], b[0], b[1], p2[0], p2[1]);
    }
    if closed {
        out.push_str(" Z");
    }
    out
}
