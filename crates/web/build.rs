//! The kiosk page is built by `make web` and embedded here. A build without it stops with a sentence instead of an error of a macro.

use std::path::Path;
use std::process::exit;

fn main() {
    let page = Path::new("../../web-ui/kiosk/dist");
    println!("cargo::rerun-if-changed={}", page.display());
    if !page.join("index.html").is_file() {
        println!("cargo::error=the kiosk page is not built yet: run `make web` first");
        exit(1);
    }
}
