//! Which landmark is what. Left and right are those of the picture.

/// The oval of the face, a ring from the forehead's top clockwise.
pub(crate) const OVAL: [usize; 36] = [
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176,
    149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
];
/// Its lower half from the right ear over the chin to the left one.
pub(crate) const JAW: [usize; 21] =
    [454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234];
/// Rings of the eyes, left and right in the picture.
pub(crate) const EYES: [[usize; 16]; 2] = [
    [33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7],
    [263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249],
];
/// Inner and outer corner of each eye.
pub(crate) const EYE_CORNERS: [(usize, usize); 2] = [(133, 33), (362, 263)];
/// Forehead's top.
pub(crate) const TOP: usize = 10;
/// Chin.
pub(crate) const CHIN: usize = 152;
/// Widest points of the face, left and right.
pub(crate) const SIDES: [usize; 2] = [234, 454];
/// Places where skin is seen on nearly everyone: cheeks and the bridge of the nose.
pub(crate) const SKIN: [usize; 8] = [117, 118, 346, 347, 50, 280, 6, 195];
