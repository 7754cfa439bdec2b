//! Parts of a photo at another size.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::RgbImage;

/// A rectangle of a photo with fractions of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width.
    pub w: f32,
    /// Height.
    pub h: f32,
}

impl Part {
    /// All of it.
    pub fn whole(rgb: &RgbImage) -> Part {
        Part { x: 0.0, y: 0.0, w: rgb.width() as f32, h: rgb.height() as f32 }
    }

    /// A square about a centre, cut to what the photo has, on whole pixels; never empty.
    pub fn square(rgb: &RgbImage, centre: [f32; 2], side: f32) -> Part {
        let cut = |c: f32, length: u32| {
            let length = length as f32;
            let low = (c - side / 2.0).floor().clamp(0.0, length - 1.0);
            (low, (c + side / 2.0).ceil().clamp(low + 1.0, length) - low)
        };
        let ((x, w), (y, h)) = (cut(centre[0], rgb.width()), cut(centre[1], rgb.height()));
        Part { x, y, w, h }
    }
}

/// The part at `w` x `h`; averages when it gets smaller, cubic when it grows.
pub(crate) fn scaled(rgb: &RgbImage, part: Part, w: u32, h: u32) -> RgbImage {
    let (w, h) = (w.max(1), h.max(1));
    let smaller = part.w > w as f32;
    let filter = if smaller { FilterType::Hamming } else { FilterType::CatmullRom };
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(filter)).crop(
        f64::from(part.x),
        f64::from(part.y),
        f64::from(part.w),
        f64::from(part.h),
    );
    let mut to = Image::new(w, h, PixelType::U8x3);
    // an RgbImage always has as many bytes as it says, and a Part lies inside its photo: neither call can fail
    let done = ImageRef::new(rgb.width(), rgb.height(), rgb.as_raw(), PixelType::U8x3)
        .ok()
        .and_then(|from| Resizer::new().resize(&from, &mut to, &options).ok());
    debug_assert!(done.is_some(), "{part:?} lies inside {} x {}", rgb.width(), rgb.height());
    RgbImage::from_raw(w, h, to.into_vec()).unwrap_or_else(|| RgbImage::new(w, h))
}
