//! Which parts make the figure of each cell, and what is wrong with it.

use super::parts::{Found, Part};
use super::{CellProblem, Cells, Figure, Grid, SheetProblem};

/// Parts smaller than this part of a cell are specks.
const SPECK: f32 = 0.0003;
/// The body of a figure takes at least this part of a cell.
const BODY_MIN: f32 = 0.04;
/// And this part of the usual body.
const USUAL_MIN: f32 = 0.25;
/// A part that has so much of a usual body in a cell without a body of its own is that cell's body too.
const SHARED_MIN: f32 = 0.15;
/// A second body of this part of the first makes two figures.
const SECOND_MIN: f32 = 0.45;
/// So many pixels at the border, as a part of a cell's side, are a cut.
const CUT_MIN: f32 = 0.03;
/// A small part belongs to a figure that is nearer than this part of a cell's side.
const NEAR: f32 = 0.3;

/// The parts of one figure; the first is its body.
pub(super) struct Home {
    pub parts: Vec<usize>,
}

/// What is in each of the first `cells` cells.
pub(super) fn homes(found: &Found, grid: Grid, cells: usize) -> Vec<Result<Home, CellProblem>> {
    let size = (found.width * found.height / grid.cells()) as f32;
    let side = size.sqrt();
    let bodies: Vec<Vec<usize>> = (0..cells).map(|cell| bodies(found, grid, cell, size)).collect();
    let usual = usual(found, &bodies);
    let mut homes: Vec<Result<Home, CellProblem>> =
        (0..cells).map(|cell| home(found, cell, &bodies, usual, side)).collect();
    attach(found, &mut homes, size, side);
    homes
}

/// A sheet with another number of figures than was ordered: where a third of the cells, and more than one, hold none or several, the
/// others hold drawings that were meant for other cells.
pub(super) fn count(homes: &[Result<Home, CellProblem>]) -> Result<(), SheetProblem> {
    let uncounted = |home: &&Result<Home, CellProblem>| {
        matches!(home, Err(CellProblem::Empty | CellProblem::Missing | CellProblem::Several))
    };
    let wrong = homes.iter().filter(uncounted).count();
    if wrong > 1 && wrong * 3 >= homes.len() {
        return Err(SheetProblem::Count { wrong, cells: homes.len() });
    }
    Ok(())
}

/// The large parts whose middle lies in a cell, the largest first.
fn bodies(found: &Found, grid: Grid, cell: usize, size: f32) -> Vec<usize> {
    let (columns, rows) = (grid.columns as usize, grid.rows as usize);
    let inside = |part: &Part| {
        let column = (part.middle[0] as usize * columns / found.width).min(columns - 1);
        let row = (part.middle[1] as usize * rows / found.height).min(rows - 1);
        row * columns + column == cell
    };
    let large = |part: &Part| part.area as f32 > size * BODY_MIN * USUAL_MIN;
    let mut list: Vec<usize> =
        (0..found.parts.len()).filter(|at| large(&found.parts[*at]) && inside(&found.parts[*at])).collect();
    list.sort_by_key(|at| std::cmp::Reverse(found.parts[*at].area));
    list
}

/// Median area of the largest bodies.
fn usual(found: &Found, bodies: &[Vec<usize>]) -> f32 {
    let mut areas: Vec<usize> =
        bodies.iter().filter_map(|list| list.first()).map(|at| found.parts[*at].area).collect();
    areas.sort_unstable();
    areas.get(areas.len() / 2).copied().unwrap_or(0) as f32
}

fn home(
    found: &Found,
    cell: usize,
    bodies: &[Vec<usize>],
    usual: f32,
    side: f32,
) -> Result<Home, CellProblem> {
    let shared =
        found.parts.iter().enumerate().filter(|(at, part)| {
            part.in_cells[cell] as f32 > usual * SHARED_MIN && !bodies[cell].contains(at)
        });
    let Some(body) = bodies[cell].first() else {
        return Err(match (shared.count(), found.parts.iter().any(|part| part.in_cells[cell] > 0)) {
            (0, false) => CellProblem::Empty,
            (0, true) => CellProblem::Missing,
            _ => CellProblem::Touching,
        });
    };
    let part = &found.parts[*body];
    // Its body is also that of a cell that has none of its own.
    let merged = bodies.iter().enumerate().any(|(other, list)| {
        other != cell && list.is_empty() && part.in_cells[other] as f32 > usual * SHARED_MIN
    });
    let area = part.area as f32;
    let second = bodies[cell].get(1).map_or(0.0, |at| found.parts[*at].area as f32);
    if merged {
        Err(CellProblem::Touching)
    } else if part.at_border as f32 > side * CUT_MIN {
        Err(CellProblem::Cut)
    } else if second > area * SECOND_MIN {
        Err(CellProblem::Several)
    } else if area < usual * USUAL_MIN || area < side * side * BODY_MIN {
        Err(CellProblem::Missing)
    } else {
        Ok(Home { parts: vec![*body] })
    }
}

/// Stars, tears, a thrown hat: each small part goes to the nearest figure.
fn attach(found: &Found, homes: &mut [Result<Home, CellProblem>], size: f32, side: f32) {
    let taken: Vec<usize> = homes.iter().flatten().flat_map(|home| home.parts.iter().copied()).collect();
    for (at, part) in found.parts.iter().enumerate() {
        let cut = part.at_border as f32 > side * CUT_MIN;
        if taken.contains(&at) || (part.area as f32) < size * SPECK || cut {
            continue;
        }
        let far = |home: &Home| gap(&found.parts[home.parts[0]], part.middle);
        let nearest = homes.iter_mut().flatten().min_by(|a, b| far(a).total_cmp(&far(b)));
        if let Some(home) = nearest.filter(|home| far(home) < side * NEAR) {
            home.parts.push(at);
        }
    }
}

/// Distance from a point to a part's box.
fn gap(part: &Part, [x, y]: [f32; 2]) -> f32 {
    let [left, top, right, bottom] = part.bounds.map(|value| value as f32);
    (left - x).max(x - right).max(0.0).hypot((top - y).max(y - bottom).max(0.0))
}

/// Side of the small copies that are compared.
const SMALL: u32 = 20;
/// Mean difference of two drawings of one pose, in steps of 255.
const SAME_MAX: f32 = 5.0;

/// A drawing that an earlier cell has already must be drawn again.
pub(super) fn no_twins(cells: &mut Cells) {
    let copies: Vec<Option<Vec<f32>>> = cells.iter().map(|cell| cell.as_ref().ok().map(small)).collect();
    for later in 1..cells.len() {
        let Some(own) = &copies[later] else { continue };
        let same = |other: &Vec<f32>| {
            own.iter().zip(other).map(|(a, b)| (a - b).abs()).sum::<f32>() < SAME_MAX * own.len() as f32
        };
        if let Some(first) = copies[..later].iter().position(|copy| copy.as_ref().is_some_and(same)) {
            cells[later] = Err(CellProblem::Same(first));
        }
    }
}

/// A figure in few values: how light and how solid each part of it is.
fn small(figure: &Figure) -> Vec<f32> {
    let mut out = Vec::with_capacity((2 * SMALL * SMALL) as usize);
    let range = |i: u32, n: u32| i * n / SMALL..((i + 1) * n / SMALL).max(i * n / SMALL + 1).min(n);
    for y in 0..SMALL {
        for x in 0..SMALL {
            let (mut light, mut alpha, mut count) = (0.0, 0.0, 0.0f32);
            for v in range(y, figure.height).step_by(2) {
                for u in range(x, figure.width).step_by(2) {
                    let at = ((v * figure.width + u) * 4) as usize;
                    let pixel = &figure.data[at..at + 4];
                    light += pixel[..3].iter().map(|value| f32::from(*value)).sum::<f32>() / 3.0;
                    alpha += f32::from(pixel[3]);
                    count += 1.0;
                }
            }
            out.extend([light / count.max(1.0), alpha / count.max(1.0)]);
        }
    }
    out
}
