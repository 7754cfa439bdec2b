//! Lists the outfits of `templates/` for embedding, so that the program needs no files beside itself.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new("../../templates").canonicalize()?;
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&root).map_err(io::Error::other)?;
        let name = name.to_string_lossy().replace('\\', "/");
        writeln!(code, "({name:?}, include_bytes!({:?})),", file.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push(']');
    #[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folder in no other way")]
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("templates.rs"), code)
}

/// Every file below a folder that the program reads.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| ["svg", "toml", "ttf"].iter().any(|known| e == *known)) {
            files.push(path);
        }
    }
    Ok(())
}
