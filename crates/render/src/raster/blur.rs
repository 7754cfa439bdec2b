//! Blurs. Cost does not depend on the radius for boxes; borders repeat the last pixel.

use super::Plane;

/// Mean over a square of side `2 * r + 1`.
pub(crate) fn boxed(p: &Plane, r: usize) -> Plane {
    down(&across(p, r), r)
}

/// Rows at a time in [`across`]: one running sum waits for itself, four do not.
const TOGETHER: usize = 4;

fn across(p: &Plane, r: usize) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut out = Plane::new(w, h, 0.0);
    let (ri, k) = (r as isize, 1.0 / (2 * r + 1) as f64);
    let clamp = |i: isize| i.clamp(0, w as isize - 1) as usize;
    for top in (0..h).step_by(TOGETHER) {
        let rows: [usize; TOGETHER] = std::array::from_fn(|j| (top + j).min(h - 1) * w);
        let mut sums = rows.map(|row| (-ri..=ri).map(|i| f64::from(p.d[row + clamp(i)])).sum::<f64>());
        for x in 0..w {
            let (plus, minus) = (clamp(x as isize + ri + 1), clamp(x as isize - ri));
            for (sum, row) in sums.iter_mut().zip(rows) {
                out.d[row + x] = (*sum * k) as f32;
                *sum += f64::from(p.d[row + plus]) - f64::from(p.d[row + minus]);
            }
        }
    }
    out
}

/// Columns, kept as one running row of sums so that the inner loop is over neighbours in memory.
fn down(p: &Plane, r: usize) -> Plane {
    let (w, h) = (p.w, p.h);
    let mut out = Plane::new(w, h, 0.0);
    let clamp = |y: isize| y.clamp(0, h as isize - 1) as usize;
    let (ri, k) = (r as isize, 1.0 / (2 * r + 1) as f32);
    let mut sum = vec![0.0f32; w];
    for y in -ri..=ri {
        for (s, v) in sum.iter_mut().zip(p.row(clamp(y))) {
            *s += v;
        }
    }
    for y in 0..h {
        let (plus, minus) = (p.row(clamp(y as isize + ri + 1)), p.row(clamp(y as isize - ri)));
        let to = &mut out.d[y * w..(y + 1) * w];
        for (((s, o), a), b) in sum.iter_mut().zip(to).zip(plus).zip(minus) {
            *o = *s * k;
            *s += a - b;
        }
    }
    out
}

/// Gaussian blur: a short kernel below sigma 3, else three boxes (within 3 % of the true curve).
pub(crate) fn gaussian(p: &Plane, sigma: f32) -> Plane {
    if sigma < 0.2 {
        p.clone()
    } else if sigma < 3.0 {
        kernel(p, sigma)
    } else {
        let mut out = p.clone();
        for r in box_radii(sigma) {
            out = boxed(&out, r);
        }
        out
    }
}

/// Radii of three boxes whose variances add up to that of the Gaussian.
fn box_radii(sigma: f32) -> [usize; 3] {
    let ideal = (4.0 * sigma * sigma + 1.0).sqrt();
    let low = ((ideal as usize).saturating_sub(1) / 2) * 2 + 1;
    let lf = low as f32;
    let few = ((12.0 * sigma * sigma - 3.0 * lf * lf - 12.0 * lf - 9.0) / (-4.0 * lf - 4.0)).round() as usize;
    std::array::from_fn(|i| if i < few { low / 2 } else { low / 2 + 1 })
}

fn kernel(p: &Plane, sigma: f32) -> Plane {
    let r = (sigma * 2.5).ceil() as usize;
    let mut weights: Vec<f32> = (0..=r).map(|i| (-0.5 * (i as f32 / sigma).powi(2)).exp()).collect();
    let sum = weights[0] + 2.0 * weights[1..].iter().sum::<f32>();
    weights.iter_mut().for_each(|w| *w /= sum);
    let (w, h) = (p.w, p.h);
    let mut across = Plane::new(w, h, 0.0);
    let mut padded = vec![0.0f32; w + 2 * r];
    for y in 0..h {
        let row = p.row(y);
        padded[..r].fill(row[0]);
        padded[r..r + w].copy_from_slice(row);
        padded[r + w..].fill(row[w - 1]);
        let to = &mut across.d[y * w..(y + 1) * w];
        for (k, weight) in weights.iter().enumerate() {
            let (left, right) = (&padded[r - k..r - k + w], &padded[r + k..r + k + w]);
            if k == 0 {
                to.iter_mut().zip(left).for_each(|(o, a)| *o = a * weight);
            } else {
                to.iter_mut().zip(left).zip(right).for_each(|((o, a), b)| *o += (a + b) * weight);
            }
        }
    }
    let mut out = Plane::new(w, h, 0.0);
    for y in 0..h {
        for (k, weight) in weights.iter().enumerate() {
            let (up, low) = (across.row(y.saturating_sub(k)), across.row((y + k).min(h - 1)));
            let to = &mut out.d[y * w..(y + 1) * w];
            if k == 0 {
                to.iter_mut().zip(up).for_each(|(o, a)| *o = a * weight);
            } else {
                to.iter_mut().zip(up).zip(low).for_each(|((o, a), b)| *o += (a + b) * weight);
            }
        }
    }
    out
}
