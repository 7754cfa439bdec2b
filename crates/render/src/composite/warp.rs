//! Expressions bend the face: landmarks with displacements, a smooth field between them, pulled backwards.
//!
//! The field is solved at the destinations and applied backwards, so no hole can open. Two rings round the face hold
//! still: without them hats and hair would bend along.

use crate::face::eyes;
use crate::face::points::{CHIN, EYES, JAW, SIDES};
use crate::raster::Plane;
use crate::template::{Expression, Lid};

pub(crate) const UPPER_INNER: [usize; 9] = [191, 80, 81, 82, 13, 312, 311, 310, 415];
pub(crate) const LOWER_INNER: [usize; 9] = [95, 88, 178, 87, 14, 317, 402, 318, 324];
const UPPER_OUTER: [usize; 9] = [185, 40, 39, 37, 0, 267, 269, 270, 409];
const LOWER_OUTER: [usize; 9] = [146, 91, 181, 84, 17, 314, 405, 321, 375];
const CORNERS: [usize; 4] = [61, 291, 78, 308];
/// Inner to outer, upper row then lower row.
pub(crate) const BROWS: [[usize; 10]; 2] =
    [[107, 66, 105, 63, 70, 55, 65, 52, 53, 46], [336, 296, 334, 293, 300, 285, 295, 282, 283, 276]];
const UPPER_LID: [[usize; 7]; 2] = [[246, 161, 160, 159, 158, 157, 173], [466, 388, 387, 386, 385, 384, 398]];
const LOWER_LID: [[usize; 7]; 2] = [[7, 163, 144, 145, 153, 154, 155], [249, 390, 373, 374, 380, 381, 382]];
const FIXED: [usize; 37] = [
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 127, 162, 21, 54, 103, 67, 109, 234, 93, 132, 1, 2,
    4, 5, 195, 6, 168, 48, 278, 98, 327, 117, 346, 9, 151, 108,
];
const FIXED_BROW: usize = 337;
const RING: [usize; 20] =
    [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 127, 162, 21, 54, 103, 67, 109, 234, 93];
const RING_LAST: usize = 132;
const RINGS: [f32; 2] = [1.25, 1.6];
/// Reach of a control point, in distances between the eyes.
const REACH: f32 = 1.25;
const RIDGE: f32 = 1e-2;
/// Spacing of the field's nodes in px.
const GRID: usize = 6;

/// A field of displacements and where the landmarks go.
pub(crate) struct Warp {
    nodes: Plane,
    nodes_y: Plane,
    /// The landmarks after the warp.
    pub points: Vec<[f32; 2]>,
    /// Distance between the eyes.
    pub ied: f32,
}

impl Warp {
    /// The field of an expression over a picture of `w` x `h`.
    pub fn new(points: &[[f32; 2]], expression: &Expression, w: usize, h: usize) -> Warp {
        let (left, right) = eyes(points);
        let ied = (right[0] - left[0]).hypot(right[1] - left[1]).max(1.0);
        let mut moves = Moves { at: vec![None; points.len()], ied };
        FIXED.iter().chain([&FIXED_BROW]).for_each(|i| moves.add(*i, 0.0, 0.0));
        mouth(&mut moves, points, expression);
        jaw(&mut moves, points, expression);
        brows(&mut moves, expression);
        eyelids(&mut moves, points, expression);
        let moved: Vec<(usize, [f32; 2])> =
            moves.at.iter().enumerate().filter_map(|(i, m)| m.map(|m| (i, m))).collect();
        let mut controls: Vec<([f32; 2], [f32; 2])> =
            moved.iter().map(|(i, m)| ([points[*i][0] + m[0], points[*i][1] + m[1]], *m)).collect();
        let root = points[168];
        for factor in RINGS {
            for i in RING.iter().chain([&RING_LAST]) {
                let far = std::array::from_fn(|k| root[k] + (points[*i][k] - root[k]) * factor);
                controls.push((far, [0.0; 2]));
            }
        }
        let field = Field::solve(&controls, REACH * ied);
        let (nodes, nodes_y) = field.on_grid(w, h);
        let mut warped = forward(&field, points);
        moved.iter().for_each(|(i, m)| warped[*i] = [points[*i][0] + m[0], points[*i][1] + m[1]]);
        Warp { nodes, nodes_y, points: warped, ied }
    }

    /// Where the pixel shown at a place comes from.
    pub fn source(&self, x: f32, y: f32) -> [f32; 2] {
        let n = &self.nodes;
        let (gx, gy) = (
            (x / GRID as f32).clamp(0.0, n.w as f32 - 1.001),
            (y / GRID as f32).clamp(0.0, n.h as f32 - 1.001),
        );
        let (x0, y0) = (gx as usize, gy as usize);
        let (tx, ty) = (gx - x0 as f32, gy - y0 as f32);
        let i = y0 * n.w + x0;
        let mix = |p: &Plane| {
            let (top, low) =
                (p.d[i] + (p.d[i + 1] - p.d[i]) * tx, p.d[i + n.w] + (p.d[i + n.w + 1] - p.d[i + n.w]) * tx);
            top + (low - top) * ty
        };
        [x - mix(n), y - mix(&self.nodes_y)]
    }
}

/// Displacements of landmarks in px; absent ones are free.
struct Moves {
    at: Vec<Option<[f32; 2]>>,
    ied: f32,
}

impl Moves {
    /// Adds a displacement given in distances between the eyes.
    fn add(&mut self, i: usize, x: f32, y: f32) {
        let now = self.at[i].unwrap_or([0.0; 2]);
        self.at[i] = Some([now[0] + x * self.ied, now[1] + y * self.ied]);
    }
}

fn mouth(moves: &mut Moves, points: &[[f32; 2]], e: &Expression) {
    let middle = (points[61][0] + points[291][0]) / 2.0;
    let half = ((points[291][0] - points[61][0]).abs() / 2.0).max(1.0);
    let upper = |i: &usize| UPPER_OUTER.contains(i) || UPPER_INNER.contains(i);
    let lower = |i: &usize| LOWER_OUTER.contains(i) || LOWER_INNER.contains(i);
    for i in UPPER_OUTER.iter().chain(&LOWER_OUTER).chain(&UPPER_INNER).chain(&LOWER_INNER).chain(&CORNERS) {
        let t = ((points[*i][0] - middle) / half).clamp(-1.0, 1.0);
        let s = 1.0 - t * t;
        moves.add(*i, e.cornx * t, (e.corny + e.frown) * t * t);
        moves.add(*i, e.skew * 0.6, -0.5 * e.skew * (1.0 + t) / 2.0);
        if upper(i) {
            moves.add(*i, 0.0, e.up * s);
        }
        if lower(i) {
            moves.add(*i, 0.0, e.open * s.powf(0.6));
        }
    }
}

fn jaw(moves: &mut Moves, points: &[[f32; 2]], e: &Expression) {
    let ears = (points[SIDES[0]][1] + points[SIDES[1]][1]) / 2.0;
    let length = (points[CHIN][1] - ears).max(1.0);
    for i in &JAW[2..JAW.len() - 2] {
        let t = ((points[*i][1] - ears) / length).clamp(0.0, 1.0);
        moves.add(*i, 0.0, 0.55 * e.open * t.powf(1.6));
    }
    for i in [199, 175, 200] {
        moves.add(i, 0.0, 0.62 * e.open);
    }
    for i in [205, 425] {
        moves.add(i, 0.0, if e.corny < 0.0 { 0.35 * e.corny } else { 0.0 });
    }
}

fn brows(moves: &mut Moves, e: &Expression) {
    for (side, sign) in [(0, -1.0f32), (1, 1.0)] {
        for row in BROWS[side].chunks(5) {
            for (n, i) in row.iter().enumerate() {
                let t = n as f32 / 4.0;
                moves.add(*i, -sign * e.pinch * (1.0 - t), e.browi[side] * (1.0 - t) + e.browo[side] * t);
            }
        }
    }
}

fn eyelids(moves: &mut Moves, points: &[[f32; 2]], e: &Expression) {
    for side in 0..2 {
        if e.lid[side] != Lid::Open {
            continue;
        }
        let ring = &EYES[side];
        let centre: [f32; 2] =
            std::array::from_fn(|k| ring.iter().map(|i| points[*i][k]).sum::<f32>() / ring.len() as f32);
        for i in ring {
            let d: [f32; 2] = std::array::from_fn(|k| (points[*i][k] - centre[k]) / moves.ied);
            moves.add(*i, d[0] * e.eyes, d[1] * e.eyes * 1.35);
            if UPPER_LID[side].contains(i) {
                moves.add(*i, 0.0, e.squint[side] * d[1].abs());
            }
            if LOWER_LID[side].contains(i) {
                moves.add(*i, 0.0, -0.6 * e.squint[side] * d[1].abs());
            }
        }
    }
}

/// Weights of Wendland kernels about the destinations.
struct Field {
    x: Vec<f32>,
    y: Vec<f32>,
    wx: Vec<f32>,
    wy: Vec<f32>,
    reach: f32,
}

fn wendland(r: f64) -> f64 {
    let k = (1.0 - r).max(0.0);
    k.powi(4) * (4.0 * r + 1.0)
}

impl Field {
    /// Solves for the weights; the matrix is positive definite, so Cholesky's way does it.
    fn solve(controls: &[([f32; 2], [f32; 2])], reach: f32) -> Field {
        let n = controls.len();
        let mut m = vec![0.0f64; n * n];
        for i in 0..n {
            for j in 0..=i {
                let (a, b) = (controls[i].0, controls[j].0);
                let r = f64::from((a[0] - b[0]).hypot(a[1] - b[1]) / reach);
                m[i * n + j] = wendland(r) + if i == j { f64::from(RIDGE) } else { 0.0 };
            }
        }
        for i in 0..n {
            for j in 0..=i {
                let dot: f64 = (0..j).map(|k| m[i * n + k] * m[j * n + k]).sum();
                let v = m[i * n + j] - dot;
                m[i * n + j] = if i == j { v.max(1e-12).sqrt() } else { v / m[j * n + j] };
            }
        }
        let side = |axis: usize| -> Vec<f32> {
            let mut v: Vec<f64> = controls.iter().map(|c| f64::from(c.1[axis])).collect();
            for i in 0..n {
                let dot: f64 = (0..i).map(|k| m[i * n + k] * v[k]).sum();
                v[i] = (v[i] - dot) / m[i * n + i];
            }
            for i in (0..n).rev() {
                let dot: f64 = (i + 1..n).map(|k| m[k * n + i] * v[k]).sum();
                v[i] = (v[i] - dot) / m[i * n + i];
            }
            v.into_iter().map(|w| w as f32).collect()
        };
        Field {
            wx: side(0),
            wy: side(1),
            x: controls.iter().map(|c| c.0[0]).collect(),
            y: controls.iter().map(|c| c.0[1]).collect(),
            reach,
        }
    }

    fn at(&self, x: f32, y: f32) -> [f32; 2] {
        let k = 1.0 / self.reach;
        let (mut sx, mut sy) = (0.0f32, 0.0f32);
        for i in 0..self.x.len() {
            let (dx, dy) = ((x - self.x[i]) * k, (y - self.y[i]) * k);
            let r = (dx * dx + dy * dy).sqrt();
            let near = (1.0 - r).max(0.0);
            let near = near * near;
            let phi = near * near * (4.0 * r + 1.0);
            sx += phi * self.wx[i];
            sy += phi * self.wy[i];
        }
        [sx, sy]
    }

    fn on_grid(&self, w: usize, h: usize) -> (Plane, Plane) {
        let (gw, gh) = (w / GRID + 2, h / GRID + 2);
        let (mut px, mut py) = (Plane::new(gw, gh, 0.0), Plane::new(gw, gh, 0.0));
        let within = |v: f32, all: &[f32]| all.iter().any(|c| (c - v).abs() < self.reach);
        for y in 0..gh {
            let fy = (y * GRID) as f32;
            if !within(fy, &self.y) {
                continue;
            }
            for x in 0..gw {
                let d = self.at((x * GRID) as f32, fy);
                (px.d[y * gw + x], py.d[y * gw + x]) = (d[0], d[1]);
            }
        }
        (px, py)
    }
}

/// Where the free landmarks go: the fixed point of q = L + F(q).
fn forward(field: &Field, points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    points
        .iter()
        .map(|p| {
            let mut q = *p;
            for _ in 0..6 {
                let d = field.at(q[0], q[1]);
                q = [p[0] + d[0], p[1] + d[1]];
            }
            q
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Landmarks on a plain face: everything in a column below the eyes but what the test looks at.
    fn face() -> Vec<[f32; 2]> {
        let mut p: Vec<[f32; 2]> =
            (0..468).map(|i| [150.0 + (i % 21) as f32 * 2.0, 150.0 + (i / 21) as f32 * 3.0]).collect();
        let ring = |k: usize, n: usize| (k as f32 / n as f32 * std::f32::consts::TAU).sin_cos();
        for (k, i) in crate::face::points::OVAL.iter().enumerate() {
            let (s, c) = ring(k, 36);
            p[*i] = [170.0 + 70.0 * s, 180.0 - 98.0 * c];
        }
        for (eye, x) in EYES.iter().zip([135.0, 205.0]) {
            for (k, i) in eye.iter().enumerate() {
                let (s, c) = ring(k, 16);
                p[*i] = [x - 14.0 * c, 165.0 - 6.0 * s];
            }
        }
        for (row, y) in
            [(UPPER_INNER, 228.0), (LOWER_INNER, 229.0), (UPPER_OUTER, 222.0), (LOWER_OUTER, 236.0)]
        {
            row.iter().enumerate().for_each(|(k, i)| p[*i] = [146.0 + k as f32 * 6.0, y]);
        }
        [(61, 140.0), (291, 200.0), (78, 142.0), (308, 198.0)].iter().for_each(|(i, x)| p[*i] = [*x, 228.0]);
        p
    }

    fn neutral() -> Expression {
        Expression {
            eyes: 0.0,
            cornx: 0.0,
            corny: 0.0,
            open: 0.0,
            up: 0.0,
            skew: 0.0,
            browi: [0.0; 2],
            browo: [0.0; 2],
            lid: [Lid::Open; 2],
            squint: [0.0; 2],
            blush: 0.0,
            tears: 0.0,
            heart: 0.0,
            drool: 0.0,
            red: 0.0,
            sparkle: 0.0,
            frown: 0.0,
            pinch: 0.0,
            teeth: 1.0,
            tongue: 1.0,
        }
    }

    #[test]
    fn a_face_without_expression_stays_as_it_is() {
        let warp = Warp::new(&face(), &neutral(), 340, 340);
        let p = warp.source(170.0, 228.0);
        assert!((p[0] - 170.0).abs() < 0.01 && (p[1] - 228.0).abs() < 0.01, "{p:?}");
    }

    #[test]
    fn an_open_mouth_takes_the_lower_lip_and_the_chin_along_and_leaves_the_forehead() {
        let (before, open) = (face(), Expression { open: 0.5, ..neutral() });
        let warp = Warp::new(&before, &open, 340, 340);
        let down = |i: usize| warp.points[i][1] - before[i][1];
        assert!((down(14) - 0.5 * warp.ied).abs() < 2.0, "lower lip {}", down(14));
        assert!(down(13).abs() < 0.5, "upper lip {}", down(13));
        assert!(down(CHIN) > 0.2 * warp.ied, "chin {}", down(CHIN));
        assert_eq!(down(10), 0.0);
        // what is shown between the lips comes from the lip above it
        assert!(warp.source(170.0, 250.0)[1] < 245.0);
    }

    #[test]
    fn a_smile_lifts_both_corners_and_widens_the_mouth() {
        let (before, smile) = (face(), Expression { cornx: 0.14, corny: -0.17, ..neutral() });
        let warp = Warp::new(&before, &smile, 340, 340);
        assert!(warp.points[61][0] < before[61][0] - 5.0 && warp.points[291][0] > before[291][0] + 5.0);
        assert!(warp.points[61][1] < before[61][1] - 5.0 && warp.points[291][1] < before[291][1] - 5.0);
    }
}
