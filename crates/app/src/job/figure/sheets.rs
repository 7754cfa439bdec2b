//! Sheets: drawn, cut, checked, judged, and the bad cells drawn again.

use super::judge::{Judged, Seat, Sheet, judge};
use super::purse::{Asked, Purse};
use super::{Ended, Order, files, prompt};
use crate::AppError;
use crate::providers::Catalogue;
use bytes::Bytes;
use clients::images::{DrawOrder, ReferencePicture, Resolution};
use render::{Cells, Figure, Grid, KeyColour, SheetProblem, Slot, Sticker};
use serde::Serialize;
use std::sync::Arc;

/// The first sheet and two more for what is missing then.
const ROUNDS: usize = 3;

/// The consistency report. Names no person.
#[derive(Debug, Default, Serialize)]
struct Report {
    rounds: Vec<Round>,
    /// Slots of which every drawing so far was taken for somebody else.
    in_doubt: Vec<String>,
}

/// What it says of one sheet.
#[derive(Debug, Serialize)]
struct Round {
    provider: &'static str,
    sheet: Option<String>,
    /// Why nobody judged it.
    not_judged: Option<String>,
    cells: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    slot: String,
    problem: Option<String>,
    same_person: Option<bool>,
    likeness: Option<u8>,
}

/// One figure for each slot of the outfit.
pub(super) async fn figures(
    order: &Order<'_>,
    purse: &Purse<'_>,
    catalogue: &Catalogue,
    references: &[ReferencePicture],
    words: &prompt::Words,
) -> Result<Vec<Figure>, Ended> {
    let slots = &order.template.slots;
    let mut seats: Vec<Seat> = slots.iter().map(|_| Seat::default()).collect();
    let mut report = Report::default();
    for round in 0..ROUNDS {
        let free: Vec<usize> = (0..slots.len()).filter(|place| seats[*place].is_free()).collect();
        if free.is_empty() {
            break;
        }
        let wanted: Vec<&Slot> = free.iter().map(|place| &slots[*place]).collect();
        let (cells, judged) = sheet(order, purse, catalogue, references, words, round, &wanted).await?;
        report.rounds.push(told(purse.client().name(), &wanted, &cells, &judged));
        for (cell, (place, drawn)) in free.into_iter().zip(cells.into_iter().flatten()).enumerate() {
            if let Ok(figure) = drawn {
                seats[place].offer(figure, judged.of(cell));
            }
        }
        let doubted = slots.iter().zip(&seats).filter(|(_, seat)| seat.is_doubted());
        report.in_doubt = doubted.map(|(slot, _)| slot.id.clone()).collect();
        files::keep_report(order, &report).await?;
    }
    let doubted = report.in_doubt.len();
    if doubted * 2 > slots.len() {
        // An anchor that shows somebody else makes every sheet do so.
        files::drop_anchor(order).await?;
        return Err(Ended::failed(format!("{doubted} cells show somebody else")));
    }
    let figures: Vec<Figure> = seats.into_iter().filter_map(Seat::taken).collect();
    let bad = slots.len() - figures.len();
    if bad > 0 {
        return Err(Ended::failed(format!("{bad} cells are still bad after {ROUNDS} sheets")));
    }
    Ok(figures)
}

/// One sheet of some slots: drawn, kept, cut, judged.
async fn sheet(
    order: &Order<'_>,
    purse: &Purse<'_>,
    catalogue: &Catalogue,
    references: &[ReferencePicture],
    words: &prompt::Words,
    round: usize,
    wanted: &[&Slot],
) -> Result<(Result<Cells, SheetProblem>, Judged), Ended> {
    let grid = Grid::of(wanted.len());
    let text = prompt::sheet(&catalogue.prompts, words, grid, wanted);
    let client = purse.client();
    let stage = if round == 0 { "sheet" } else { "redo" };
    let asked = Asked::new(stage, client.image_model(), catalogue.reserve_usd.sheet);
    let question =
        || DrawOrder { prompt: text.clone(), pictures: references.to_vec(), resolution: Resolution::Sheet };
    let picture = purse.call(asked, || client.draw(question())).await?;
    files::keep_sheet(order, round, &picture).await?;
    let cells = cut(order, picture.bytes.clone(), grid, words.key, wanted.len()).await?;
    let judged = match &cells {
        Ok(cells) => judge(purse, catalogue, references, &Sheet { picture: &picture, grid, cells }).await?,
        Err(_) => Judged::not("the sheet is bad"),
    };
    Ok((cells, judged))
}

fn told(
    provider: &'static str,
    slots: &[&Slot],
    cells: &Result<Cells, SheetProblem>,
    judged: &Judged,
) -> Round {
    let problem = |place: usize| {
        let cells = cells.as_ref().ok()?;
        cells.get(place)?.as_ref().err().map(ToString::to_string)
    };
    let cell = |(place, slot): (usize, &&Slot)| {
        let likeness = judged.of(place);
        Cell {
            slot: slot.id.clone(),
            problem: problem(place),
            same_person: likeness.map(|likeness| likeness.same_person),
            likeness: likeness.map(|likeness| likeness.score),
        }
    };
    let sheet = cells.as_ref().err().map(ToString::to_string);
    let not_judged = judged.why_not.clone();
    Round { provider, sheet, not_judged, cells: slots.iter().enumerate().map(cell).collect() }
}

/// Cuts a sheet on a thread for long work.
pub(super) async fn cut(
    order: &Order<'_>,
    sheet: Bytes,
    grid: Grid,
    key: KeyColour,
    figures: usize,
) -> Result<Result<Cells, SheetProblem>, AppError> {
    let renderer = Arc::clone(order.renderer);
    Ok(tokio::task::spawn_blocking(move || renderer.cut_sheet(&sheet, grid, key, figures)).await?)
}

/// Captions, outlines, files.
pub(super) async fn finish(order: &Order<'_>, figures: Vec<Figure>) -> Result<Vec<Sticker>, Ended> {
    let (renderer, id, language) = (Arc::clone(order.renderer), order.template.id.clone(), order.language);
    let work = move || -> Result<Vec<Sticker>, render::CompositeError> {
        let one = |(place, figure): (usize, Figure)| renderer.finish_figure(&figure, &id, place, language);
        figures.into_iter().enumerate().map(one).collect()
    };
    let finished = tokio::task::spawn_blocking(work).await.map_err(AppError::from)?;
    finished.map_err(|error| Ended::failed(error.to_string()))
}
