//! Draws packs: `pack --template chapan --lang ru --out DIR [--cell 200] [--first 3] PHOTO…` writes the stickers and contact sheets on
//! light, dark and chat backgrounds; `--templates DIR` reads outfits from a folder instead of the built-in ones.
//! With several photos (or `--template all`) each pack is one row of the sheets.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use render::{Background, CompositeError, Language, Renderer, Sticker, Templates, contact_sheet, pack_rows};

struct Arguments {
    photos: Vec<PathBuf>,
    template: String,
    language: Language,
    out: PathBuf,
    cell: u32,
    first: usize,
    templates: Templates,
}

fn main() {
    let arguments = arguments().unwrap_or_else(|message| {
        eprintln!("pack: {message}");
        process::exit(2);
    });
    if let Err(message) = run(&arguments) {
        eprintln!("pack: {message}");
        process::exit(1);
    }
}

fn arguments() -> Result<Arguments, String> {
    let mut out = Arguments {
        photos: Vec::new(),
        template: "chapan".into(),
        language: Language::Ru,
        out: "packs".into(),
        cell: 200,
        first: usize::MAX,
        templates: Templates::built_in(),
    };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} wants a value"));
        match word.as_str() {
            "--template" => out.template = value()?,
            "--out" => out.out = value()?.into(),
            "--cell" => out.cell = value()?.parse().map_err(|_| "--cell wants a number")?,
            "--first" => out.first = value()?.parse().map_err(|_| "--first wants a number")?,
            "--lang" => {
                out.language = match value()?.as_str() {
                    "uz" => Language::Uz,
                    "en" => Language::En,
                    _ => Language::Ru,
                }
            }
            "--templates" => {
                out.templates = Templates::load(Path::new(&value()?))
                    .map_err(|all| all.iter().map(|p| format!("\n  {p}")).collect::<String>())?;
            }
            _ => out.photos.push(word.into()),
        }
    }
    if out.photos.is_empty() { Err("no photo".into()) } else { Ok(out) }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let renderer = Renderer::new(arguments.templates.clone()).map_err(|e| e.to_string())?;
    let ids: Vec<String> = match arguments.template.as_str() {
        "all" => renderer.templates().iter().map(|t| t.id.clone()).collect(),
        list => list.split(',').map(str::to_owned).collect(),
    };
    fs::create_dir_all(&arguments.out).map_err(|e| e.to_string())?;
    let mut packs = Vec::new();
    for photo in &arguments.photos {
        let bytes = fs::read(photo).map_err(|e| format!("{}: {e}", photo.display()))?;
        for id in &ids {
            match pack(&renderer, &bytes, id, arguments) {
                Ok(stickers) => packs.push(stickers),
                Err(e) => eprintln!("{}, {id}: {e}", photo.display()),
            }
        }
    }
    let write =
        |name: &str, bytes: &[u8]| fs::write(arguments.out.join(name), bytes).map_err(|e| e.to_string());
    for (name, background) in
        [("light", Background::Light), ("dark", Background::Dark), ("chat", Background::Chat)]
    {
        let sheet = match packs.as_slice() {
            [one] => contact_sheet(one, background),
            many => pack_rows(many, arguments.cell, background),
        };
        write(&format!("sheet-{name}.png"), &sheet)?;
    }
    if let [one] = packs.as_slice() {
        for sticker in one {
            write(&format!("{}.webp", sticker.slot), &sticker.webp)?;
        }
    }
    Ok(())
}

/// The first stickers of a pack; breaking off in between is what the worker does when a job is cancelled.
fn pack(
    renderer: &Renderer,
    photo: &[u8],
    id: &str,
    arguments: &Arguments,
) -> Result<Vec<Sticker>, CompositeError> {
    let checked = renderer.check_old_photo(photo)?;
    let mut out = Vec::new();
    let done = renderer.composite(&checked.jpeg, id, arguments.language, &mut |index, sticker| {
        out.push(sticker.clone());
        if index + 1 < arguments.first { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    match done {
        Ok(_) | Err(CompositeError::Cancelled) => Ok(out),
        Err(e) => Err(e),
    }
}
