//! The file: WEBP with alpha, as good as fits.

use image::RgbaImage;
use webp::{Encoder, WebPConfig};

use crate::RenderError;

/// Telegram's limit for a static sticker.
const BYTES_MAX: usize = 512 * 1024;
/// Tried in this order; the first nearly always fits ten times over.
const QUALITIES: [f32; 5] = [90.0, 80.0, 65.0, 45.0, 20.0];
/// How hard the encoder looks for a small file, 0..6: files are 2 % larger than with 4, in little more than half the time.
const METHOD: i32 = 2;

/// Encodes a sticker within Telegram's limit.
pub(crate) fn encode(rgba: &RgbaImage) -> Result<Vec<u8>, RenderError> {
    let failed = |what: String| RenderError::Encoder(what);
    let mut config = WebPConfig::new().map_err(|()| failed("no configuration".into()))?;
    config.method = METHOD;
    for quality in QUALITIES {
        config.quality = quality;
        let encoder = Encoder::from_rgba(rgba.as_raw(), rgba.width(), rgba.height());
        let bytes = encoder.encode_advanced(&config).map_err(|e| failed(format!("{e:?}")))?;
        if bytes.len() <= BYTES_MAX {
            return Ok(bytes.to_vec());
        }
    }
    Err(failed(format!("more than {BYTES_MAX} bytes at every quality")))
}
