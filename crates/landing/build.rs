//! The page is embedded: when it is built anew, this crate is too.

fn main() {
    println!("cargo::rerun-if-changed=../../web-ui/landing/dist");
}
