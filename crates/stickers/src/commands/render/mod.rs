//! `stickers render`: photo files in, sticker files out. No bot, no database; no network unless a provider was picked.

mod painter;

use crate::config::Config;
use crate::failure::Failure;
use crate::out::say;
use crate::parts;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use painter::{Bill, Painter, Wish};
use render::{Background, Language, Renderer, Sticker, contact_sheet, pack_rows};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Photo files in, sticker files out; no bot, no database.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  stickers render --template chapan selfie.jpg --out packs --sheet sheet.png\n\nEach photo gets a folder \
                  of its own. Exit status 1 when a photo was refused; the others are made.\n\nWith --provider gemini or openai a provider \
                  draws and is paid; its key is read as the bot reads it (GEMINI_API_KEY, OPENAI_API_KEY), and JOB_COST_LIMIT_USD is the \
                  most that one pack may cost:\n  stickers render --provider gemini --template chapan selfie.jpg --out packs --drawings sheets"
)]
pub struct RenderArgs {
    /// Photo files: JPEG, PNG or WEBP
    #[arg(value_name = "PHOTO", required = true)]
    photos: Vec<PathBuf>,

    /// Id of the outfit
    #[arg(long)]
    template: String,

    /// Folder for the packs, made when missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Language of the captions
    #[arg(long, value_enum, default_value_t = CaptionLanguage::Ru)]
    lang: CaptionLanguage,

    /// Also write a contact sheet (PNG) of all packs
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,

    /// Who draws
    #[arg(long, value_enum, default_value_t = Choice::Local)]
    provider: Choice,

    /// Also keep what a provider drew on the way: anchor portrait, sheets, report
    #[arg(long, value_name = "DIR")]
    drawings: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CaptionLanguage {
    Ru,
    Uz,
    En,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Choice {
    /// The built-in renderer
    Local,
    /// Gemini
    Gemini,
    /// OpenAI, or the server at OPENAI_API_URL that speaks like it
    Openai,
}

/// Width of a sticker on a sheet of several packs, px.
const SHEET_CELL: u32 = 160;
/// The largest photo file that is read: that of an upload.
const PHOTO_MAX: u64 = 10 * 1024 * 1024;

/// What became of one photo.
struct Done {
    photo: String,
    outcome: Result<Pack, Refused>,
    bill: Bill,
}

struct Pack {
    folder: PathBuf,
    files: Vec<String>,
    stickers: Vec<Sticker>,
}

struct Refused {
    code: &'static str,
    reason: String,
}

/// Runs the command.
pub fn run(args: &RenderArgs, config: &Config) -> Result<(), Failure> {
    let templates = parts::templates(config.work.templates_dir.as_deref())?;
    let Some(slots) = templates.get(&args.template).map(|template| template.slots.len()) else {
        let known: Vec<_> = templates.iter().map(|template| template.id.as_str()).collect();
        return Err(Failure::input(format!(
            "no outfit \"{}\": allowed is {}",
            args.template,
            known.join(", ")
        )));
    };
    let painter = Painter::new(args.provider, config)?;
    let renderer = Arc::new(parts::renderer(templates)?);
    let folders = folders(&args.photos, &args.out);
    let bar = progress(args.photos.len() * slots);
    let mut all = Vec::new();
    for (photo, folder) in args.photos.iter().zip(folders) {
        let done = one(&renderer, &painter, args, photo, folder, &bar)?;
        if !args.json {
            bar.suspend(|| tell(&done));
        }
        all.push(done);
    }
    bar.finish_and_clear();
    if let Some(sheet) = &args.sheet {
        write_sheet(sheet, &all)?;
    }
    if args.json {
        say!("{:#}", as_json(&all));
    } else if args.photos.len() > 1 && matches!(painter, Painter::Provider(_)) {
        say!("{:.4} USD in all", spent(&all));
    }
    if all.iter().any(|done| done.outcome.is_err()) { Err(Failure::Reported) } else { Ok(()) }
}

/// One photo: checked like an upload, drawn, written.
fn one(
    renderer: &Arc<Renderer>,
    painter: &Painter,
    args: &RenderArgs,
    photo: &Path,
    folder: PathBuf,
    bar: &ProgressBar,
) -> Result<Done, Failure> {
    let name = photo.display().to_string();
    let refused = |code, reason: String| {
        let outcome = Err(Refused { code, reason });
        Ok(Done { photo: photo.display().to_string(), outcome, bill: Bill::default() })
    };
    bar.set_message(name.clone());
    let bytes = match read(photo) {
        Ok(bytes) => bytes,
        Err(reason) => return refused("unreadable", reason),
    };
    let checked = match renderer.check_old_photo(&bytes) {
        Ok(checked) => checked,
        Err(refusal) => return refused(refusal.code(), refusal.to_string()),
    };
    let language = match args.lang {
        CaptionLanguage::Ru => Language::Ru,
        CaptionLanguage::Uz => Language::Uz,
        CaptionLanguage::En => Language::En,
    };
    let Some(template) = renderer.templates().get(&args.template) else {
        return Err(Failure::Failed(format!("no outfit \"{}\"", args.template)));
    };
    let wish = Wish { renderer, template, language, photo: checked.jpeg };
    let (drawn, bill) =
        painter.pack(wish, |stickers| bar.inc(stickers)).map_err(|error| Failure::of(&name, &error))?;
    if let Some(dir) = &args.drawings {
        write_drawings(dir, &folder, &bill)?;
    }
    let outcome = match drawn {
        Ok(stickers) => {
            let files = write_pack(&folder, &stickers)?;
            Ok(Pack { folder, files, stickers })
        }
        Err(refused) => Err(refused),
    };
    Ok(Done { photo: name, outcome, bill })
}

/// Reads a photo, but no more than an upload may have.
fn read(photo: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    fs::File::open(photo)
        .and_then(|file| file.take(PHOTO_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > PHOTO_MAX {
        return Err("the file is over 10 MiB".to_owned());
    }
    Ok(bytes)
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::of(&format!("{} cannot be written", path.display()), error)
}

/// What the provider drew on the way, each file named after the pack's folder.
fn write_drawings(dir: &Path, pack: &Path, bill: &Bill) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|error| unwritten(dir, &error))?;
    let stem = pack.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    for (name, bytes) in &bill.drawings {
        let path = dir.join(format!("{stem}_{name}"));
        fs::write(&path, bytes).map_err(|error| unwritten(&path, &error))?;
    }
    Ok(())
}

fn write_pack(folder: &Path, stickers: &[Sticker]) -> Result<Vec<String>, Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    let mut files = Vec::with_capacity(stickers.len());
    for (place, sticker) in stickers.iter().enumerate() {
        let path = folder.join(format!("{:02}_{}.webp", place + 1, sticker.slot));
        fs::write(&path, &sticker.webp).map_err(|error| unwritten(&path, &error))?;
        files.push(path.display().to_string());
    }
    Ok(files)
}

fn write_sheet(sheet: &Path, all: &[Done]) -> Result<(), Failure> {
    let packs: Vec<Vec<Sticker>> =
        all.iter().filter_map(|done| Some(done.outcome.as_ref().ok()?.stickers.clone())).collect();
    let png = match packs.as_slice() {
        [] => return Ok(()),
        [one] => contact_sheet(one, Background::Chat),
        several => pack_rows(several, SHEET_CELL, Background::Chat),
    };
    if let Some(parent) = sheet.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        fs::create_dir_all(parent).map_err(|error| unwritten(parent, &error))?;
    }
    fs::write(sheet, png).map_err(|error| unwritten(sheet, &error))
}

/// A folder for each photo, named like it; two photos of one name get different folders.
fn folders(photos: &[PathBuf], out: &Path) -> Vec<PathBuf> {
    let mut taken = HashSet::new();
    let name = |photo: &PathBuf| {
        let stem =
            photo.file_stem().map_or_else(|| "photo".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let mut name = stem.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{stem}-{number}");
            number += 1;
        }
        out.join(name)
    };
    photos.iter().map(name).collect()
}

/// A bar on a terminal, nothing elsewhere: there each photo is a line of its own.
fn progress(stickers: usize) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(stickers as u64), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(stickers as u64).with_style(style)
}

fn tell(done: &Done) {
    let (photo, paid) = (&done.photo, done.bill.words());
    match &done.outcome {
        Ok(pack) => say!("{photo}: {} stickers in {}{paid}", pack.files.len(), pack.folder.display()),
        Err(refused) => eprintln!("{photo}: {} ({}){paid}", refused.reason, refused.code),
    }
}

fn spent(all: &[Done]) -> f64 {
    domain::cost::sum_usd(all.iter().map(|done| done.bill.total()))
}

fn as_json(all: &[Done]) -> Value {
    let (mut packs, mut refusals) = (Vec::new(), Vec::new());
    for done in all {
        match &done.outcome {
            Ok(pack) => packs.push(json!({
                "photo": done.photo, "folder": pack.folder.display().to_string(), "stickers": pack.files,
                "cost_usd": done.bill.total(), "calls": done.bill.as_json(),
            })),
            Err(refused) => refusals.push(json!({
                "photo": done.photo, "code": refused.code, "reason": refused.reason,
                "cost_usd": done.bill.total(), "calls": done.bill.as_json(),
            })),
        }
    }
    json!({"packs": packs, "refused": refusals, "cost_usd": spent(all)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn photos_of_one_name_get_folders_of_their_own() {
        let photos = ["a/me.jpg", "b/me.png", "me-2.jpg", "me"].map(PathBuf::from);
        let folders = folders(&photos, Path::new("out"));
        let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        assert_eq!(names, ["out/me", "out/me-2", "out/me-2-2", "out/me-3"]);
    }
}
