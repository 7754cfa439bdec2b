//! The start page of `stickers demo` is built by `make web` and embedded here. A build without it stops with a sentence instead of an
//! error of a macro.

use std::path::Path;
use std::process::exit;

fn main() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web-ui/start/dist");
    println!("cargo::rerun-if-changed={}", page.display());
    println!("cargo::rerun-if-env-changed=STICKERS_REVISION");
    if !page.join("index.html").is_file() {
        println!("cargo::error=the start page is not built yet: run `make web` first");
        exit(1);
    }
}
