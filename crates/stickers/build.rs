//! The start page of `stickers demo` is built by `make web` and embedded here. A build without it stops with a sentence instead of an
//! error of a macro. The revision that `/health` shows is `STICKERS_REVISION` when it is set, else that of the repository.

#[path = "build/revision.rs"]
mod revision;

use std::path::Path;
use std::process::exit;

#[expect(clippy::disallowed_methods, reason = "the environment of the build, not that of the program")]
fn main() {
    // Cargo runs build scripts in the folder of their crate; a path compiled in would be wrong after the clone has moved.
    let root = Path::new("../..");
    let page = root.join("web-ui/start/dist");
    println!("cargo::rerun-if-changed={}", page.display());
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=STICKERS_REVISION");
    let given = std::env::var("STICKERS_REVISION").ok().filter(|revision| !revision.is_empty());
    let revision = given.unwrap_or_else(|| match revision::of(root) {
        Some(found) => {
            for file in &found.files {
                println!("cargo::rerun-if-changed={}", file.display());
            }
            found.id
        }
        None => "unknown".to_owned(),
    });
    println!("cargo::rustc-env=STICKERS_BUILT_FROM={revision}");
    if !page.join("index.html").is_file() {
        println!("cargo::error=the start page is not built yet: run `make web` first");
        exit(1);
    }
}
