//! The same person in every cell: a model that sees is asked about each sheet.
//!
//! A doubt is no proof. A cell that a judge takes for somebody else is drawn once more, and then the better of the two is kept; only when
//! most of a pack shows somebody else is it no pack. A sheet that nobody could judge is taken as it is: it is paid for, and it passed
//! everything that can be measured.

use super::purse::{Asked, Purse};
use super::{Ended, prompt};
use crate::providers::Catalogue;
use clients::images::{JudgeOrder, Likeness, Picture, ReferencePicture};
use render::{CellProblem, Figure, Grid};

/// So many times a cell may be taken for somebody else; then its best figure is kept.
const DOUBTS_MAX: usize = 2;

/// What was said of the cells of a sheet.
pub(super) struct Judged {
    cells: Vec<Option<Likeness>>,
    /// Why nothing was said.
    pub why_not: Option<String>,
}

impl Judged {
    /// Nothing was said.
    pub fn not(why: impl Into<String>) -> Judged {
        Judged { cells: Vec::new(), why_not: Some(why.into()) }
    }

    /// What was said of a cell.
    pub fn of(&self, place: usize) -> Option<Likeness> {
        self.cells.get(place).copied().flatten()
    }
}

/// A drawn sheet and how it was ordered.
pub(super) struct Sheet<'a> {
    pub picture: &'a Picture,
    pub grid: Grid,
    /// One for each figure that was ordered.
    pub cells: &'a [Result<Figure, CellProblem>],
}

/// Asks about a sheet. Only a lost job and our own faults are errors.
pub(super) async fn judge(
    purse: &Purse<'_>,
    catalogue: &Catalogue,
    references: &[ReferencePicture],
    sheet: &Sheet<'_>,
) -> Result<Judged, Ended> {
    let client = purse.client();
    let Some(model) = client.vision_model() else {
        return Ok(Judged::not("no model that sees is configured"));
    };
    if catalogue.prompts.judge.is_empty() {
        return Ok(Judged::not("prompts.judge is empty"));
    }
    if sheet.cells.iter().all(Result::is_err) {
        return Ok(Judged::not("no cell is good"));
    }
    let Some(drawn) = ReferencePicture::new(sheet.picture.bytes.clone()) else {
        return Ok(Judged::not("the sheet is of no known format"));
    };
    let cells = sheet.cells.len();
    let order = || JudgeOrder {
        prompt: prompt::judge(&catalogue.prompts, sheet.grid, cells),
        references: references.to_vec(),
        sheet: drawn.clone(),
        cells,
    };
    // The guest waits: nobody is asked twice for an opinion.
    let asked = Asked { stage: "judge", model, reserve_usd: catalogue.reserve_usd.judge, retries_max: 0 };
    match purse.call(asked, || client.judge(order())).await {
        Ok(judgement) => Ok(Judged { cells: judgement.0, why_not: None }),
        Err(ended @ (Ended::Lost | Ended::Ours(_))) => Err(ended),
        Err(ended) => Ok(Judged::not(ended.words())),
    }
}

/// A slot of the pack while its figure is looked for.
#[derive(Default)]
pub(super) struct Seat {
    figure: Option<Figure>,
    /// The best figure that was taken for somebody else, with its score.
    doubted: Option<(u8, Figure)>,
    doubts: usize,
}

impl Seat {
    /// Whether another figure is wanted.
    pub fn is_free(&self) -> bool {
        self.figure.is_none() && self.doubts < DOUBTS_MAX
    }

    /// Takes a good cell.
    pub fn offer(&mut self, figure: Figure, likeness: Option<Likeness>) {
        match likeness.filter(|likeness| !likeness.same_person) {
            None => self.figure = Some(figure),
            Some(Likeness { score, .. }) => {
                self.doubts += 1;
                if self.doubted.as_ref().is_none_or(|(best, _)| score > *best) {
                    self.doubted = Some((score, figure));
                }
            }
        }
    }

    /// Whether all there is was taken for somebody else.
    pub fn is_doubted(&self) -> bool {
        self.figure.is_none() && self.doubted.is_some()
    }

    /// The figure to take.
    pub fn taken(self) -> Option<Figure> {
        self.figure.or(self.doubted.map(|(_, figure)| figure))
    }
}
