//! The judgement of a sheet: whether each cell shows the person of the photo. One schema for all providers.

use serde::Deserialize;
use serde_json::{Value, json};

/// The best score of a likeness.
const SCORE_MAX: u8 = 10;

/// What a judge says of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// Whether the same person is drawn.
    pub same_person: bool,
    /// How well, 0 to 10.
    pub score: u8,
}

/// What a judge says of a sheet: one entry a cell, none where it said nothing that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement(pub Vec<Option<Likeness>>);

#[derive(Deserialize)]
struct Told {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    cell: i64,
    same_person: bool,
    likeness: f64,
}

impl Judgement {
    /// The JSON schema of the answer: every member required, nothing else allowed (strict mode asks for both).
    pub fn schema() -> Value {
        let cell = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["cell", "same_person", "likeness"],
            "properties": {
                "cell": {"type": "integer"},
                "same_person": {"type": "boolean"},
                "likeness": {"type": "integer"}
            }
        });
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["cells"],
            "properties": {"cells": {"type": "array", "items": cell}}
        })
    }

    /// Reads the JSON text of an answer about the first `cells` cells; none when it is cut off, does not follow the schema or speaks of none
    /// of them. A cell of which two things are told counts as not judged.
    pub(super) fn read(text: &str, cells: usize) -> Option<Judgement> {
        let told: Told = serde_json::from_str(text.trim()).ok()?;
        let about = |number: usize| {
            let mut found = told.cells.iter().filter(|cell| usize::try_from(cell.cell) == Ok(number));
            let first = found.next()?;
            let score = first.likeness.clamp(0.0, f64::from(SCORE_MAX)).round() as u8;
            found.next().is_none().then_some(Likeness { same_person: first.same_person, score })
        };
        let list: Vec<Option<Likeness>> = (1..=cells).map(about).collect();
        list.iter().any(Option::is_some).then_some(Judgement(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cells: &str) -> Option<Vec<Option<(bool, u8)>>> {
        let judgement = Judgement::read(&format!("{{\"cells\":[{cells}]}}"), 3)?;
        Some(
            judgement
                .0
                .into_iter()
                .map(|cell| cell.map(|likeness| (likeness.same_person, likeness.score)))
                .collect(),
        )
    }

    fn cell(number: i32, same: bool, likeness: i32) -> String {
        format!(r#"{{"cell":{number},"same_person":{same},"likeness":{likeness}}}"#)
    }

    #[test]
    fn cells_are_found_by_their_number_and_scores_stay_in_range() {
        let cells = [cell(3, true, 12), cell(1, false, -2), cell(9, true, 5)].join(",");
        assert_eq!(read(&cells), Some(vec![Some((false, 0)), None, Some((true, 10))]));
    }

    #[test]
    fn a_cell_that_is_told_twice_is_not_judged() {
        let cells = [cell(1, true, 8), cell(1, false, 1), cell(2, true, 7)].join(",");
        assert_eq!(read(&cells), Some(vec![None, Some((true, 7)), None]));
    }

    #[test]
    fn prose_other_cells_and_an_answer_that_is_cut_off_are_no_judgement() {
        assert_eq!(read(&cell(7, true, 5)), None);
        assert_eq!(read(""), None);
        for text in ["They look alike.", r#"{"cells":[{"cell":1,"same_"#, r#"{"cells":[{"cell":1}]}"#] {
            assert_eq!(Judgement::read(text, 3), None, "{text}");
        }
    }
}
