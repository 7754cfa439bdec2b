//! Reading templates: the rig first, then every outfit, each slot laid over its pose. Problems are gathered, not thrown at
//! the first: whoever draws an outfit wants all of them.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::files::Files;
use super::model::{Expression, Outfit, Parts, Pose, Slot, Template, Words};
use super::{Problem, Templates};

const POSES: &str = "rig/poses.toml";
const EXPRESSIONS: &str = "rig/expressions.toml";
const FONT: &str = "rig/captions.ttf";
/// Keys of `template.toml` that are not the body's.
const NOT_BODY: [&str; 5] = ["id", "titles", "prompt", "order", "slots"];
/// Keys of a slot that are not the pose's.
const NOT_POSE: [&str; 3] = ["id", "pose", "prompt"];
/// Where an outfit without `order` stands among the others.
const ORDER_DEFAULT: i64 = 100;

/// What all outfits share.
struct Rig {
    poses: Table,
    expressions: HashMap<String, Expression>,
    parts: Parts,
}

/// Everything that could be read, and everything that is wrong.
pub(super) fn all(files: &Files) -> (Templates, Vec<Problem>) {
    let mut problems = Vec::new();
    let parts = parts(files, &mut problems);
    let rig = Rig {
        poses: table(files, POSES, &mut problems),
        expressions: expressions(files, &mut problems),
        parts,
    };
    let font = Arc::new(files.bytes(FONT).unwrap_or_default().to_vec());
    if font.is_empty() {
        problems.push(Problem { file: FONT.into(), line: 0, message: "is missing".into() });
    }
    let mut list = Vec::new();
    for folder in files.outfits() {
        list.extend(outfit(files, folder, &rig, &mut problems));
    }
    if list.is_empty() && problems.is_empty() {
        problems.push(Problem { file: "template.toml".into(), line: 0, message: "no outfit found".into() });
    }
    list.sort_by(|(a, s), (b, t)| a.cmp(b).then_with(|| s.id.cmp(&t.id)));
    (Templates { list: list.into_iter().map(|(_, t)| t).collect(), font }, problems)
}

/// The bodies of all SVG files.
fn parts(files: &Files, problems: &mut Vec<Problem>) -> Parts {
    let mut map = HashMap::new();
    for name in files.under("").filter(|n| n.ends_with(".svg")) {
        let body = files.text(name).and_then(|text| {
            body_of(text).ok_or_else(|| Problem {
                file: name.into(),
                line: 1,
                message: "is not an SVG document".into(),
            })
        });
        match body {
            Ok(body) => {
                map.insert(name.to_owned(), Arc::from(body));
            }
            Err(problem) => problems.push(problem),
        }
    }
    Parts(Arc::new(map))
}

/// What stands between `<svg …>` and the last `</svg>`.
fn body_of(text: &str) -> Option<&str> {
    let open = text.find("<svg")?;
    let start = open + text[open..].find('>')? + 1;
    let end = text.rfind("</svg>")?;
    text.get(start..end).map(str::trim)
}

fn table(files: &Files, name: &str, problems: &mut Vec<Problem>) -> Table {
    let parsed = files.text(name).and_then(|text| toml::from_str(text).map_err(|e| problem(name, text, &e)));
    parsed.unwrap_or_else(|p| {
        problems.push(p);
        Table::new()
    })
}

fn expressions(files: &Files, problems: &mut Vec<Problem>) -> HashMap<String, Expression> {
    let all = table(files, EXPRESSIONS, problems);
    let neutral = all.get("neutral").and_then(Value::as_table).cloned().unwrap_or_default();
    let text = files.text(EXPRESSIONS).unwrap_or_default();
    let mut out = HashMap::new();
    for (name, value) in all {
        let mut merged = neutral.clone();
        lay_over(&mut merged, value.as_table().cloned().unwrap_or_default());
        match Value::Table(merged).try_into() {
            Ok(expression) => {
                out.insert(name, expression);
            }
            Err(e) => {
                let from = line_of(text, 1, &format!("[{name}]")).unwrap_or(0);
                problems.push(inside(EXPRESSIONS, text, from, &e));
            }
        }
    }
    out
}

/// Tables are merged key by key, everything else is replaced.
fn lay_over(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(more)) => lay_over(inner, more),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[derive(Deserialize)]
struct Head {
    id: Spanned<String>,
    titles: Words,
    #[serde(default)]
    prompt: String,
    order: Option<i64>,
    slots: Vec<Spanned<Table>>,
}

fn outfit(files: &Files, folder: &str, rig: &Rig, problems: &mut Vec<Problem>) -> Option<(i64, Template)> {
    let file = format!("{folder}/template.toml");
    let text = match files.text(&file) {
        Ok(text) => text,
        Err(p) => {
            problems.push(p);
            return None;
        }
    };
    let parsed = toml::from_str::<Head>(text).and_then(|head| Ok((head, toml::from_str::<Table>(text)?)));
    let (head, mut body) = match parsed {
        Ok(both) => both,
        Err(e) => {
            problems.push(problem(&file, text, &e));
            return None;
        }
    };
    if head.id.get_ref() != folder {
        let message = format!("id is `{}`, the folder `{folder}`", head.id.get_ref());
        problems.push(Problem { file: file.clone(), line: line_at(text, head.id.span().start), message });
    }
    body.retain(|key, _| !NOT_BODY.contains(&key));
    let tokens = body.iter().filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_owned()))).collect();
    let mut outfit: Outfit = match Value::Table(body).try_into() {
        Ok(outfit) => outfit,
        Err(e) => {
            problems.push(inside(&file, text, 1, &e));
            return None;
        }
    };
    outfit.tokens = tokens;
    let mut slots = Vec::new();
    for raw in head.slots {
        let line = line_at(text, raw.span().start);
        match slot(raw.into_inner(), rig) {
            Ok(slot) => slots.push(slot),
            Err(SlotError::Says(message)) => problems.push(Problem { file: file.clone(), line, message }),
            Err(SlotError::Toml(e)) => problems.push(inside(&file, text, line, &e)),
        }
    }
    let template = Template {
        id: folder.to_owned(),
        titles: head.titles,
        prompt: head.prompt,
        slots,
        outfit,
        parts: rig.parts.clone(),
    };
    Some((head.order.unwrap_or(ORDER_DEFAULT), template))
}

enum SlotError {
    Says(String),
    Toml(toml::de::Error),
}

/// A slot over its pose.
fn slot(mut over: Table, rig: &Rig) -> Result<Slot, SlotError> {
    let word = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = word(&over, "pose").ok_or_else(|| SlotError::Says("a slot names its `pose`".into()))?;
    let (id, prompt) = (word(&over, "id"), word(&over, "prompt"));
    over.retain(|key, _| !NOT_POSE.contains(&key));
    let base = rig.poses.get(&name).and_then(Value::as_table);
    let mut merged = base.cloned().ok_or_else(|| SlotError::Says(format!("no pose `{name}` in {POSES}")))?;
    lay_over(&mut merged, over);
    let pose: Pose = Value::Table(merged).try_into().map_err(SlotError::Toml)?;
    let expression = rig.expressions.get(&pose.expression).cloned();
    let expression = expression
        .ok_or_else(|| SlotError::Says(format!("no expression `{}` in {EXPRESSIONS}", pose.expression)))?;
    Ok(Slot {
        id: id.unwrap_or(name),
        emoji: pose.emoji.clone(),
        caption: pose.caption.clone(),
        prompt: prompt.unwrap_or_default(),
        pose,
        expression,
    })
}

fn problem(file: &str, text: &str, e: &toml::de::Error) -> Problem {
    let line = e.span().map_or(0, |span| line_at(text, span.start));
    Problem { file: file.into(), line, message: e.message().into() }
}

/// An error without a place of its own: the line of the key that its message names, at or after `from`.
fn inside(file: &str, text: &str, from: u32, e: &toml::de::Error) -> Problem {
    let key = e.message().split('`').nth(1).unwrap_or_default();
    let line = if key.is_empty() { None } else { line_of(text, from, key) };
    Problem { file: file.into(), line: line.unwrap_or(from), message: e.message().into() }
}

/// The first line at or after `from` that begins with `start`, before the next slot.
fn line_of(text: &str, from: u32, start: &str) -> Option<u32> {
    let lines = text.lines().enumerate().skip(from.saturating_sub(1) as usize);
    let end = |(i, line): &(usize, &str)| *i as u32 >= from && line.starts_with("[[");
    lines
        .take_while(|l| !end(l))
        .find(|(_, line)| line.trim_start().starts_with(start) || line.contains(&format!(" {start} =")))
        .map(|(i, _)| i as u32 + 1)
}

/// The line of a byte, from 1.
pub(super) fn line_at(text: &str, byte: usize) -> u32 {
    text.as_bytes().iter().take(byte).filter(|b| **b == b'\n').count() as u32 + 1
}
