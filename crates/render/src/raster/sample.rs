//! Affine maps and sampling between pixels.

use super::{Picture, Plane};

/// `x' = a x + b y + c`, `y' = d x + e y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Affine(pub [f32; 6]);

impl Affine {
    /// Turn by `angle` (radians, y down) and scale about the origin, then shift.
    pub fn turn_scale(angle: f32, scale: f32) -> Affine {
        let (s, c) = (angle.sin() * scale, angle.cos() * scale);
        Affine([c, -s, 0.0, s, c, 0.0])
    }

    /// The same map, followed by the shift that brings `from` to `to`.
    pub fn bringing(mut self, from: [f32; 2], to: [f32; 2]) -> Affine {
        let at = self.apply(from);
        self.0[2] += to[0] - at[0];
        self.0[5] += to[1] - at[1];
        self
    }

    /// Where a point goes.
    pub fn apply(&self, p: [f32; 2]) -> [f32; 2] {
        let m = &self.0;
        [m[0] * p[0] + m[1] * p[1] + m[2], m[3] * p[0] + m[4] * p[1] + m[5]]
    }

    /// First `self`, then `next`.
    pub fn then(&self, next: &Affine) -> Affine {
        let (a, b) = (&self.0, &next.0);
        Affine([
            b[0] * a[0] + b[1] * a[3],
            b[0] * a[1] + b[1] * a[4],
            b[0] * a[2] + b[1] * a[5] + b[2],
            b[3] * a[0] + b[4] * a[3],
            b[3] * a[1] + b[4] * a[4],
            b[3] * a[2] + b[4] * a[5] + b[5],
        ])
    }

    /// The way back. Our maps turn and scale by more than zero, so it exists.
    pub fn inverse(&self) -> Affine {
        let m = &self.0;
        let det = m[0] * m[4] - m[1] * m[3];
        let (a, b, d, e) = (m[4] / det, -m[1] / det, -m[3] / det, m[0] / det);
        Affine([a, b, -(a * m[2] + b * m[5]), d, e, -(d * m[2] + e * m[5])])
    }

    /// How much lengths grow.
    pub fn scale(&self) -> f32 {
        (self.0[0] * self.0[4] - self.0[1] * self.0[3]).abs().sqrt()
    }

    /// As the `matrix(…)` of SVG.
    pub fn svg(&self) -> String {
        let m = &self.0;
        format!("matrix({:.4},{:.4},{:.4},{:.4},{:.2},{:.2})", m[0], m[3], m[1], m[4], m[2], m[5])
    }
}

/// The four weights of a cubic (a = -0.75, the sharp one) for a fraction.
pub(crate) fn cubic(t: f32) -> [f32; 4] {
    const A: f32 = -0.75;
    let near = |d: f32| ((A + 2.0) * d - (A + 3.0)) * d * d + 1.0;
    let far = |d: f32| ((A * d - 5.0 * A) * d + 8.0 * A) * d - 4.0 * A;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

/// Bicubic values of several planes of one size at one place.
pub(crate) fn bicubic<const N: usize>(planes: [&Plane; N], x: f32, y: f32) -> [f32; N] {
    let (w, h) = (planes[0].w as isize, planes[0].h as isize);
    let (fx, fy) = (x.floor(), y.floor());
    let (wx, wy) = (cubic(x - fx), cubic(y - fy));
    let (x0, y0) = (fx as isize - 1, fy as isize - 1);
    let inside = x0 >= 0 && y0 >= 0 && x0 + 3 < w && y0 + 3 < h;
    let mut out = [0.0; N];
    for (j, wy) in wy.iter().enumerate() {
        let row = ((y0 + j as isize).clamp(0, h - 1) * w) as usize;
        for (plane, v) in planes.iter().zip(&mut out) {
            let sum = if inside {
                let d = &plane.d[row + x0 as usize..row + x0 as usize + 4];
                d[0] * wx[0] + d[1] * wx[1] + d[2] * wx[2] + d[3] * wx[3]
            } else {
                (0..4).map(|i| plane.d[row + (x0 + i as isize).clamp(0, w - 1) as usize] * wx[i]).sum()
            };
            *v += sum * wy;
        }
    }
    out
}

/// Pulls a picture of `w` x `h` through `back` (target to source positions), bicubic.
pub(crate) fn pull(p: &Picture, back: &Affine, w: usize, h: usize) -> Picture {
    let mut out = Picture::new(w, h, [0.0; 3]);
    for y in 0..h {
        for x in 0..w {
            let s = back.apply([x as f32, y as f32]);
            let v = bicubic([&p.0[0], &p.0[1], &p.0[2]], s[0], s[1]);
            out.set(y * w + x, v.map(|v| v.clamp(0.0, 1.0)));
        }
    }
    out
}

/// The mirror image, left for right.
pub(crate) fn mirrored(p: &Plane) -> Plane {
    let mut out = p.clone();
    out.d.chunks_exact_mut(p.w).for_each(<[f32]>::reverse);
    out
}

/// Half as wide and high, each pixel the mean of four.
pub(crate) fn halved(p: &Plane) -> Plane {
    Plane::from_fn(p.w / 2, p.h / 2, |x, y| {
        let i = 2 * y * p.w + 2 * x;
        (p.d[i] + p.d[i + 1] + p.d[i + p.w] + p.d[i + p.w + 1]) / 4.0
    })
}

/// Another size: averages what falls into each target pixel when it gets smaller, bilinear when it grows.
pub(crate) fn resample(p: &Plane, w: usize, h: usize) -> Plane {
    let across = shares(p.w, w);
    let mut narrow = Plane::new(w, p.h, 0.0);
    for y in 0..p.h {
        let row = p.row(y);
        for (to, (first, weights)) in narrow.d[y * w..].iter_mut().zip(&across) {
            *to = row[*first..].iter().zip(weights).map(|(v, k)| v * k).sum();
        }
    }
    let mut out = Plane::new(w, h, 0.0);
    for (y, list) in shares(p.h, h).iter().enumerate() {
        let to = &mut out.d[y * w..(y + 1) * w];
        for (i, k) in list.1.iter().enumerate() {
            to.iter_mut().zip(narrow.row(list.0 + i)).for_each(|(o, v)| *o += v * k);
        }
    }
    out
}

/// For each target pixel the first source pixel it covers and the share of each.
fn shares(from: usize, to: usize) -> Vec<(usize, Vec<f32>)> {
    let k = from as f32 / to as f32;
    if k < 1.0 {
        // growing: plain bilinear weights
        return (0..to)
            .map(|i| {
                let x = ((i as f32 + 0.5) * k - 0.5).clamp(0.0, (from - 1) as f32);
                let x0 = (x as usize).min(from.saturating_sub(2));
                if from == 1 { (0, vec![1.0]) } else { (x0, vec![1.0 - (x - x0 as f32), x - x0 as f32]) }
            })
            .collect();
    }
    (0..to)
        .map(|i| {
            let (a, b) = (i as f32 * k, ((i + 1) as f32 * k).min(from as f32));
            let (first, last) = (a as usize, (b.ceil() as usize).min(from));
            let weights = (first..last).map(|j| (b.min((j + 1) as f32) - a.max(j as f32)).max(0.0) / (b - a));
            (first, weights.collect())
        })
        .collect()
}
