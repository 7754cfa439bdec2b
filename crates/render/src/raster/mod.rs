//! Planes of floating-point pixels and the operations on them. Everything above works in these; nothing here knows what
//! a face or a sticker is.
//!
//! Colour pictures are kept as three planes, not as triples: almost every operation works on one channel at a time, and
//! the compiler turns such loops into vector code.

pub(crate) mod blur;
pub(crate) mod filter;
pub(crate) mod lab;
pub(crate) mod sample;
pub(crate) mod shape;

use image::RgbImage;

/// One channel, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plane {
    /// Width in pixels.
    pub w: usize,
    /// Height in pixels.
    pub h: usize,
    /// The values, `w * h` of them.
    pub d: Vec<f32>,
}

impl Plane {
    /// A plane of one value.
    pub fn new(w: usize, h: usize, value: f32) -> Plane {
        Plane { w, h, d: vec![value; w * h] }
    }

    /// A plane computed from its positions.
    pub fn from_fn(w: usize, h: usize, f: impl Fn(usize, usize) -> f32) -> Plane {
        let mut d = Vec::with_capacity(w * h);
        for y in 0..h {
            d.extend((0..w).map(|x| f(x, y)));
        }
        Plane { w, h, d }
    }

    /// The value at a position inside.
    pub fn at(&self, x: usize, y: usize) -> f32 {
        self.d[y * self.w + x]
    }

    /// A plane of the same size computed value by value.
    pub fn map(&self, f: impl Fn(f32) -> f32) -> Plane {
        Plane { w: self.w, h: self.h, d: self.d.iter().map(|v| f(*v)).collect() }
    }

    /// Combines two planes of one size.
    pub fn zip(&self, other: &Plane, f: impl Fn(f32, f32) -> f32) -> Plane {
        Plane { w: self.w, h: self.h, d: self.d.iter().zip(&other.d).map(|(a, b)| f(*a, *b)).collect() }
    }

    /// One row.
    pub fn row(&self, y: usize) -> &[f32] {
        &self.d[y * self.w..(y + 1) * self.w]
    }

    /// A rectangle of it; the rectangle must lie inside.
    pub fn crop(&self, area: Area) -> Plane {
        let mut d = Vec::with_capacity(area.w * area.h);
        for y in area.y..area.y + area.h {
            d.extend_from_slice(&self.row(y)[area.x..area.x + area.w]);
        }
        Plane { w: area.w, h: area.h, d }
    }
}

/// A rectangle of whole pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    /// Left edge.
    pub x: usize,
    /// Upper edge.
    pub y: usize,
    /// Width.
    pub w: usize,
    /// Height.
    pub h: usize,
}

/// Three planes of one size: red, green, blue in 0..1, or L, a, b.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture(pub [Plane; 3]);

impl Picture {
    /// Width in pixels.
    pub fn w(&self) -> usize {
        self.0[0].w
    }

    /// Height in pixels.
    pub fn h(&self) -> usize {
        self.0[0].h
    }

    /// A picture of one colour.
    pub fn new(w: usize, h: usize, colour: [f32; 3]) -> Picture {
        Picture(colour.map(|v| Plane::new(w, h, v)))
    }

    /// From bytes, to 0..1.
    pub fn from_rgb(image: &RgbImage) -> Picture {
        let (w, h) = (image.width() as usize, image.height() as usize);
        let mut planes = [Vec::with_capacity(w * h), Vec::with_capacity(w * h), Vec::with_capacity(w * h)];
        for pixel in image.as_raw().chunks_exact(3) {
            for (plane, v) in planes.iter_mut().zip(pixel) {
                plane.push(f32::from(*v) / 255.0);
            }
        }
        Picture(planes.map(|d| Plane { w, h, d }))
    }

    /// The colour at an index.
    pub fn get(&self, i: usize) -> [f32; 3] {
        [self.0[0].d[i], self.0[1].d[i], self.0[2].d[i]]
    }

    /// Sets the colour at an index.
    pub fn set(&mut self, i: usize, colour: [f32; 3]) {
        for (plane, v) in self.0.iter_mut().zip(colour) {
            plane.d[i] = v;
        }
    }

    /// Each channel through the same operation.
    pub fn each(&self, f: impl Fn(&Plane) -> Plane) -> Picture {
        Picture([f(&self.0[0]), f(&self.0[1]), f(&self.0[2])])
    }
}

/// 0 below `a`, 1 above `b`, smooth between; `a` may be the larger one.
pub(crate) fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The value below which `part` (0..1) of the values lie; reorders them.
pub(crate) fn percentile(values: &mut [f32], part: f32) -> Option<f32> {
    if values.is_empty() {
        return None;
    }
    let k = ((values.len() - 1) as f32 * part).round() as usize;
    let (_, v, _) = values.select_nth_unstable_by(k, f32::total_cmp);
    Some(*v)
}

/// Channel-wise median of colours, or nothing when there are none.
pub(crate) fn median(colours: &[[f32; 3]]) -> Option<[f32; 3]> {
    let mut out = [0.0; 3];
    for (channel, v) in out.iter_mut().enumerate() {
        let mut values: Vec<f32> = colours.iter().map(|c| c[channel]).collect();
        *v = percentile(&mut values, 0.5)?;
    }
    Some(out)
}
