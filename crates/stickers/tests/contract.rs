//! The contract matrix is true: every row of the seeds has a line, and every test that a line names exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// How many rows each part of the seeds has, counted in the seed pages by hand: `<seed>.<part>` and its last number.
const ROWS: [(&str, usize); 32] = [
    ("000.loop", 2),
    ("000.reminder", 6),
    ("000.digest", 7),
    ("000.erase", 4),
    ("000.isolation", 1),
    ("001.session", 10),
    ("001.expiry", 2),
    ("001.job", 12),
    ("001.aside", 4),
    ("001.lead", 7),
    ("001.publish", 7),
    ("001.repeat", 3),
    ("001.maintenance", 3),
    ("002.data", 13),
    ("002.backup", 8),
    ("002.backuplog", 4),
    ("002.copies", 3),
    ("002.restore", 3),
    ("002.snapshot", 1),
    ("002.ttl", 6),
    ("002.guest", 2),
    ("002.lead", 3),
    ("002.export", 4),
    ("002.event", 9),
    ("003.landing", 4),
    ("003.step", 10),
    ("003.fallback", 2),
    ("003.repeat", 2),
    ("003.answer", 8),
    ("003.retry", 6),
    ("004.decision", 4),
    ("004.point", 6),
];

/// Name and last cell of each line of the matrix.
fn lines() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("docs/contract.md")).expect("the matrix");
    text.lines()
        .filter_map(|line| {
            let cells: Vec<_> =
                line.trim().strip_prefix('|')?.strip_suffix('|')?.split(" | ").map(str::trim).collect();
            let name = cells.first()?;
            name.starts_with("00").then(|| ((*name).to_owned(), (*cells.last().expect("cells")).to_owned()))
        })
        .collect()
}

#[test]
fn every_row_of_the_seeds_has_one_line() {
    let names: Vec<_> = lines().into_iter().map(|(name, _)| name).collect();
    let unique: BTreeSet<_> = names.iter().cloned().collect();
    assert_eq!(unique.len(), names.len(), "a row stands twice");
    let expected: BTreeSet<_> = ROWS
        .iter()
        .flat_map(|(part, count)| (1..=*count).map(move |number| format!("{part}.{number}")))
        .collect();
    assert_eq!(unique, expected);
}

#[test]
fn every_line_names_a_test_or_what_will_bring_it() {
    for (name, cell) in lines() {
        let promised = ["leads", "guest flow", "operations"].iter().any(|issue| cell.contains(issue));
        let tried = cell.contains("](handbook/");
        assert!(cell.contains('`') || tried || promised, "{name} has no test and no issue: {cell:?}");
    }
}

fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn every_named_test_exists() {
    let mut checked = 0;
    for (row, cell) in lines() {
        for quoted in cell.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains("::")) {
            let (krate, name) = quoted.split_once("::").expect("a crate and a name");
            let mut text = String::new();
            sources(&root().join("crates").join(krate), &mut text);
            assert!(text.contains(&format!("fn {name}(")), "{row} names {quoted}, which is not there");
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} tests are named");
}

/// Headings as a forge writes their anchors.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_named_section_of_the_handbook_and_every_named_target_exists() {
    let makefile = fs::read_to_string(root().join("Makefile")).expect("the Makefile");
    let mut sections = 0;
    for (row, cell) in lines() {
        for link in cell.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, section) = link.split_once('#').expect("a page and a section");
            let page = fs::read_to_string(root().join("docs").join(file)).unwrap_or_default();
            let found = page.lines().filter(|line| line.starts_with('#')).any(|line| anchor(line) == section);
            assert!(found, "{row} names {link}, which is not there");
            sections += 1;
        }
        for target in cell.split("`make ").skip(1).filter_map(|rest| rest.split('`').next()) {
            assert!(
                makefile.contains(&format!("\n{target}:")),
                "{row} names make {target}, which is not there"
            );
        }
    }
    assert!(sections > 5, "only {sections} sections are named");
}
