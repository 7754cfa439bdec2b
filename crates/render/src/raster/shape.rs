//! Shapes: distances, growing and shrinking, connected parts, filled polygons.

use super::Plane;

const FAR: f32 = 1e12;

/// Distance of every pixel to the nearest that `counts`, in pixels; very large when none does.
///
/// Exact, by lower envelopes of parabolas, first down the columns and then along the rows: the cost does not depend on any
/// radius.
pub(crate) fn distance_to(p: &Plane, counts: impl Fn(f32) -> bool) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut steps = down_the_columns(p, counts);
    let mut envelope = Envelope { at: vec![0; w], from: vec![0.0; w + 1] };
    let mut squares = vec![0.0f32; w];
    for y in 0..h {
        let row = &mut steps.d[y * w..(y + 1) * w];
        squares.iter_mut().zip(&*row).for_each(|(s, v)| *s = if *v >= 1e6 { FAR } else { v * v });
        envelope.along(&squares, row);
    }
    steps
}

/// Distances along the columns alone: a walk, two sweeps over whole rows.
fn down_the_columns(p: &Plane, counts: impl Fn(f32) -> bool) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut steps = Plane { w, h, d: p.d.iter().map(|v| if counts(*v) { 0.0 } else { 1e6 }).collect() };
    for y in 1..h {
        let (above, below) = steps.d.split_at_mut(y * w);
        let above = &above[(y - 1) * w..];
        below[..w].iter_mut().zip(above).for_each(|(v, a)| *v = v.min(a + 1.0));
    }
    for y in (0..h - 1).rev() {
        let (above, below) = steps.d.split_at_mut((y + 1) * w);
        above[y * w..].iter_mut().zip(&below[..w]).for_each(|(v, b)| *v = v.min(b + 1.0));
    }
    steps
}

/// As [`distance_to`], but only right up to `reach`; further away the answer is some number above it. Much cheaper for the
/// short reaches of growing and shrinking: a few additions a pixel that the compiler turns into vector code.
pub(crate) fn distance_within(p: &Plane, reach: f32, counts: impl Fn(f32) -> bool) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut out = down_the_columns(p, counts);
    let r = (reach.ceil() as usize + 1).min(w.saturating_sub(1));
    let mut squares = vec![0.0f32; w];
    for y in 0..h {
        let row = &mut out.d[y * w..(y + 1) * w];
        if row.iter().all(|v| *v > reach) {
            continue;
        }
        squares.iter_mut().zip(&*row).for_each(|(s, v)| *s = v * v);
        row.copy_from_slice(&squares);
        for d in 1..=r {
            let far = (d * d) as f32;
            row[d..].iter_mut().zip(&squares).for_each(|(o, s)| *o = o.min(s + far));
            row.iter_mut().zip(&squares[d..]).for_each(|(o, s)| *o = o.min(s + far));
        }
        row.iter_mut().for_each(|v| *v = v.sqrt());
    }
    out
}

/// Scratch space of one row.
struct Envelope {
    at: Vec<usize>,
    from: Vec<f32>,
}

impl Envelope {
    fn along(&mut self, f: &[f32], out: &mut [f32]) {
        let n = f.len();
        let mut k = 0;
        self.at[0] = 0;
        (self.from[0], self.from[1]) = (f32::MIN, f32::MAX);
        for q in 1..n {
            let cross =
                |p: usize| ((f[q] + (q * q) as f32) - (f[p] + (p * p) as f32)) / (2.0 * (q - p) as f32);
            let mut s = cross(self.at[k]);
            while s <= self.from[k] && k > 0 {
                k -= 1;
                s = cross(self.at[k]);
            }
            k += 1;
            self.at[k] = q;
            (self.from[k], self.from[k + 1]) = (s, f32::MAX);
        }
        k = 0;
        for (q, v) in out.iter_mut().enumerate() {
            while self.from[k + 1] < q as f32 {
                k += 1;
            }
            let p = self.at[k];
            let d = q as f32 - p as f32;
            *v = (d * d + f[p]).sqrt();
        }
    }
}

/// 1 within `r` of what counts, else 0.
pub(crate) fn grown(p: &Plane, r: f32) -> Plane {
    distance_within(p, r, |v| v > 0.5).map(|d| if d <= r { 1.0 } else { 0.0 })
}

/// 1 where everything within `r` counts, else 0.
pub(crate) fn shrunk(p: &Plane, r: f32) -> Plane {
    distance_within(p, r, |v| v <= 0.5).map(|d| if d > r { 1.0 } else { 0.0 })
}

/// Shrunk, then grown: thin things vanish.
pub(crate) fn opened(p: &Plane, r: f32) -> Plane {
    grown(&shrunk(p, r), r)
}

/// Grown, then shrunk: small gaps vanish.
pub(crate) fn closed(p: &Plane, r: f32) -> Plane {
    shrunk(&grown(p, r), r)
}

/// Connected parts of what is above 0.5.
pub(crate) struct Parts {
    /// Part of each pixel, from 1; 0 for none.
    pub label: Vec<u32>,
    /// Pixels of each part; the first entry is unused.
    pub size: Vec<usize>,
    /// Whether a part touches the border.
    pub at_border: Vec<bool>,
}

/// Connected parts; `corners` says whether touching at a corner is enough.
pub(crate) fn parts(p: &Plane, corners: bool) -> Parts {
    let (w, h) = (p.w, p.h);
    let mut out = Parts { label: vec![0; w * h], size: vec![0], at_border: vec![false] };
    let mut open = Vec::new();
    for start in 0..w * h {
        if p.d[start] <= 0.5 || out.label[start] != 0 {
            continue;
        }
        let id = out.size.len() as u32;
        out.size.push(0);
        out.at_border.push(false);
        out.label[start] = id;
        open.push(start);
        while let Some(i) = open.pop() {
            let (x, y) = (i % w, i / w);
            out.size[id as usize] += 1;
            out.at_border[id as usize] |= x == 0 || y == 0 || x + 1 == w || y + 1 == h;
            for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)] {
                if !corners && dx != 0 && dy != 0 {
                    break;
                }
                let (nx, ny) = (x as isize + dx, y as isize + dy);
                if nx < 0 || ny < 0 || nx >= w as isize || ny >= h as isize {
                    continue;
                }
                let j = ny as usize * w + nx as usize;
                if p.d[j] > 0.5 && out.label[j] == 0 {
                    out.label[j] = id;
                    open.push(j);
                }
            }
        }
    }
    out
}

/// 1 inside a polygon (even-odd), 0 outside, by pixel centres.
pub(crate) fn polygon(w: usize, h: usize, points: &[[f32; 2]]) -> Plane {
    let mut out = Plane::new(w, h, 0.0);
    let mut cuts: Vec<f32> = Vec::new();
    for y in 0..h {
        let at = y as f32;
        cuts.clear();
        for (i, a) in points.iter().enumerate() {
            let b = points[(i + 1) % points.len()];
            if (a[1] <= at) != (b[1] <= at) {
                cuts.push(a[0] + (at - a[1]) / (b[1] - a[1]) * (b[0] - a[0]));
            }
        }
        cuts.sort_by(f32::total_cmp);
        for pair in cuts.chunks_exact(2) {
            let (from, to) =
                (pair[0].ceil().max(0.0) as usize, (pair[1].floor() + 1.0).clamp(0.0, w as f32) as usize);
            if from < to {
                out.d[y * w + from..y * w + to].fill(1.0);
            }
        }
    }
    out
}

/// Calls `f` with every index of a disc inside the plane.
pub(crate) fn disc(w: usize, h: usize, centre: [f32; 2], r: f32, mut f: impl FnMut(usize)) {
    let low = |c: f32| (c - r).ceil().max(0.0) as usize;
    let high = |c: f32, n: usize| ((c + r).floor().max(-1.0) as isize).min(n as isize - 1);
    for y in low(centre[1]) as isize..=high(centre[1], h) {
        for x in low(centre[0]) as isize..=high(centre[0], w) {
            if (x as f32 - centre[0]).hypot(y as f32 - centre[1]) <= r {
                f(y as usize * w + x as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_nearest_counting_pixel() {
        let p = Plane::from_fn(9, 7, |x, y| if (x, y) == (2, 3) || (x, y) == (8, 0) { 1.0 } else { 0.0 });
        let d = distance_to(&p, |v| v > 0.5);
        for y in 0..7 {
            for x in 0..9 {
                let to = |px: f32, py: f32| (x as f32 - px).hypot(y as f32 - py);
                assert!((d.at(x, y) - to(2.0, 3.0).min(to(8.0, 0.0))).abs() < 1e-4, "at {x}, {y}");
            }
        }
        assert!(distance_to(&Plane::new(4, 4, 0.0), |v| v > 0.5).d.iter().all(|d| *d > 1e5));
    }

    #[test]
    fn distances_within_a_reach_are_the_same_as_without_one() {
        let p = Plane::from_fn(40, 30, |x, y| if (x * 7 + y * 13) % 97 == 0 { 1.0 } else { 0.0 });
        let (all, near) = (distance_to(&p, |v| v > 0.5), distance_within(&p, 4.0, |v| v > 0.5));
        for (a, b) in all.d.iter().zip(&near.d) {
            assert!(if *a <= 4.0 { (a - b).abs() < 1e-4 } else { *b > 4.0 }, "{a} and {b}");
        }
    }

    #[test]
    fn opening_drops_a_thin_bridge_and_closing_fills_a_thin_gap() {
        let bridge =
            Plane::from_fn(40, 20, |x, y| if !(12..=28).contains(&x) || y == 10 { 1.0 } else { 0.0 });
        assert_eq!(opened(&bridge, 3.0).at(20, 10), 0.0);
        assert_eq!(opened(&bridge, 3.0).at(5, 10), 1.0);
        assert_eq!(closed(&bridge.map(|v| 1.0 - v), 3.0).at(20, 10), 1.0);
    }

    #[test]
    fn parts_that_touch_at_a_corner_are_one_only_when_corners_count() {
        let p = Plane::from_fn(4, 4, |x, y| if (x < 2) == (y < 2) { 1.0 } else { 0.0 });
        assert_eq!(parts(&p, true).size.len(), 2);
        assert_eq!(parts(&p, false).size, [0, 4, 4]);
    }

    #[test]
    fn a_polygon_is_filled_between_its_edges() {
        let p = polygon(10, 10, &[[2.0, 2.0], [7.0, 2.0], [7.0, 7.0], [2.0, 7.0]]);
        assert_eq!(p.d.iter().sum::<f32>(), 6.0 * 5.0);
        assert_eq!((p.at(2, 3), p.at(1, 3), p.at(7, 3), p.at(8, 3)), (1.0, 0.0, 1.0, 0.0));
    }
}
