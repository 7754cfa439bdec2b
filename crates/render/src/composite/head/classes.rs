//! What colours hair, skin and clothes of this guest have, and for every pixel how likely it is hair.
//!
//! Learnt and judged at half the patch's size: the answers are smooth, and it is a quarter of the work.

#[cfg(test)]
pub(super) mod tests;

use super::patch::{FACE_HEIGHT, PATCH, Patch};
use crate::face::points::{SIDES, SKIN, TOP};
use crate::raster::blur::gaussian;
use crate::raster::filter::{Guide, bilateral};
use crate::raster::lab::{self, chroma};
use crate::raster::sample::{halved, resample};
use crate::raster::shape::disc;
use crate::raster::{Picture, Plane, median, percentile, smoothstep};

/// Side of the half patch, and the face's height in it.
const SIDE: usize = PATCH / 2;
const FACE: f32 = FACE_HEIGHT / 2.0;
/// Fewer pixels than this teach nothing.
const LEARN_MIN_PX: usize = 37;
const CHIN_PLACES: [usize; 6] = [199, 175, 171, 396, 208, 428];
const LIDS: [usize; 8] = [159, 145, 386, 374, 160, 144, 385, 380];
/// Radius of the discs that colours are taken from.
const DISC_PX: f32 = 3.15;

/// How much the colours of the surroundings speak against hair: little, for blond hair before a wall of its colour.
const AROUND_PART: f32 = 0.3;
/// The same below the jaw line, where only hair that hangs on the head counts anyway.
const AROUND_PART_LOW: f32 = 0.1;

/// Colours and probabilities.
pub(super) struct Classes {
    /// How likely a pixel is hair, nearer to the face more so.
    pub hair_low: Plane,
    /// The same without regard to the place.
    pub hair_side: Plane,
    /// How likely it is skin, without regard to the place.
    pub skin_side: Plane,
    /// How likely it is a light beard; absent for guests without one.
    pub beard: Option<Plane>,
    /// The chin is much darker than the cheeks.
    pub dark_beard: bool,
    /// Whether the clothes have the beard's colour.
    pub clothes_like_beard: bool,
    pub skin: [f32; 3],
    pub hair: [f32; 3],
    pub under: [f32; 3],
    pub bare_neck: bool,
    pub eye_light: f32,
}

impl Classes {
    /// Learns from the patch and the person's mask.
    pub fn learn(patch: &Patch, alpha: &Plane) -> Classes {
        let (patch, alpha) = (&patch.halved(), &halved(alpha));
        let colours = lab::picture_from_rgb(&bilateral(&patch.rgb, 1, 0.1, 1.75));
        let on_face = |i: usize| patch.from_face.d[i] <= 0.0;
        let skin_px = discs(&colours, patch, &SKIN, DISC_PX, on_face);
        let skin = median(&skin_px).unwrap_or([60.0, 14.0, 18.0]);
        let learnt = Learnt::from(patch, alpha, &colours);
        let chin_px = discs(&colours, patch, &CHIN_PLACES, DISC_PX, |_| true);
        let chin = median(&chin_px).unwrap_or(skin);
        let light_beard = chroma(chin) < 0.62 * chroma(skin) && chin[0] > skin[0] - 20.0;
        let hair = if learnt.hair.len() > LEARN_MIN_PX { median(&learnt.hair).unwrap_or(skin) } else { skin };
        let posterior = Posterior::new(patch, &colours, skin, &skin_px, &learnt);
        let beard_table = light_beard.then(|| Histogram::of(&chin_px));
        let (under, bare_neck) = neck(patch, alpha, &colours, skin, hair);
        let lids = discs(&colours, patch, &LIDS, 2.1, |_| true);
        let mut eye_l: Vec<f32> = lids.iter().map(|c| c[0]).collect();
        Classes {
            hair_low: posterior.low(None),
            hair_side: posterior.side(),
            skin_side: posterior.side_skin(),
            beard: beard_table.map(|table| posterior.low(Some(&table))),
            dark_beard: chin[0] < skin[0] - 24.0,
            clothes_like_beard: median(&learnt.clothes)
                .is_some_and(|c| (0..3).map(|k| (c[k] - chin[k]).abs()).sum::<f32>() < 30.0),
            eye_light: percentile(&mut eye_l, 0.85).unwrap_or(skin[0]) - skin[0],
            skin,
            hair,
            under,
            bare_neck,
        }
    }
}

/// Colours of discs about landmarks.
fn discs(
    colours: &Picture,
    patch: &Patch,
    places: &[usize],
    r: f32,
    keep: impl Fn(usize) -> bool,
) -> Vec<[f32; 3]> {
    let mut out = Vec::new();
    for place in places {
        disc(SIDE, SIDE, patch.points[*place], r, |i| {
            if keep(i) {
                out.push(colours.get(i));
            }
        });
    }
    out
}

/// What the colours are learnt from.
struct Learnt {
    /// Person outside the face, above the middle of the ears.
    hair: Vec<[f32; 3]>,
    /// That of it which is hair if anything is: close to the face or above it. Raised hands and door frames are further
    /// out.
    near: Vec<[f32; 3]>,
    /// Person well below the chin.
    clothes: Vec<[f32; 3]>,
    /// What is beside and above the person.
    around: Vec<[f32; 3]>,
}

impl Learnt {
    fn from(patch: &Patch, alpha: &Plane, colours: &Picture) -> Learnt {
        let mut out = Learnt { hair: Vec::new(), near: Vec::new(), clothes: Vec::new(), around: Vec::new() };
        let sides_y = (patch.points[SIDES[0]][1] + patch.points[SIDES[1]][1]) / 2.0 + 0.05 * FACE;
        let top_y = patch.points[TOP][1];
        for i in 0..SIDE * SIDE {
            let (x, y) = ((i % SIDE) as f32, (i / SIDE) as f32);
            let aside = (x - patch.middle_x).abs() / patch.half_width;
            if patch.inside.d[i] < 1.0 {
                continue;
            }
            if alpha.d[i] < 0.02 && aside < 2.6 && y > top_y - 0.5 * FACE && y < patch.chin_y {
                out.around.push(colours.get(i));
            }
            if alpha.d[i] <= 0.8 || aside >= 2.2 {
                continue;
            }
            let far = patch.from_face.d[i];
            if far > 4.2 && y < sides_y {
                out.hair.push(colours.get(i));
                if far < 0.2 * FACE || y < top_y {
                    out.near.push(colours.get(i));
                }
            }
            let below = y - patch.chin_y;
            if below > 0.38 * FACE || (below > 0.2 * FACE && aside < 0.35) {
                out.clothes.push(colours.get(i));
            }
        }
        out
    }
}

/// Colour under the chin, and whether it is skin: under a scarf the drawn neck takes the scarf's colour.
fn neck(patch: &Patch, alpha: &Plane, colours: &Picture, skin: [f32; 3], hair: [f32; 3]) -> ([f32; 3], bool) {
    let mut px = Vec::new();
    let rows = (patch.chin_y + 0.05 * FACE) as usize..(patch.chin_y + 0.17 * FACE) as usize;
    for y in rows.start..rows.end.min(SIDE) {
        for x in 0..SIDE {
            let i = y * SIDE + x;
            let near = (x as f32 - patch.middle_x).abs() < 0.3 * patch.half_width;
            if near && alpha.d[i] > 0.8 && patch.inside.d[i] >= 1.0 {
                px.push(colours.get(i));
            }
        }
    }
    let under = if px.len() > 6 { median(&px).unwrap_or(skin) } else { skin };
    let apart = |a: [f32; 3], b: [f32; 3]| (a[1] - b[1]).abs() + (a[2] - b[2]).abs();
    let scarf = apart(under, hair) < 14.0 && (under[0] - hair[0]).abs() < 16.0 && apart(under, skin) > 12.0;
    (under, !scarf)
}

const BINS: [usize; 3] = [16, 32, 32];

/// How often each colour was seen, softened by one bin.
struct Histogram(Vec<f32>);

fn bin(c: [f32; 3]) -> usize {
    let part = |v: f32, n: usize| (v.clamp(0.0, 1.0) * (n as f32 - 0.01)) as usize;
    let [l, a, b] =
        [part(c[0] / 100.0, 16), part((c[1] + 80.0) / 160.0, 32), part((c[2] + 80.0) / 160.0, 32)];
    (l * BINS[1] + a) * BINS[2] + b
}

impl Histogram {
    fn of(colours: &[[f32; 3]]) -> Histogram {
        let mut counts = vec![0.0f32; BINS[0] * BINS[1] * BINS[2]];
        colours.iter().for_each(|c| counts[bin(*c)] += 1.0);
        for (step, n) in [(BINS[1] * BINS[2], BINS[0]), (BINS[2], BINS[1]), (1, BINS[2])] {
            counts = soften(&counts, step, n);
        }
        let total: f32 = counts.iter().sum::<f32>() + 1e-6;
        counts.iter_mut().for_each(|v| *v /= total);
        Histogram(counts)
    }

    fn learnt(colours: &[[f32; 3]], otherwise: f32) -> Histogram {
        if colours.len() > LEARN_MIN_PX {
            Histogram::of(colours)
        } else {
            Histogram(vec![otherwise; BINS[0] * BINS[1] * BINS[2]])
        }
    }

    fn at(&self, c: [f32; 3]) -> f32 {
        self.0[bin(c)]
    }
}

/// A Gaussian of one bin along one axis.
fn soften(counts: &[f32], step: usize, n: usize) -> Vec<f32> {
    const KERNEL: [f32; 4] = [0.399_05, 0.242_04, 0.054_0, 0.004_43];
    let mut out = vec![0.0; counts.len()];
    for (i, o) in out.iter_mut().enumerate() {
        let place = (i / step) % n;
        let base = i - place * step;
        for (d, k) in KERNEL.iter().enumerate() {
            let (low, high) = (place.saturating_sub(d), (place + d).min(n - 1));
            let sum = if d == 0 { counts[i] } else { counts[base + low * step] + counts[base + high * step] };
            *o += sum * k;
        }
    }
    out
}

/// Class likelihoods of every pixel.
struct Posterior<'a> {
    guide: Guide<'a>,
    patch: &'a Patch,
    colours: &'a Picture,
    hair: Plane,
    skin: Plane,
    clothes: Plane,
    around: Plane,
}

impl<'a> Posterior<'a> {
    fn new(
        patch: &'a Patch,
        colours: &'a Picture,
        skin: [f32; 3],
        skin_px: &[[f32; 3]],
        learnt: &Learnt,
    ) -> Posterior<'a> {
        let plane = |f: &dyn Fn([f32; 3]) -> f32| Plane {
            w: SIDE,
            h: SIDE,
            d: (0..SIDE * SIDE).map(|i| f(colours.get(i))).collect(),
        };
        let [skins, near, clothes, around] = [
            Histogram::of(skin_px),
            Histogram::learnt(&learnt.near, 1e-9),
            Histogram::learnt(&learnt.clothes, 1e-9),
            Histogram::learnt(&learnt.around, 0.0),
        ];
        let like_skin = |c: [f32; 3]| {
            let far: f32 =
                [16.0, 7.0, 8.0].iter().enumerate().map(|(k, s)| ((c[k] - skin[k]) / s).powi(2)).sum();
            if far < 24.0 { skins.at(c) + (-0.5 * far).exp() * 0.004 } else { skins.at(c) }
        };
        // what looks like the surroundings although it is close to the face teaches nothing about hair
        let sure: Vec<[f32; 3]> = learnt
            .near
            .iter()
            .copied()
            .filter(|c| beside(near.at(*c), like_skin(*c), clothes.at(*c), around.at(*c)) > 0.5)
            .collect();
        let near = if sure.len() > LEARN_MIN_PX { Histogram::of(&sure) } else { near };
        Posterior {
            guide: Guide::new(&patch.rgb, 2),
            patch,
            colours,
            hair: plane(&|c| near.at(c)),
            skin: plane(&like_skin),
            clothes: plane(&|c| clothes.at(c) + 1e-6),
            around: plane(&|c| around.at(c)),
        }
    }

    fn finish(&self, p: Plane) -> Plane {
        resample(&gaussian(&self.guide.filter(&p, 2e-3), 0.7), PATCH, PATCH)
    }

    /// Hair below the jaw line: nearer to the face more likely. With a beard's colours, those count too.
    fn low(&self, beard: Option<&Histogram>) -> Plane {
        let (from, to) = (self.patch.chin_y - 0.1 * FACE, self.patch.chin_y + 0.55 * FACE);
        let mut out = Plane::new(SIDE, SIDE, 0.0);
        for (i, v) in out.d.iter_mut().enumerate() {
            let near = 1.0 - smoothstep(from, to, (i / SIDE) as f32);
            let colour = match beard {
                Some(table) => table.at(self.colours.get(i)) + 0.3 * self.hair.d[i],
                None => self.hair.d[i],
            };
            let p = colour * (0.25 + 0.75 * near);
            let others = 0.8 * self.skin.d[i] + AROUND_PART_LOW * self.around.d[i];
            *v = p / (p + others + self.clothes.d[i] * (1.0 - 0.75 * near) + 1e-7);
        }
        self.finish(out)
    }

    /// Hair beside the face.
    fn side(&self) -> Plane {
        let mut out = Plane::new(SIDE, SIDE, 0.0);
        for (i, v) in out.d.iter_mut().enumerate() {
            *v = beside(self.hair.d[i], self.skin.d[i], self.clothes.d[i], self.around.d[i]);
        }
        self.finish(out)
    }

    /// Skin beside the face.
    fn side_skin(&self) -> Plane {
        let mut out = Plane::new(SIDE, SIDE, 0.0);
        for (i, v) in out.d.iter_mut().enumerate() {
            let skin = 0.8 * self.skin.d[i];
            let others = self.hair.d[i] + 0.35 * self.clothes.d[i] + AROUND_PART * self.around.d[i];
            *v = skin / (skin + others + 1e-6);
        }
        self.finish(out)
    }
}

/// How likely something beside the face is hair, by how often its colour was seen on hair, skin, clothes and around.
fn beside(hair: f32, skin: f32, clothes: f32, around: f32) -> f32 {
    hair / (hair + 0.8 * skin + 0.35 * clothes + AROUND_PART * around + 1e-6)
}
