//! What providers are told. The words stand in the operator's file; here they are filled in.

use crate::providers::Prompts;
use clients::images::Appearance;
use render::{Grid, KeyColour, Slot};

/// What is the same in all prompts of a job.
pub(super) struct Words {
    pub likeness: String,
    pub outfit: String,
    pub key: KeyColour,
}

/// The locked clause that is repeated word for word in each prompt.
pub(super) fn likeness(appearance: Option<&Appearance>) -> String {
    let Some(seen) = appearance else {
        return "keep the face, hair, glasses and skin of the photo exactly.".to_owned();
    };
    let traits = [
        ("hair", &seen.hair),
        ("facial hair", &seen.facial_hair),
        ("eyes", &seen.eyes),
        ("glasses", &seen.glasses),
        ("marks", &seen.marks),
    ];
    let told =
        traits.into_iter().filter(|(_, words)| !words.is_empty() && !words.eq_ignore_ascii_case("none"));
    let told: Vec<String> = told.map(|(name, words)| format!("{name}: {words}")).collect();
    format!("{}; keep the face of the photo exactly.", told.join(", "))
}

fn filled(text: &str, words: &Words) -> String {
    text.replace("{key}", words.key.hex())
        .replace("{outfit}", &words.outfit)
        .replace("{likeness}", &words.likeness)
}

/// For the anchor portrait.
pub(super) fn anchor(prompts: &Prompts, words: &Words) -> String {
    filled(&prompts.anchor, words)
}

/// For a sheet of some slots. A grid with more cells than slots shows the first ones again, so that no cell is left to chance.
pub(super) fn sheet(prompts: &Prompts, words: &Words, grid: Grid, slots: &[&Slot]) -> String {
    let lines = slots.iter().cycle().take(grid.cells()).enumerate();
    let poses: Vec<String> = lines.map(|(place, slot)| format!("{}. {}", place + 1, pose(slot))).collect();
    let (columns, rows) = (grid.columns, grid.rows);
    filled(&prompts.sheet, words)
        .replace("{grid}", &format!("{columns} columns x {rows} rows"))
        .replace("{count}", &grid.cells().to_string())
        .replace("{poses}", &poses.join("\n"))
}

/// For the judge of the first `count` cells of a sheet.
pub(super) fn judge(prompts: &Prompts, grid: Grid, count: usize) -> String {
    let (columns, rows) = (grid.columns, grid.rows);
    prompts
        .judge
        .replace("{grid}", &format!("{columns} columns x {rows} rows"))
        .replace("{count}", &count.to_string())
}

fn pose(slot: &Slot) -> String {
    let words = if slot.prompt.is_empty() { slot.id.replace(['_', '-'], " ") } else { slot.prompt.clone() };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::Catalogue;
    use render::Templates;

    fn words() -> Words {
        Words { likeness: likeness(None), outfit: "a red chapan".into(), key: KeyColour::Magenta }
    }

    #[test]
    fn a_sheet_begins_with_the_canvas_and_numbers_each_cell() {
        let catalogue = Catalogue::built_in().expect("the built-in file");
        let templates = Templates::built_in();
        let slots: Vec<&Slot> = templates.get("chapan").expect("an outfit").slots.iter().take(5).collect();
        let text = sheet(&catalogue.prompts, &words(), Grid::of(5), &slots);
        assert!(
            text.trim_start().starts_with("Canvas: one square image, exactly 3 columns x 3 rows"),
            "{text}"
        );
        let numbered: Vec<&str> =
            text.lines().filter(|line| line.contains(". ") && line.as_bytes()[0].is_ascii_digit()).collect();
        assert_eq!(numbered.len(), 9, "every cell has its line: {numbered:?}");
        assert_eq!(numbered[0][3..], numbered[5][3..], "the first pose again");
        assert!(text.contains("#FF00FF") && text.contains("a red chapan") && !text.contains('{'), "{text}");
    }

    #[test]
    fn no_caption_stands_in_a_prompt() {
        let catalogue = Catalogue::built_in().expect("the built-in file");
        let templates = Templates::built_in();
        for template in templates.iter() {
            let slots: Vec<&Slot> = template.slots.iter().collect();
            let text = sheet(&catalogue.prompts, &words(), Grid::of(9), &slots);
            for slot in &slots {
                assert!(!text.contains(&format!("\"{}\"", slot.caption.en)), "{}: {}", template.id, slot.id);
            }
        }
    }
}
