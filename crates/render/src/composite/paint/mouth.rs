//! The open mouth: dark inside, tongue, upper teeth without lines; painted also over real teeth.

use super::super::draw::{INK, smooth};
use super::super::warp::UPPER_INNER;
use super::Paint;

/// Lower inner lip from the right corner to the left.
const LOWER_BACK: [usize; 9] = [324, 318, 402, 317, 14, 87, 178, 88, 95];

impl Paint<'_> {
    pub(super) fn mouth(&mut self) {
        if self.expression.open <= 0.0 {
            return;
        }
        let (left, right, bottom) = (self.at(78), self.at(308), self.at(14));
        let upper: Vec<[f32; 2]> =
            [78].iter().chain(&UPPER_INNER).chain(&[308]).map(|i| self.at(*i)).collect();
        let lower = LOWER_BACK.iter().map(|i| self.at(*i));
        let ring: Vec<[f32; 2]> = upper.iter().copied().chain(lower).collect();
        let path = smooth(&ring, true);
        let height = bottom[1] - self.at(13)[1];
        let width = right[0] - left[0];
        let u = self.u;
        self.define(format_args!(r#"<clipPath id="mo"><path d="{path}"/></clipPath>"#));
        self.put(format_args!(r##"<path d="{path}" fill="#571327"/><g clip-path="url(#mo)">"##));
        if self.expression.tongue > 0.0 {
            self.put(format_args!(
                r##"<ellipse cx="{:.1}" cy="{:.1}" rx="{:.1}" ry="{:.1}" fill="#ef6f86"/><path d="M{:.1},{:.1} v{:.1}" stroke="#d2506c" stroke-width="{:.2}" stroke-linecap="round"/>"##,
                bottom[0], bottom[1], 0.33 * width, 0.42 * height, bottom[0], bottom[1], -0.26 * height, 0.035 * u
            ));
        }
        if self.expression.teeth > 0.0 {
            self.teeth(&upper, (left[0] + right[0]) / 2.0, width / 2.0, height);
        }
        self.put(format_args!(
            r#"</g><path d="{path}" fill="none" stroke="{INK}" stroke-width="{:.2}" stroke-linejoin="round"/>"#,
            0.045 * u
        ));
    }

    fn teeth(&mut self, upper: &[[f32; 2]], middle: f32, half: f32, height: f32) {
        let above: Vec<[f32; 2]> = upper.iter().map(|p| [p[0], p[1] - 1.5]).collect();
        let below = upper.iter().rev().map(|p| {
            let taper = 1.0 - ((p[0] - middle) / half.max(1.0)).powi(4);
            format!("{:.1},{:.1}", p[0], p[1] + 0.30 * height * taper)
        });
        let below: Vec<String> = below.collect();
        self.put(format_args!(
            r##"<path d="{} L{} Z" fill="#fffdf6"/>"##,
            smooth(&above, false),
            below.join(" ")
        ));
    }
}
