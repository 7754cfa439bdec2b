//! The rules of the house that a compiler does not check: floors between crates, module docs, licences, no unfinished words.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

/// Typed again from the architecture page: who may depend on whom, dev-dependencies aside.
fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    [
        ("domain", vec![]),
        ("render", vec![]),
        ("simulator", vec![]),
        ("bucket", vec![]),
        ("store", vec!["domain"]),
        ("clients", vec!["domain"]),
        ("app", vec!["domain", "render", "store", "clients"]),
        ("web", vec!["app", "domain"]),
        ("landing", vec!["domain", "clients"]),
        ("stickers", vec!["app", "web", "landing", "store", "clients", "domain", "render", "simulator"]),
    ]
    .into_iter()
    .map(|(name, below)| (name, below.into_iter().collect()))
    .collect()
}

#[test]
fn a_lower_crate_never_depends_on_a_higher_one() {
    let allowed = allowed();
    let packages = metadata(&["--no-deps"]);
    let packages = packages["packages"].as_array().expect("packages");
    let ours: BTreeSet<_> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let below = allowed
            .get(name)
            .unwrap_or_else(|| panic!("crate {name} has no floor: add it to ARCHITECTURE.md and here"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let on = dependency["name"].as_str().expect("a name");
            if ours.contains(on) && dependency["kind"].as_str() != Some("dev") {
                assert!(below.contains(on), "{name} may not depend on {on}");
            }
        }
    }
}

#[test]
fn the_domain_knows_no_runtime_no_database_and_no_server() {
    let packages = metadata(&["--no-deps"]);
    let domain = packages["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .find(|p| p["name"] == "domain")
        .expect("domain");
    let on: BTreeSet<_> = domain["dependencies"]
        .as_array()
        .expect("dependencies")
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .filter_map(|dependency| dependency["name"].as_str())
        .collect();
    let may: BTreeSet<_> = ["serde", "thiserror", "jiff"].into();
    assert!(on.is_subset(&may), "{on:?}");
}

#[test]
fn every_licence_in_the_tree_is_one_we_accept() {
    let accepted = [
        "MIT",
        "MIT-0",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MPL-2.0",
        "Zlib",
        "Unicode-3.0",
        "Unlicense",
        "CC0-1.0",
        "CDLA-Permissive-2.0",
        "0BSD",
        "OpenSSL",
    ];
    let tree = metadata(&["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let resolved: BTreeSet<_> = tree["resolve"]["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .filter_map(|node| node["id"].as_str().map(str::to_owned))
        .collect();
    for package in tree["packages"].as_array().expect("packages") {
        if !resolved.contains(package["id"].as_str().expect("an id")) {
            continue;
        }
        let licence = package["license"].as_str().unwrap_or_default().replace(" WITH LLVM-exception", "");
        // Every part joined by AND must offer at least one accepted choice.
        let fine = licence.replace(['(', ')'], "").split(" AND ").all(|part| {
            part.split(" OR ")
                .flat_map(|choice| choice.split('/'))
                .any(|choice| accepted.contains(&choice.trim()))
        });
        assert!(fine, "{} {}: licence {licence:?}", package["name"], package["version"]);
        let source = package["source"].as_str().unwrap_or("registry+");
        assert!(source.starts_with("registry+"), "{} comes from {source}", package["name"]);
    }
}

fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let skip =
            ["target", "node_modules", "dist", ".git", "data", ".venv", "test-results", "playwright-report"];
        if path.is_dir() {
            if !skip.iter().any(|skipped| name == *skipped) {
                files(&path, wanted, found);
            }
        } else if wanted(&path) {
            found.push(path);
        }
    }
}

fn sources(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let wanted = |path: &Path| path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted));
    files(&root(), &wanted, &mut found);
    found
}

#[test]
fn every_module_says_what_it_is_for() {
    for path in sources(&["rs"]) {
        let text = fs::read_to_string(&path).expect("a source");
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        assert!(
            first.starts_with("//!") || first.starts_with("#!"),
            "{} does not begin with //!",
            path.display()
        );
    }
}

#[test]
fn nothing_is_left_unfinished_and_no_machine_is_named() {
    // Put together here, so that this file does not find itself.
    let words = [
        ["FIX", "ME"].concat(),
        ["TO", "DO:"].concat(),
        ["XX", "X "].concat(),
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/."].concat(),
    ];
    for path in sources(&["rs", "ts", "tsx", "toml", "md", "sh", "css", "yml", "json"]) {
        if path.ends_with("package-lock.json") || path.ends_with("Cargo.lock") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} contains {word}", path.display());
        }
    }
}
