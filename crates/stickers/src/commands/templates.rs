//! `stickers templates`: says what is wrong with outfits, and starts a new one.

use crate::failure::Failure;
use crate::out::say;
use clap::{Args, Subcommand};
use rust_embed::RustEmbed;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Check the outfits of a folder, or start a new one.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers templates check outfits")]
pub struct TemplatesArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Say what is wrong with outfits, by file and line
    Check(CheckArgs),
    /// Start a new outfit as a working copy of the simplest one
    New(NewArgs),
}

#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers templates check outfits\n\nExit status 1 when something is wrong."
)]
struct CheckArgs {
    /// Folder of outfits, or one outfit
    dir: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  stickers templates new pirate --dir outfits")]
struct NewArgs {
    /// Name of the outfit's folder: small letters, digits, underscores
    #[arg(value_parser = id)]
    id: String,

    /// Folder of outfits, made when missing
    #[arg(long, default_value = ".")]
    dir: PathBuf,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The outfit that a new one starts from.
#[derive(RustEmbed)]
#[folder = "../../templates/hoodie"]
struct Simplest;

/// The file that says what an outfit is.
const TEMPLATE: &str = "template.toml";

/// Runs the command.
pub fn run(args: &TemplatesArgs) -> Result<(), Failure> {
    match &args.action {
        Action::Check(args) => check(args),
        Action::New(args) => new(args),
    }
}

fn check(args: &CheckArgs) -> Result<(), Failure> {
    if !args.dir.is_dir() {
        return Err(Failure::input(format!("{} is not a folder", args.dir.display())));
    }
    let problems = render::check_dir(&args.dir);
    if args.json {
        let list: Vec<_> = problems
            .iter()
            .map(|problem| json!({"file": problem.file, "line": problem.line, "message": problem.message}))
            .collect();
        say!("{:#}", json!({"ok": problems.is_empty(), "problems": list}));
    } else if problems.is_empty() {
        say!("{}: nothing wrong", args.dir.display());
    } else {
        problems.iter().for_each(|problem| say!("{problem}"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::Reported) }
}

fn new(args: &NewArgs) -> Result<(), Failure> {
    let folder = args.dir.join(&args.id);
    if folder.exists() {
        return Err(Failure::Failed(format!("{} exists already", folder.display())));
    }
    let fail = |path: &Path, error: std::io::Error| {
        Failure::of(&format!("{} cannot be written", path.display()), &error)
    };
    let mut files = Vec::new();
    for name in Simplest::iter() {
        let Some(file) = Simplest::get(&name) else { continue };
        let path = folder.join(name.as_ref());
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|error| fail(parent, error))?;
        let written = if name == TEMPLATE {
            fs::write(&path, renamed(&String::from_utf8_lossy(&file.data), &args.id))
        } else {
            fs::write(&path, &file.data)
        };
        written.map_err(|error| fail(&path, error))?;
        files.push(path.display().to_string());
    }
    if args.json {
        say!("{:#}", json!({"id": args.id, "folder": folder.display().to_string(), "files": files}));
    } else {
        say!("{}: edit {TEMPLATE} and the drawings, then look at it:", folder.display());
        say!("  stickers templates check {}", args.dir.display());
        say!(
            "  TEMPLATES_DIR={} stickers render --template {} PHOTO --out out --sheet sheet.png",
            args.dir.display(),
            args.id
        );
    }
    Ok(())
}

/// The template with the new id and titles to be filled in; everything else is a working example.
fn renamed(template: &str, id: &str) -> String {
    let lines = template.lines().map(|line| {
        if line.starts_with("id ") || line.starts_with("id=") {
            format!("id = \"{id}\"")
        } else if line.starts_with("titles ") || line.starts_with("titles=") {
            format!("# how the outfit is called on the tablet\ntitles = {{ ru = \"{id}\", uz = \"{id}\", en = \"{id}\" }}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// A name that is safe as a folder, in addresses and in the database.
fn id(text: &str) -> Result<String, String> {
    let fits = (1..=32).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text != "rig";
    if fits {
        Ok(text.to_owned())
    } else {
        Err("allowed are 1 to 32 small letters, digits and underscores, a letter first, not \"rig\""
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_folder_are_refused() {
        for good in ["pirate", "space_2"] {
            assert!(id(good).is_ok(), "{good}");
        }
        for bad in ["", "Pirate", "../x", "2pac", "rig", "a b", "ж"] {
            assert!(id(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_new_outfit_passes_the_check_as_it_is() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let args = NewArgs { id: "pirate".to_owned(), dir: dir.path().to_owned(), json: true };
        new(&args).unwrap_or_else(|failure| panic!("{failure:?}"));
        assert_eq!(render::check_dir(dir.path()), Vec::new());
        let template = fs::read_to_string(dir.path().join("pirate/template.toml")).expect("the template");
        assert!(template.contains("id = \"pirate\"") && !template.contains("id = \"hoodie\""), "{template}");
        assert!(matches!(new(&args), Err(Failure::Failed(_))), "a second time");
    }
}
