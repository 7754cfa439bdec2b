//! Draws the nine figures of an outfit from a photo as PNG files: what the stand-ins of the image providers put on their sheets.
//!
//! `cargo run -p render --example figures -- PHOTO TEMPLATE OUT_DIR`

use std::error::Error;
use std::fs;
use std::path::Path;

use render::{Renderer, Templates};

/// Longer side of a file, px.
const SIDE: u32 = 384;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [photo, template, out] = arguments.as_slice() else {
        return Err("usage: figures PHOTO TEMPLATE OUT_DIR".into());
    };
    let renderer = Renderer::new(Templates::built_in())?;
    let photo = renderer.check_photo(&fs::read(photo)?).map_err(|refusal| refusal.code())?;
    fs::create_dir_all(out)?;
    for (place, figure) in renderer.figures(&photo.jpeg, template)?.into_iter().enumerate() {
        let small = image::imageops::resize(&figure, SIDE, SIDE, image::imageops::FilterType::CatmullRom);
        small.save(Path::new(out).join(format!("{place}.png")))?;
    }
    Ok(())
}
