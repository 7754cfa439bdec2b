//! `stickers templates check`: what is wrong with a folder of outfits. Everything that would otherwise be noticed by a guest:
//! names without a file, tokens that nobody fills, drawings that stick out of their view box, letters that the font has not,
//! stickers of a pack that look alike.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::files::Files;
use super::load::{self, line_at};
use super::model::Slot;
use super::{Problem, Template, Templates};
use crate::composite::{Drawing, Tokens, Typeface, silhouette};

/// Fewer or more stickers are no pack.
const SLOTS: usize = 9;
/// Silhouettes that share more than this look the same.
const ALIKE: f32 = 0.9;
/// Where the ids of a drawing begin.
const ID: &str = " id=\"";

/// Everything wrong with the outfits of a folder (or with the one outfit that the folder is); empty when all is well.
pub fn check_dir(dir: &Path) -> Vec<Problem> {
    match Files::read(dir) {
        Ok(files) => check(&files.over_built_in_rig()),
        Err(problem) => vec![problem],
    }
}

/// The same for what the program was built with.
#[cfg(test)]
pub(super) fn check_built_in() -> Vec<Problem> {
    check(&Files::built_in())
}

fn check(files: &Files) -> Vec<Problem> {
    let (templates, mut problems) = load::all(files);
    let mut check = Check { files, problems: Vec::new() };
    match Typeface::new(&templates.font) {
        Ok(typeface) => templates.iter().for_each(|t| check.template(t, &typeface)),
        Err(e) => check.say("rig/captions.ttf", 0, e.to_string()),
    }
    check.drawings(&templates);
    problems.append(&mut check.problems);
    problems.sort_by(|a, b| (&a.file, a.line, &a.message).cmp(&(&b.file, b.line, &b.message)));
    problems.dedup();
    problems
}

struct Check<'a> {
    files: &'a Files,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn say(&mut self, file: &str, line: u32, message: String) {
        self.problems.push(Problem { file: file.to_owned(), line, message });
    }

    /// The line of a slot: that of its `pose` or `id`, counted among the `[[slots]]`.
    fn slot_line(&self, file: &str, index: usize) -> u32 {
        let text = self.files.text(file).unwrap_or_default();
        text.match_indices("[[slots]]").nth(index).map_or(0, |(at, _)| line_at(text, at))
    }

    fn template(&mut self, template: &Template, typeface: &Typeface) {
        let file = format!("{}/template.toml", template.id);
        if template.slots.len() != SLOTS {
            self.say(&file, 0, format!("{} slots, a pack has {SLOTS}", template.slots.len()));
        }
        if template.titles.all().iter().any(|t| t.trim().is_empty()) {
            self.say(&file, 0, "a title is empty".into());
        }
        for name in ["torso.svg", "collar.svg"].into_iter().chain(template.outfit.hat.as_deref()) {
            if template.parts.own(&template.id, name).is_none() {
                self.say(&file, 0, format!("{name} is missing"));
            }
        }
        let mut ids = HashSet::new();
        for (index, slot) in template.slots.iter().enumerate() {
            let line = self.slot_line(&file, index);
            if !ids.insert(&slot.id) {
                self.say(&file, line, format!("a second slot `{}`: give it an `id`", slot.id));
            }
            for message in slot_problems(template, slot, typeface) {
                self.say(&file, line, format!("slot `{}`: {message}", slot.id));
            }
        }
        self.alike(template, &file);
    }

    /// No two stickers of a pack may look the same from afar, or share arms and expression.
    fn alike(&mut self, template: &Template, file: &str) {
        let shapes: Vec<Option<Vec<bool>>> =
            template.slots.iter().map(|s| silhouette(template, s).ok()).collect();
        for (b, slot) in template.slots.iter().enumerate() {
            for (a, other) in template.slots[..b].iter().enumerate() {
                let line = self.slot_line(file, b);
                let (p, q) = (&slot.pose, &other.pose);
                if p.a == q.a && p.b == q.b && p.expression == q.expression {
                    let message =
                        format!("slots `{}` and `{}` have the same arms and expression", other.id, slot.id);
                    self.say(file, line, message);
                }
                let (Some(x), Some(y)) = (&shapes[a], &shapes[b]) else { continue };
                let count =
                    |f: fn(bool, bool) -> bool| x.iter().zip(y).filter(|(x, y)| f(**x, **y)).count() as f32;
                let share = count(|x, y| x && y) / count(|x, y| x || y).max(1.0);
                if share >= ALIKE {
                    let message =
                        format!("slots `{}` and `{}` have the same outline ({share:.2})", other.id, slot.id);
                    self.say(file, line, message);
                }
            }
        }
    }

    /// Every drawing by itself: tokens, view box, ids.
    fn drawings(&mut self, templates: &Templates) {
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let names: Vec<String> =
            self.files.under("").filter(|n| n.ends_with(".svg")).map(str::to_owned).collect();
        for name in names {
            let Ok(text) = self.files.text(&name).map(str::to_owned) else { continue };
            let folder = name.split('/').next().unwrap_or_default();
            let owner = templates.get(folder).or_else(|| templates.iter().next());
            let Some(tokens) = owner.map(|t| Tokens::sample(&t.outfit)) else { continue };
            self.tokens(&name, &text, &tokens);
            self.view_box(&name, &text, &tokens);
            for (at, _) in text.match_indices(ID) {
                let id = text[at + ID.len()..].split('"').next().unwrap_or_default();
                if let Some(first) = seen.insert(id.to_owned(), name.clone()).filter(|f| *f != name) {
                    self.say(&name, line_at(&text, at), format!("id `{id}` is also in {first}"));
                }
            }
        }
    }

    fn tokens(&mut self, name: &str, text: &str, tokens: &Tokens) {
        for (at, _) in text.match_indices("{{") {
            let token = text[at + 2..].split("}}").next().unwrap_or_default().trim();
            if !tokens.knows(token) {
                self.say(name, line_at(text, at), format!("unknown token `{{{{{token}}}}}`"));
            }
        }
    }

    fn view_box(&mut self, name: &str, text: &str, tokens: &Tokens) {
        let Some(start) = text.find("viewBox=\"").map(|i| i + "viewBox=\"".len()) else {
            self.say(name, 1, "has no viewBox".into());
            return;
        };
        let numbers = text[start..].split('"').next().unwrap_or_default();
        let numbers: Vec<f32> = numbers.split([' ', ',']).filter_map(|n| n.parse().ok()).collect();
        let line = line_at(text, start);
        let [x, y, w, h] = numbers[..] else {
            self.say(name, line, "viewBox is not four numbers".into());
            return;
        };
        let (open, close) = (text.find("<svg").unwrap_or(0), text.rfind("</svg>").unwrap_or(text.len()));
        let body = text[open..close].split_once('>').map_or("", |(_, b)| b);
        match Drawing::new(&tokens.fill(body, 1.0)) {
            Err(e) => self.say(name, 1, e.to_string()),
            Ok(drawing) => {
                let Some([l, t, r, b]) = drawing.bounds() else {
                    self.say(name, 1, "draws nothing".into());
                    return;
                };
                if l < x || t < y || r > x + w || b > y + h {
                    let message =
                        format!("reaches from ({l:.0}, {t:.0}) to ({r:.0}, {b:.0}), out of its viewBox");
                    self.say(name, line, message);
                }
            }
        }
    }
}

/// Names without files, letters without glyphs.
fn slot_problems(template: &Template, slot: &Slot, typeface: &Typeface) -> Vec<String> {
    let mut out = Vec::new();
    let (pose, parts, id) = (&slot.pose, &template.parts, template.id.as_str());
    let mut want = |kind: &str, name: &str| {
        if parts.of_kind(id, kind, name).is_none() {
            out.push(format!("no drawing `{name}` in {kind}"));
        }
    };
    for arm in [&pose.a, &pose.b] {
        arm.hand.iter().for_each(|n| want("hands", n));
        arm.prop.iter().for_each(|n| want("props", n));
    }
    pose.effects.iter().for_each(|e| want("effects", &e.part));
    let files = pose.back.iter().chain(&pose.front).map(String::as_str);
    for name in files.chain(pose.legs.file()).chain(pose.outfit_back.as_deref().filter(|n| *n != "none")) {
        if parts.own(id, name).is_none() {
            out.push(format!("{name} is missing"));
        }
    }
    if slot.emoji.is_empty() {
        out.push("has no emoji".into());
    }
    for words in slot.caption.all() {
        let missing = typeface.missing(words);
        if !missing.is_empty() {
            out.push(format!("the font has no {missing:?} for {words:?}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_outfits_that_come_with_the_program_have_no_problems() {
        let problems: Vec<String> = super::check_built_in().iter().map(ToString::to_string).collect();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
