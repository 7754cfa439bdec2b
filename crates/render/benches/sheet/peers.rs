//! Scripts of the same work on other libraries, each a process of its own that says how long it took.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use image::RgbaImage;
use render::KeyColour;

use crate::Cut;
use crate::hard::Case;

/// What a script reports of itself, without its start.
#[derive(Clone, Copy)]
pub struct Times {
    pub cpu_ms: f64,
    pub wall_ms: f64,
}

/// What it made.
pub struct Made {
    pub times: Times,
    pub cuts: Vec<Option<Cut>>,
    pub stickers: Vec<Option<RgbaImage>>,
}

/// A script and what runs it.
pub struct Peer {
    pub name: &'static str,
    program: PathBuf,
    script: PathBuf,
    out: PathBuf,
}

/// Name, script, and which program runs it.
const SCRIPTS: [(&str, &str, &str); 3] = [
    ("opencv", "opencv_sheet.py", "--python"),
    ("pillow", "pillow_sheet.py", "--python"),
    ("sharp", "sharp_sheet.mjs", "--node"),
];

/// The peers of `--peers DIR --python PROGRAM --node PROGRAM --out DIR`; none without these.
pub fn named(arguments: impl Iterator<Item = String>) -> Vec<Peer> {
    let arguments: Vec<String> = arguments.collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    let (Some(folder), Some(out)) = (value("--peers"), value("--out")) else { return Vec::new() };
    let peer = |(name, script, program): (&'static str, &str, &str)| {
        Some(Peer { name, program: value(program)?, script: folder.join(script), out: out.clone() })
    };
    SCRIPTS.into_iter().filter_map(peer).collect()
}

impl Peer {
    /// Runs the script on a sheet, `rounds` times over.
    pub fn run(&self, name: &str, case: &Case, sheet: &[u8], rounds: u32) -> io::Result<Made> {
        let out = self.out.join(self.name).join(name);
        if out.exists() {
            fs::remove_dir_all(&out)?;
        }
        fs::create_dir_all(&out)?;
        let file = out.join("sheet");
        fs::write(&file, sheet)?;
        let key = if case.key == KeyColour::Green { "green" } else { "magenta" };
        let output = Command::new(&self.program)
            .arg(&self.script)
            .args([&file, &out])
            .args([key, &rounds.to_string()])
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout);
        let mut numbers = told.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
        let (Some(cpu_ms), Some(wall_ms)) = (numbers.next(), numbers.next()) else {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        };
        let stickers = (0..9).map(|place| picture(&out.join(format!("{place}.webp")))).collect();
        Ok(Made { times: Times { cpu_ms, wall_ms }, cuts: cuts(&out)?, stickers })
    }
}

fn picture(path: &Path) -> Option<RgbaImage> {
    let bytes = fs::read(path).ok()?;
    Some(image::load_from_memory(&bytes).ok()?.into_rgba8())
}

/// `cut_PLACE_LEFT_TOP.png`.
fn cuts(out: &Path) -> io::Result<Vec<Option<Cut>>> {
    let mut cuts: Vec<Option<Cut>> = (0..9).map(|_| None).collect();
    for entry in fs::read_dir(out)? {
        let path = entry?.path();
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let numbers: Vec<i64> = stem.split('_').skip(1).filter_map(|word| word.parse().ok()).collect();
        if let ([place, left, top], Some(picture)) = (numbers.as_slice(), picture(&path))
            && let Some(cut) = usize::try_from(*place).ok().and_then(|place| cuts.get_mut(place))
        {
            *cut = Some(Cut { left: *left, top: *top, picture });
        }
    }
    Ok(cuts)
}
