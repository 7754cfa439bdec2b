//! The pages of kiosk and panel are built by `make web` and embedded here. A build without them stops with a sentence instead of an error of a
//! macro.

use std::path::Path;
use std::process::exit;

/// Each page with the file that says that it was built.
const PAGES: [(&str, &str); 2] = [("kiosk", "index.html"), ("panel", "panel.js")];

fn main() {
    for (page, built) in PAGES {
        let dist = Path::new("../../web-ui").join(page).join("dist");
        println!("cargo::rerun-if-changed={}", dist.display());
        if !dist.join(built).is_file() {
            println!("cargo::error=the page web-ui/{page} is not built yet: run `make web` first");
            exit(1);
        }
    }
}
