//! Outfits of an operator: what can be read, and what `stickers templates check` says about the rest.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::fs;
use std::path::Path;

use render::{Templates, check_dir};
use tempfile::TempDir;

/// A copy of a built-in outfit under another id, changed by `edit`.
fn outfit(edit: impl Fn(String) -> String) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates/chapan");
    let to = dir.path().join("mine");
    copy(&from, &to);
    let file = to.join("template.toml");
    let text = fs::read_to_string(&file).unwrap().replace("id = \"chapan\"", "id = \"mine\"");
    fs::write(file, edit(text)).unwrap();
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn said(dir: &TempDir) -> Vec<String> {
    check_dir(dir.path()).iter().map(ToString::to_string).collect()
}

/// The line of the first place of `needle` in the outfit's table.
fn line(dir: &TempDir, needle: &str) -> usize {
    let text = fs::read_to_string(dir.path().join("mine/template.toml")).unwrap();
    text.lines().position(|l| l.contains(needle)).unwrap() + 1
}

#[test]
fn an_outfit_beside_none_other_uses_the_rig_of_the_program() {
    let dir = outfit(|t| t);
    assert_eq!(said(&dir), Vec::<String>::new());
    assert_eq!(check_dir(&dir.path().join("mine")), [], "the folder of the outfit itself can be named too");
    let templates = Templates::load(dir.path()).unwrap();
    assert_eq!(templates.get("mine").unwrap().slots.len(), 9);
}

#[test]
fn a_slot_overrides_single_fields_of_its_pose() {
    let dir = outfit(|t| {
        t.replacen(
            "pose = \"hi\"",
            "pose = \"hi\"\nid = \"hello\"\nemoji = \"🙂\"\ncaption = { en = \"Hey!\" }",
            1,
        )
    });
    let templates = Templates::load(dir.path()).unwrap();
    let slot = &templates.get("mine").unwrap().slots[0];
    assert_eq!((slot.id.as_str(), slot.emoji.as_str()), ("hello", "🙂"));
    assert_eq!((slot.caption.en.as_str(), slot.caption.ru.as_str()), ("Hey!", "Привет!"));
}

#[test]
fn a_slip_of_the_pen_is_told_by_file_and_line() {
    let dir = outfit(|t| t.replacen("[[slots]]", "[[slots", 1));
    let broken = said(&dir);
    assert_eq!(broken.len(), 1);
    assert!(broken[0].starts_with(&format!("mine/template.toml:{}:", line(&dir, "[[slots"))), "{broken:?}");
}

#[test]
fn an_unknown_pose_or_field_is_told_at_its_slot() {
    let dir = outfit(|t| t.replacen("pose = \"hi\"", "pose = \"moonwalk\"", 1));
    assert!(said(&dir).iter().any(|p| p.contains("no pose `moonwalk`")), "{:?}", said(&dir));
    let dir = outfit(|t| t.replacen("pose = \"hi\"", "pose = \"hi\"\ntlit = 4", 1));
    let want = format!("mine/template.toml:{}:", line(&dir, "tlit"));
    assert!(said(&dir).iter().any(|p| p.starts_with(&want) && p.contains("tlit")), "{:?}", said(&dir));
}

#[test]
fn names_without_a_file_and_letters_without_a_glyph_are_told() {
    let dir = outfit(|t| {
        t.replacen(
            "pose = \"hi\"",
            "pose = \"hi\"\nA = { hand = \"tentacle\" }\ncaption = { en = \"你好\" }",
            1,
        )
    });
    let problems = said(&dir).join("\n");
    assert!(problems.contains("no drawing `tentacle` in hands"), "{problems}");
    assert!(problems.contains("the font has no"), "{problems}");
}

#[test]
fn drawings_are_checked_for_tokens_view_box_and_shape() {
    let dir = outfit(|t| t);
    let file = dir.path().join("mine/torso.svg");
    let torso = fs::read_to_string(&file).unwrap();
    fs::write(&file, torso.replacen("{{ink}}", "{{inc}}", 1)).unwrap();
    assert!(
        said(&dir).iter().any(|p| p.starts_with("mine/torso.svg:") && p.contains("`{{inc}}`")),
        "{:?}",
        said(&dir)
    );
    fs::write(&file, torso.replacen("viewBox=\"", "viewBox=\"0 0 20 20\" id=\"", 1)).unwrap();
    assert!(said(&dir).iter().any(|p| p.contains("out of its viewBox")), "{:?}", said(&dir));
    fs::write(&file, "no drawing").unwrap();
    assert!(said(&dir).iter().any(|p| p.starts_with("mine/torso.svg:1:")), "{:?}", said(&dir));
}

#[test]
fn stickers_that_look_the_same_are_told() {
    let dir = outfit(|t| t.replacen("pose = \"laugh\"", "pose = \"hi\"\nid = \"hi2\"", 1));
    let problems = said(&dir).join("\n");
    assert!(problems.contains("`hi` and `hi2` have the same arms and expression"), "{problems}");
    assert!(problems.contains("`hi` and `hi2` have the same outline"), "{problems}");
}

#[test]
fn the_id_must_be_the_folder_and_a_pack_has_nine_stickers() {
    let dir = outfit(|t| t.replace("id = \"mine\"", "id = \"yours\"") + "\n[[slots]]\npose = \"wow\"\n");
    let problems = said(&dir).join("\n");
    assert!(problems.contains("id is `yours`, the folder `mine`"), "{problems}");
}

#[test]
fn an_empty_folder_is_no_catalogue() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Templates::load(dir.path()).is_err());
    assert!(!check_dir(&dir.path().join("nowhere")).is_empty());
}
