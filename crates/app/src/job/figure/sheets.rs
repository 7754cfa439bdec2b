//! Sheets: drawn, cut, checked, and the bad cells drawn again.

use super::purse::{Asked, Purse};
use super::{Ended, Order, files, prompt};
use crate::AppError;
use crate::providers::Catalogue;
use bytes::Bytes;
use clients::images::{DrawOrder, ReferencePicture, Resolution};
use render::{Cells, Figure, Grid, KeyColour, SheetProblem, Slot};
use serde::Serialize;
use std::sync::Arc;

/// The first sheet and two more for what is missing then.
const ROUNDS: usize = 3;

/// What the consistency report says of one sheet. Names no person.
#[derive(Debug, Serialize)]
struct Round {
    provider: &'static str,
    sheet: Option<String>,
    cells: Vec<Cell>,
}

#[derive(Debug, Serialize)]
struct Cell {
    slot: String,
    problem: Option<String>,
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
    let mut figures: Vec<Option<Figure>> = vec![None; slots.len()];
    let mut report = Vec::new();
    for round in 0..ROUNDS {
        let missing: Vec<usize> = (0..slots.len()).filter(|place| figures[*place].is_none()).collect();
        if missing.is_empty() {
            break;
        }
        let wanted: Vec<&Slot> = missing.iter().map(|place| &slots[*place]).collect();
        let grid = Grid::of(wanted.len());
        let text = prompt::sheet(&catalogue.prompts, words, grid, &wanted);
        let client = purse.client();
        let stage = if round == 0 { "sheet" } else { "redo" };
        let asked = Asked { stage, model: client.image_model(), reserve_usd: catalogue.reserve_usd.sheet };
        let question = || DrawOrder {
            prompt: text.clone(),
            pictures: references.to_vec(),
            resolution: Resolution::Sheet,
        };
        let picture = purse.call(asked, || client.draw(question())).await?;
        files::keep_sheet(order, round, &picture).await?;
        let cells = cut(order, picture.bytes, grid, words.key, wanted.len()).await?;
        report.push(told(client.name(), &wanted, &cells));
        for (place, cell) in missing.into_iter().zip(cells.into_iter().flatten()) {
            figures[place] = cell.ok();
        }
    }
    files::keep_report(order, &report).await?;
    let bad = figures.iter().filter(|figure| figure.is_none()).count();
    if bad > 0 {
        return Err(Ended::failed(format!("{bad} cells are still bad after {ROUNDS} sheets")));
    }
    Ok(figures.into_iter().flatten().collect())
}

fn told(provider: &'static str, slots: &[&Slot], cells: &Result<Cells, SheetProblem>) -> Round {
    let problem = |place: usize| {
        let cells = cells.as_ref().ok()?;
        cells.get(place)?.as_ref().err().map(ToString::to_string)
    };
    let cell = |(place, slot): (usize, &&Slot)| Cell { slot: slot.id.clone(), problem: problem(place) };
    let sheet = cells.as_ref().err().map(ToString::to_string);
    Round { provider, sheet, cells: slots.iter().enumerate().map(cell).collect() }
}

/// Cuts a sheet on a thread for long work.
pub(super) async fn cut(
    order: &Order<'_>,
    sheet: Bytes,
    grid: Grid,
    key: KeyColour,
    figures: usize,
) -> Result<Result<Cells, SheetProblem>, AppError> {
    let renderer = Arc::clone(&order.ctx.renderer);
    Ok(tokio::task::spawn_blocking(move || renderer.cut_sheet(&sheet, grid, key, figures)).await?)
}

/// Captions, outlines, files.
pub(super) async fn finish(order: &Order<'_>, figures: Vec<Figure>) -> Result<Vec<Bytes>, Ended> {
    let (renderer, id, language) =
        (Arc::clone(&order.ctx.renderer), order.template.id.clone(), order.language);
    let work = move || -> Result<Vec<Bytes>, render::CompositeError> {
        let one = |(place, figure): (usize, Figure)| {
            Ok(Bytes::from(renderer.finish_figure(&figure, &id, place, language)?.webp))
        };
        figures.into_iter().enumerate().map(one).collect()
    };
    let finished = tokio::task::spawn_blocking(work).await.map_err(AppError::from)?;
    finished.map_err(|error| Ended::failed(error.to_string()))
}
