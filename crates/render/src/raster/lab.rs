//! sRGB (0..1) to CIE Lab under D65 (L 0..100) and back.

use std::sync::LazyLock;

use super::Picture;

const WHITE: [f32; 3] = [0.950_456, 1.0, 1.088_754];
const STEPS: usize = 4096;

/// sRGB byte-like value to linear light, by table: the curve needs a power otherwise.
static LINEAR: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let curve = |v: f32| if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    (0..=STEPS + 1).map(|i| curve(i as f32 / STEPS as f32)).collect()
});

/// Linear light to sRGB, over the square root of light so that dark values get enough of the table.
static CURVED: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let curve = |v: f32| if v <= 0.003_130_8 { v * 12.92 } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
    (0..=STEPS + 1).map(|i| curve((i as f32 / STEPS as f32).powi(2))).collect()
});

/// The cube root part of Lab, also over the square root of its argument.
static ROOT: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let f = |t: f32| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    (0..=STEPS + 1).map(|i| f((i as f32 / STEPS as f32).powi(2) * 1.1)).collect()
});

fn table(values: &[f32], x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0) * STEPS as f32;
    let i = x as usize;
    let t = x - i as f32;
    values[i] * (1.0 - t) + values[i + 1] * t
}

/// One colour to Lab.
pub(crate) fn from_rgb(rgb: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|v| table(&LINEAR, v));
    let xyz = [
        0.412_453 * r + 0.357_58 * g + 0.180_423 * b,
        0.212_671 * r + 0.715_16 * g + 0.072_169 * b,
        0.019_334 * r + 0.119_193 * g + 0.950_227 * b,
    ];
    let [x, y, z]: [f32; 3] = std::array::from_fn(|i| table(&ROOT, (xyz[i] / WHITE[i] / 1.1).sqrt()));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// One colour from Lab, clamped to what a screen shows.
pub(crate) fn to_rgb(lab: [f32; 3]) -> [f32; 3] {
    let y = (lab[0] + 16.0) / 116.0;
    let back = |t: f32| if t > 0.206_893 { t * t * t } else { (t - 16.0 / 116.0) / 7.787 };
    let [x, y, z] = [back(y + lab[1] / 500.0) * WHITE[0], back(y), back(y - lab[2] / 200.0) * WHITE[2]];
    [
        3.240_479 * x - 1.537_15 * y - 0.498_535 * z,
        -0.969_256 * x + 1.875_991 * y + 0.041_556 * z,
        0.055_648 * x - 0.204_043 * y + 1.057_311 * z,
    ]
    .map(|v| table(&CURVED, v.clamp(0.0, 1.0).sqrt()))
}

/// A whole picture to Lab.
pub(crate) fn picture_from_rgb(p: &Picture) -> Picture {
    each(p, from_rgb)
}

/// A whole picture from Lab.
pub(crate) fn picture_to_rgb(p: &Picture) -> Picture {
    each(p, to_rgb)
}

fn each(p: &Picture, f: impl Fn([f32; 3]) -> [f32; 3]) -> Picture {
    let mut out = p.clone();
    for i in 0..p.0[0].d.len() {
        out.set(i, f(p.get(i)));
    }
    out
}

/// Distance from grey.
pub(crate) fn chroma(lab: [f32; 3]) -> f32 {
    lab[1].hypot(lab[2])
}
