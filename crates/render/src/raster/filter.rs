//! Filters that know about edges: guided filter, bilateral, Kuwahara; and colours of a foreground without its background.

use super::blur::boxed;
use super::{Picture, Plane};

/// The guided filter's statistics of a colour picture, kept so that several planes can be filtered by one picture.
pub(crate) struct Guide<'a> {
    picture: &'a Picture,
    mean: [Plane; 3],
    /// Covariances rr, rg, rb, gg, gb, bb.
    covariance: [Plane; 6],
    r: usize,
}

const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

impl<'a> Guide<'a> {
    /// Statistics over squares of radius `r`.
    pub fn new(picture: &'a Picture, r: usize) -> Guide<'a> {
        let mean: [Plane; 3] = std::array::from_fn(|c| boxed(&picture.0[c], r));
        let covariance = PAIRS.map(|(a, b)| {
            let mut both = boxed(&picture.0[a].zip(&picture.0[b], |x, y| x * y), r);
            both.d.iter_mut().zip(mean[a].d.iter().zip(&mean[b].d)).for_each(|(v, (x, y))| *v -= x * y);
            both
        });
        Guide { picture, mean, covariance, r }
    }

    /// `p` made to follow the edges of the picture.
    pub fn filter(&self, p: &Plane, eps: f32) -> Plane {
        let n = p.d.len();
        let mean_p = boxed(p, self.r);
        let with: [Plane; 3] =
            std::array::from_fn(|c| boxed(&self.picture.0[c].zip(p, |x, y| x * y), self.r));
        let mut a: [Plane; 3] = std::array::from_fn(|_| Plane::new(p.w, p.h, 0.0));
        let mut b = Plane::new(p.w, p.h, 0.0);
        for i in 0..n {
            let m: [f32; 3] = std::array::from_fn(|c| self.mean[c].d[i]);
            let v: [f32; 3] = std::array::from_fn(|c| with[c].d[i] - m[c] * mean_p.d[i]);
            let s: [f32; 6] = std::array::from_fn(|k| self.covariance[k].d[i]);
            let x = solve([s[0] + eps, s[1], s[2], s[3] + eps, s[4], s[5] + eps], v);
            b.d[i] = mean_p.d[i] - (x[0] * m[0] + x[1] * m[1] + x[2] * m[2]);
            a.iter_mut().zip(x).for_each(|(plane, x)| plane.d[i] = x);
        }
        let mut out = boxed(&b, self.r);
        for (plane, channel) in a.iter().zip(&self.picture.0) {
            let smooth = boxed(plane, self.r);
            out.d.iter_mut().zip(smooth.d.iter().zip(&channel.d)).for_each(|(o, (a, v))| *o += a * v);
        }
        out
    }
}

/// A symmetric 3 x 3 system, positive definite.
fn solve(s: [f32; 6], v: [f32; 3]) -> [f32; 3] {
    let [a, b, c, d, e, f] = s;
    let (m0, m1, m2) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let k = 1.0 / (a * m0 + b * m1 + c * m2);
    [
        k * (m0 * v[0] + m1 * v[1] + m2 * v[2]),
        k * (m1 * v[0] + (a * f - c * c) * v[1] + (b * c - a * e) * v[2]),
        k * (m2 * v[0] + (b * c - a * e) * v[1] + (a * d - b * b) * v[2]),
    ]
}

/// Foreground colours by blur fusion: what a pixel would be without the background that shines through.
pub(crate) fn foreground(picture: &Picture, alpha: &Plane, radii: [usize; 2]) -> Picture {
    let mut fore = picture.clone();
    let mut back = picture.clone();
    for r in radii {
        let share = boxed(alpha, r);
        for c in 0..3 {
            let f = boxed(&fore.0[c].zip(alpha, |v, a| v * a), r).zip(&share, |v, s| v / (s + 1e-5));
            let b = boxed(&back.0[c].zip(alpha, |v, a| v * (1.0 - a)), r)
                .zip(&share, |v, s| v / (1.0 - s + 1e-5));
            for (i, a) in alpha.d.iter().enumerate() {
                let seen = picture.0[c].d[i] - a * f.d[i] - (1.0 - a) * b.d[i];
                fore.0[c].d[i] = (f.d[i] + a * seen).clamp(0.0, 1.0);
            }
            back.0[c] = b;
        }
    }
    fore
}

/// Bilateral filter over a square of radius `r`; `range` is the tolerated difference (sum over the channels).
pub(crate) fn bilateral(p: &Picture, r: usize, range: f32, space: f32) -> Picture {
    let planes: Vec<&Plane> = p.0.iter().collect();
    let mut out = bilateral_planes(&planes, r, range, space).into_iter();
    let mut next = || out.next().unwrap_or_else(|| Plane::new(p.w(), p.h(), 0.0));
    Picture([next(), next(), next()])
}

/// Bilateral filter of one plane.
pub(crate) fn bilateral_plane(p: &Plane, r: usize, range: f32, space: f32) -> Plane {
    bilateral_planes(&[p], r, range, space).swap_remove(0)
}

/// Row by row and tap by tap, so that the inner loop is plain arithmetic on neighbours in memory; e^-t is taken as
/// (1 - t/8)^8, which the eye cannot tell and the processor computes eight at a time.
fn bilateral_planes(planes: &[&Plane], r: usize, range: f32, space: f32) -> Vec<Plane> {
    let (w, h) = (planes[0].w, planes[0].h);
    let padded: Vec<Plane> = planes.iter().map(|p| pad(p, r)).collect();
    let mut out: Vec<Plane> = planes.iter().map(|p| Plane::new(p.w, p.h, 0.0)).collect();
    let k = 0.5 / (range * range) / 8.0;
    let pw = w + 2 * r;
    let (mut total, mut weight) = (vec![0.0f32; w], vec![0.0f32; w]);
    for y in 0..h {
        total.fill(0.0);
        for dy in 0..=2 * r {
            for dx in 0..=2 * r {
                let far = ((dx as f32 - r as f32).powi(2) + (dy as f32 - r as f32).powi(2)) / (space * space);
                if far > (r as f32 / space).powi(2) + 1e-3 {
                    continue;
                }
                let near = (-0.5 * far).exp();
                let at = |p: &Plane| (y + dy) * p.w + dx;
                weight.fill(0.0);
                for (plane, own) in padded.iter().zip(planes) {
                    let other = &plane.d[at(plane)..at(plane) + w];
                    weight.iter_mut().zip(other).zip(own.row(y)).for_each(|((s, a), b)| *s += (a - b).abs());
                }
                for (s, t) in weight.iter_mut().zip(&mut total) {
                    let e = (1.0 - *s * *s * k).max(0.0);
                    let e2 = e * e;
                    let e4 = e2 * e2;
                    *s = near * e4 * e4;
                    *t += *s;
                }
                for (plane, to) in padded.iter().zip(&mut out) {
                    let other = &plane.d[(y + dy) * pw + dx..(y + dy) * pw + dx + w];
                    let to = &mut to.d[y * w..(y + 1) * w];
                    to.iter_mut().zip(other).zip(&weight).for_each(|((o, v), s)| *o += v * s);
                }
            }
        }
        for plane in &mut out {
            plane.d[y * w..(y + 1) * w].iter_mut().zip(&total).for_each(|(o, t)| *o /= t);
        }
    }
    out
}

/// A border of repeated pixels.
fn pad(p: &Plane, r: usize) -> Plane {
    let inside = |v: usize, n: usize| v.saturating_sub(r).min(n - 1);
    Plane::from_fn(p.w + 2 * r, p.h + 2 * r, |x, y| p.at(inside(x, p.w), inside(y, p.h)))
}

/// Kuwahara filter with four quadrants of `k` x `k` pixels, each weighted by its evenness: flat areas with clear edges, as
/// if painted.
pub(crate) fn kuwahara(p: &Picture, k: usize) -> Picture {
    let (w, h) = (p.w(), p.h());
    let mut grey = Plane::new(w, h, 0.0);
    for i in 0..w * h {
        let [r, g, b] = p.get(i);
        grey.d[i] = 0.3 * r + 0.59 * g + 0.11 * b;
    }
    // means over the squares whose lower right corner is the pixel, on a canvas with room at all sides
    let mean = |p: &Plane| corner_mean(&pad(p, k), k);
    let means: [Plane; 3] = std::array::from_fn(|c| mean(&p.0[c]));
    let (m, m2) = (mean(&grey), mean(&grey.map(|v| v * v)));
    let weight = m2.zip(&m, |s, m| {
        let v = ((s - m * m).max(0.0) + 2e-5) * 1e4;
        1.0 / (v * v * v * v)
    });
    let mut out = Picture::new(w, h, [0.0; 3]);
    let pw = w + 2 * k;
    for y in 0..h {
        for x in 0..w {
            let base = (y + k) * pw + x + k;
            let corners = [base, base + k - 1, base + (k - 1) * pw, base + (k - 1) * pw + k - 1];
            let (mut sum, mut total) = ([0.0f32; 3], 0.0f32);
            for i in corners {
                let share = weight.d[i];
                total += share;
                sum.iter_mut().zip(&means).for_each(|(s, m)| *s += m.d[i] * share);
            }
            out.set(y * w + x, sum.map(|s| s / total));
        }
    }
    out
}

/// Mean of the `k` x `k` pixels up and left of each, itself included.
fn corner_mean(p: &Plane, k: usize) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut across = p.clone();
    for y in 0..h {
        let row = p.row(y);
        let to = &mut across.d[y * w..(y + 1) * w];
        for d in 1..k {
            to[d..].iter_mut().zip(row).for_each(|(o, v)| *o += v);
        }
    }
    let mut out = across.clone();
    let scale = 1.0 / (k * k) as f32;
    for y in 0..h {
        let to = &mut out.d[y * w..(y + 1) * w];
        for d in 1..k.min(y + 1) {
            to.iter_mut().zip(across.row(y - d)).for_each(|(o, v)| *o += v);
        }
        to.iter_mut().for_each(|v| *v *= scale);
    }
    out
}
