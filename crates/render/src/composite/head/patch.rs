//! The patch: the photo turned so that the eyes are level and scaled so that every face has the same height.

use image::RgbImage;

use crate::face::Face;
use crate::face::points::{CHIN, OVAL, SIDES, TOP};
use crate::photo::{Part, scaled};
use crate::raster::sample::{Affine, halved, pull};
use crate::raster::shape::{distance_to, polygon};
use crate::raster::{Picture, Plane};

/// Side of the patch: a little above the size at which heads are drawn.
pub(crate) const PATCH: usize = 560;
/// Forehead to chin in the patch.
pub(crate) const FACE_HEIGHT: f32 = 196.0;
/// Height of the forehead's top in the patch.
const TOP_Y: f32 = 210.0;
/// The photo is brought to this many times the patch's scale before it is turned, so that turning costs no sharpness.
const SPARE_SCALE: f32 = 1.25;

/// The patch and what is measured on it at once.
pub(crate) struct Patch {
    /// The pixels, 0..1.
    pub rgb: Picture,
    /// 1 where the photo had pixels.
    pub inside: Plane,
    /// The 468 landmarks.
    pub points: Vec<[f32; 2]>,
    /// Distance to the face's oval, 0 inside it.
    pub from_face: Plane,
    /// Middle of the face across.
    pub middle_x: f32,
    /// Half the face's width.
    pub half_width: f32,
    /// Height of the chin's tip.
    pub chin_y: f32,
    /// Height of the ears' lower ends.
    pub ear_y: f32,
    /// Height of the temples.
    pub temple_y: f32,
}

impl Patch {
    /// Takes the patch of a face.
    pub fn take(photo: &RgbImage, face: &Face) -> Patch {
        let scale = FACE_HEIGHT / face.height().max(1.0);
        let turn = Affine::turn_scale(-face.roll, scale);
        let [left, right, top] = [SIDES[0], SIDES[1], TOP].map(|i| turn.apply(face.points[i]));
        let middle = (left[0] + right[0]) / 2.0;
        let (dx, dy) = (PATCH as f32 / 2.0 - middle, TOP_Y - top[1]);
        let there = turn.then(&Affine([1.0, 0.0, dx, 0.0, 1.0, dy]));
        let points: Vec<[f32; 2]> = face.points.iter().map(|p| there.apply(*p)).collect();
        let (rgb, inside) = pixels(photo, &there.inverse(), scale);
        let oval: Vec<[f32; 2]> = OVAL.iter().map(|i| points[*i]).collect();
        let mean_y = |a: usize, b: usize| (points[a][1] + points[b][1]) / 2.0;
        Patch {
            from_face: distance_to(&polygon(PATCH, PATCH, &oval), |v| v > 0.5),
            middle_x: PATCH as f32 / 2.0,
            half_width: (points[SIDES[1]][0] - points[SIDES[0]][0]) / 2.0,
            chin_y: points[CHIN][1],
            ear_y: mean_y(132, 361),
            temple_y: mean_y(127, 356),
            rgb,
            inside,
            points,
        }
    }
}

impl Patch {
    /// The same at half the size.
    pub fn halved(&self) -> Patch {
        Patch {
            rgb: self.rgb.each(halved),
            inside: halved(&self.inside),
            points: self.points.iter().map(|p| p.map(|v| (v - 0.5) / 2.0)).collect(),
            from_face: halved(&self.from_face).map(|d| d / 2.0),
            middle_x: self.middle_x / 2.0,
            half_width: self.half_width / 2.0,
            chin_y: self.chin_y / 2.0,
            ear_y: self.ear_y / 2.0,
            temple_y: self.temple_y / 2.0,
        }
    }
}

/// The pixels of the patch and where the photo had any.
fn pixels(photo: &RgbImage, back: &Affine, scale: f32) -> (Picture, Plane) {
    let side = PATCH as f32 / scale * 1.45;
    let middle = back.apply([PATCH as f32 / 2.0, PATCH as f32 / 2.0]);
    let part = Part::square(photo, middle, side);
    let k = (scale * SPARE_SCALE).min(1.0);
    let (w, h) = ((part.w * k).round().max(1.0), (part.h * k).round().max(1.0));
    let near = Picture::from_rgb(&scaled(photo, part, w as u32, h as u32));
    let (kx, ky) = (w / part.w, h / part.h);
    let to_near = back.then(&Affine([kx, 0.0, -part.x * kx, 0.0, ky, -part.y * ky]));
    let (pw, ph) = (photo.width() as f32 - 0.5, photo.height() as f32 - 0.5);
    let inside = Plane::from_fn(PATCH, PATCH, |x, y| {
        let p = back.apply([x as f32, y as f32]);
        if p[0] >= -0.5 && p[1] >= -0.5 && p[0] <= pw && p[1] <= ph { 1.0 } else { 0.0 }
    });
    (pull(&near, &to_near, PATCH, PATCH), inside)
}
