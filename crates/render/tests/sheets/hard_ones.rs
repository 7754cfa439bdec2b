//! Sheets that are hard on purpose, cut and measured against the truth.

use std::sync::LazyLock;

use crate::hard::{CASES, Case, Composed, Share, USUAL, compose, fringe, shares};
use image::{Rgba, RgbaImage};
use render::{CellProblem, Cells, KeyColour, Language, SheetProblem};

use crate::{NINE, RENDERER};

const PHOTO: &[u8] = include_bytes!("../data/astronaut.png");
const SIDE: u32 = 1024;

static FIGURES: LazyLock<Vec<RgbaImage>> = LazyLock::new(|| {
    let photo = RENDERER.check_photo(PHOTO).expect("the portrait is accepted");
    RENDERER.figures(&photo.jpeg, "chapan").expect("nine figures")
});

fn cut(composed: &Composed, case: &Case) -> Result<Cells, SheetProblem> {
    RENDERER.cut_sheet(&composed.file, NINE, case.key, 9)
}

fn problems(case: Case) -> Result<Vec<Option<CellProblem>>, SheetProblem> {
    cut(&compose(&FIGURES, &case, SIDE), &case).map(|cells| cells.into_iter().map(Result::err).collect())
}

/// What may go wrong with a sheet, as parts: limbs lost, ground kept, colours changed, edge that leans to the key.
struct Bound {
    lost: f32,
    kept: f32,
    changed: f32,
    fringe: f32,
}

fn bound(name: &str) -> Bound {
    let usual = Bound { lost: 0.001, kept: 0.001, changed: 0.002, fringe: 0.002 };
    match name {
        // What strong compression does to colours is no fault of the cut.
        "rough-jpeg" | "all-at-once" | "green-on-magenta" => Bound { changed: 0.05, ..usual },
        // Clothes of the key's hue are an edge of the key's hue.
        "green-on-green" => Bound { fringe: 1.0, ..usual },
        _ => usual,
    }
}

#[test]
fn a_hard_sheet_loses_no_limb_and_keeps_no_ground_and_no_fringe() {
    let mut worse = Vec::new();
    for case in CASES {
        let composed = compose(&FIGURES, &case, SIDE);
        let cells = cut(&composed, &case).unwrap_or_else(|problem| panic!("{}: {problem}", case.name));
        let bound = bound(case.name);
        for (place, (cell, truth)) in cells.iter().zip(&composed.layers).enumerate() {
            let figure = match cell {
                Ok(figure) => figure,
                Err(problem) => {
                    worse.push(format!("{} {place}: {problem}", case.name));
                    continue;
                }
            };
            let (left, top) = figure.place();
            let Share { lost, kept, changed } =
                shares(truth, composed.side, Some((left.into(), top.into(), &figure.picture())));
            let sticker = RENDERER.finish_figure(figure, "chapan", place, Language::Ru).expect("a sticker");
            let edge = fringe(&sticker.rgba, case.key);
            let good = lost <= bound.lost && kept <= bound.kept && changed <= bound.changed;
            if !good || edge > bound.fringe {
                let shares = format!("lost {lost}, kept {kept}, changed {changed}, edge {edge}");
                worse.push(format!("{} {place}: {shares}", case.name));
            }
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

#[test]
fn figures_that_hang_together_by_an_arm_or_by_a_strand_of_hair_are_both_drawn_again() {
    let together = |cell| (cell == 3 || cell == 4).then_some(CellProblem::Touching);
    for width in [14.0, 2.0] {
        let case = Case { bridge: Some(width), ..USUAL };
        assert_eq!(problems(case), Ok((0..9).map(together).collect()), "{width} px");
    }
    assert_eq!(problems(USUAL), Ok(vec![None; 9]));
}

#[test]
fn a_sheet_with_another_number_of_figures_is_refused_whole() {
    for (columns, rows, wrong) in [(4, 3, 3), (4, 4, 5), (2, 3, 3), (3, 2, 3)] {
        let found = problems(Case { columns, rows, ..USUAL });
        assert_eq!(found, Err(SheetProblem::Count { wrong, cells: 9 }), "{columns} x {rows}");
    }
}

#[test]
fn the_measures_see_a_fringe_a_lost_limb_and_kept_ground() {
    let composed = compose(&FIGURES, &USUAL, SIDE);
    let truth = &composed.layers[0];
    let at = Some((truth.left, truth.top, &truth.picture));
    let Share { lost, kept, changed } = shares(truth, SIDE, at);
    assert_eq!((lost, kept, changed), (0.0, 0.0, 0.0));
    assert_eq!(shares(truth, SIDE, None).lost, 1.0);
    let mut armless = truth.picture.clone();
    let quarter = armless.width() / 4 + armless.width() / 8;
    armless.enumerate_pixels_mut().filter(|(x, ..)| *x < quarter).for_each(|(.., pixel)| pixel[3] = 0);
    assert!(shares(truth, SIDE, Some((truth.left, truth.top, &armless))).lost > 0.03);
    let block = RgbaImage::from_pixel(truth.picture.width(), truth.picture.height(), Rgba([0, 255, 0, 255]));
    let Share { kept, changed, .. } = shares(truth, SIDE, Some((truth.left, truth.top, &block)));
    assert!(kept > 0.3 && changed > 0.8, "{kept} {changed}");
    let ring = RgbaImage::from_fn(512, 512, |x, y| {
        let far = (x as f32 - 256.0).hypot(y as f32 - 256.0);
        Rgba(match far {
            150.0..154.0 => [90, 230, 100, 255],
            154.0..164.0 => [255; 4],
            ..150.0 => [200, 90, 60, 255],
            _ => [0; 4],
        })
    });
    assert!(fringe(&ring, KeyColour::Green) > 0.3);
    assert_eq!(fringe(&ring, KeyColour::Magenta), 0.0);
}
