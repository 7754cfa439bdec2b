//! The 468 landmarks of one face, and what follows from them at once: turn, height, light.

use image::RgbImage;

use crate::RenderError;
use crate::photo::{Part, scaled};
use crate::raster::sample::{Affine, pull};
use crate::raster::{Picture, lab, median};

use super::detect::Found;
use super::models::{LANDMARK_SIDE, Models};
use super::points::{CHIN, SIDES, SKIN, TOP};

/// A face with its landmarks, in pixels of the photo.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    /// 468 points.
    pub points: Vec<[f32; 2]>,
    /// Depth of each, same unit, smaller is nearer.
    pub depth: Vec<f32>,
    /// How certain it is that there is a face, 0..1.
    pub presence: f32,
    /// Angle of the line through the eyes, radians, clockwise.
    pub roll: f32,
    /// Median colour of the skin (Lab) on cheeks and nose.
    pub skin: Option<[f32; 3]>,
}

/// Size of the face's box in the small picture that the network's input is taken from.
const BOX_PX: f32 = 160.0;

/// Finds the landmarks of a face of the photo.
pub(crate) fn landmarks(models: &Models, photo: &RgbImage, found: &Found) -> Result<Face, RenderError> {
    let size = found.size[0].max(found.size[1]).max(2.0);
    // a turned square of 1.5 boxes fits into an upright one of 2.2; a little room for the second look
    let part = Part::square(photo, found.centre, 2.5 * size);
    let scale = (BOX_PX / size).min(1.0);
    let (w, h) = ((part.w * scale).round().max(2.0), (part.h * scale).round().max(2.0));
    let near = Picture::from_rgb(&scaled(photo, part, w as u32, h as u32));
    let (kx, ky) = (w / part.w, h / part.h);
    let there = |p: [f32; 2]| [(p[0] - part.x) * kx, (p[1] - part.y) * ky];
    let local = Found {
        centre: there(found.centre),
        size: [found.size[0] * kx, found.size[1] * ky],
        left_eye: there(found.left_eye),
        right_eye: there(found.right_eye),
        score: found.score,
    };
    let mut face = looked_at_twice(models, &near, &local)?;
    face.skin = skin(&near, &face);
    face.points.iter_mut().for_each(|p| *p = [p[0] / kx + part.x, p[1] / ky + part.y]);
    face.depth.iter_mut().for_each(|z| *z /= kx);
    Ok(face)
}

/// Runs the network twice, the second time upright by what the first found.
fn looked_at_twice(models: &Models, picture: &Picture, found: &Found) -> Result<Face, RenderError> {
    let side = 1.5 * found.size[0].max(found.size[1]);
    let (l, r) = (found.left_eye, found.right_eye);
    let mut roll = (r[1] - l[1]).atan2(r[0] - l[0]);
    let mut centre = found.centre;
    let mut face = None;
    for _ in 0..2 {
        let next = once(models, picture, centre, side, roll)?;
        roll = next.roll;
        centre = middle(&next.points);
        face = Some(next);
    }
    face.ok_or(RenderError::Model { name: "face_landmark", cause: "never ran".into() })
}

fn once(
    models: &Models,
    picture: &Picture,
    centre: [f32; 2],
    side: f32,
    roll: f32,
) -> Result<Face, RenderError> {
    let n = LANDMARK_SIDE as f32;
    let scale = n / side;
    let there = Affine::turn_scale(-roll, scale).bringing(centre, [n / 2.0, n / 2.0]);
    let back = there.inverse();
    let (raw, presence) = models.points(&pull(picture, &back, LANDMARK_SIDE, LANDMARK_SIDE))?;
    let points: Vec<[f32; 2]> = raw.chunks_exact(3).map(|p| back.apply([p[0], p[1]])).collect();
    if points.len() < 468 {
        return Err(RenderError::Model { name: "face_landmark", cause: format!("{} points", points.len()) });
    }
    let (l, r) = eyes(&points);
    Ok(Face {
        depth: raw.chunks_exact(3).map(|p| p[2] / scale).collect(),
        presence: 1.0 / (1.0 + (-presence).exp()),
        roll: (r[1] - l[1]).atan2(r[0] - l[0]),
        points,
        skin: None,
    })
}

/// Centres of the eyes, from their corners.
pub(crate) fn eyes(points: &[[f32; 2]]) -> ([f32; 2], [f32; 2]) {
    let mean =
        |a: usize, b: usize| [(points[a][0] + points[b][0]) / 2.0, (points[a][1] + points[b][1]) / 2.0];
    (mean(33, 133), mean(362, 263))
}

fn middle(points: &[[f32; 2]]) -> [f32; 2] {
    std::array::from_fn(|i| {
        let (low, high) =
            points.iter().fold((f32::MAX, f32::MIN), |(a, b), p: &[f32; 2]| (a.min(p[i]), b.max(p[i])));
        (low + high) / 2.0
    })
}

impl Face {
    /// Forehead to chin along the upright face.
    pub fn height(&self) -> f32 {
        let (top, chin) = (self.points[TOP], self.points[CHIN]);
        let (s, c) = self.roll.sin_cos();
        (chin[1] - top[1]) * c - (chin[0] - top[0]) * s
    }

    /// Turn of the head to the side in degrees, 0 is towards the camera.
    pub fn turn_degrees(&self) -> f32 {
        let [l, r] = SIDES.map(|i| self.points[i]);
        let (s, c) = self.roll.sin_cos();
        let across = (r[0] - l[0]) * c + (r[1] - l[1]) * s;
        (self.depth[SIDES[1]] - self.depth[SIDES[0]]).atan2(across).to_degrees()
    }
}

/// From small squares on cheeks and nose.
fn skin(picture: &Picture, face: &Face) -> Option<[f32; 3]> {
    let r = (face.height() * 0.03).max(1.0) as isize;
    let mut colours = Vec::new();
    for p in SKIN.map(|i| face.points[i]) {
        for y in p[1] as isize - r..=p[1] as isize + r {
            for x in p[0] as isize - r..=p[0] as isize + r {
                if x >= 0 && y >= 0 && (x as usize) < picture.w() && (y as usize) < picture.h() {
                    colours.push(lab::from_rgb(picture.get(y as usize * picture.w() + x as usize)));
                }
            }
        }
    }
    median(&colours)
}
