//! Bar charts as SVG: the server lays them out, since the content policy allows no inline style. Numbers stand on the bars, so no colour has to
//! be told apart; the same data stand in a table beside it.

/// A part of a bar.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Name in the style sheet: `c1` to `c4`, `bad`.
    pub tone: &'static str,
    /// How much.
    pub value: f64,
}

/// What one bar shows.
#[derive(Clone, Debug)]
pub struct Column {
    /// Under it; empty where there is no room.
    pub label: String,
    /// From the bottom up.
    pub parts: Vec<Part>,
    /// On top of it.
    pub top: String,
}

/// A rectangle, laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Left.
    pub x: i64,
    /// Top.
    pub y: i64,
    /// Width.
    pub width: i64,
    /// Height.
    pub height: i64,
    /// Name in the style sheet.
    pub tone: &'static str,
}

/// A text, laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its middle.
    pub x: i64,
    /// Its base line.
    pub y: i64,
    /// The words.
    pub text: String,
}

/// A line across, with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where.
    pub y: i64,
    /// How much that is.
    pub text: String,
}

/// A chart, laid out.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Of the drawing.
    pub width: i64,
    /// Of the drawing.
    pub height: i64,
    /// Parts of bars.
    pub blocks: Vec<Block>,
    /// Numbers on bars and words under them.
    pub marks: Vec<Mark>,
    /// Lines across.
    pub lines: Vec<Line>,
}

const LEFT: i64 = 36;
const TOP: i64 = 24;
const BOTTOM: i64 = 26;

/// Lays bars out in a drawing of this size. `amount` says how a number of the scale is written.
pub fn bars(columns: &[Column], width: i64, height: i64, amount: impl Fn(f64) -> String) -> Chart {
    let (foot, room) = (height - BOTTOM, height - BOTTOM - TOP);
    let sum = |column: &Column| column.parts.iter().map(|part| part.value.max(0.0)).sum::<f64>();
    let step = nice_step(columns.iter().map(sum).fold(0.0, f64::max));
    let most = 2.0 * step;
    #[expect(clippy::cast_possible_truncation, reason = "a place in a drawing of a few hundred")]
    #[expect(clippy::cast_precision_loss, reason = "a place in a drawing of a few hundred")]
    let rise = |value: f64| (value / most * room as f64).round() as i64;
    let mut chart = Chart { width, height, ..Chart::default() };
    for count in 0..=2 {
        let value = step * f64::from(count);
        chart.lines.push(Line { y: foot - rise(value), text: amount(value) });
    }
    let pitch = (width - LEFT) / i64::try_from(columns.len().max(1)).unwrap_or(1);
    let bar = (pitch * 7 / 10).max(2);
    for (place, column) in (0..).zip(columns) {
        let x = LEFT + pitch * place + (pitch - bar) / 2;
        let mut y = foot;
        for part in column.parts.iter().filter(|part| part.value > 0.0) {
            let tall = rise(part.value).max(2);
            y -= tall;
            chart.blocks.push(Block { x, y, width: bar, height: tall, tone: part.tone });
        }
        if !column.top.is_empty() {
            chart.marks.push(Mark { x: x + bar / 2, y: y - 5, text: column.top.clone() });
        }
        if !column.label.is_empty() {
            chart.marks.push(Mark { x: x + bar / 2, y: height - 7, text: column.label.clone() });
        }
    }
    chart
}

/// Half of the scale: 1, 2 or 5 times a power of ten, so that the highest bar fits and the numbers are round.
fn nice_step(highest: f64) -> f64 {
    if highest <= 0.0 {
        return 1.0;
    }
    let half = highest / 2.0;
    let power = 10f64.powf(half.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|times| times * power).find(|step| *step >= half).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f64]) -> Column {
        let parts = values.iter().map(|value| Part { tone: "c1", value: *value }).collect();
        Column { label: "18:00".to_owned(), parts, top: values.iter().sum::<f64>().to_string() }
    }

    #[test]
    fn the_scale_is_round_and_holds_the_highest_bar() {
        for (highest, step) in
            [(0.0, 1.0), (1.0, 0.5), (2.0, 1.0), (3.0, 2.0), (9.0, 5.0), (19.0, 10.0), (0.07, 0.05)]
        {
            assert!((nice_step(highest) - step).abs() < 1e-9, "{highest}: {}", nice_step(highest));
        }
    }

    #[test]
    fn bars_stand_on_the_ground_inside_the_drawing_and_parts_on_each_other() {
        let chart = bars(&[column(&[4.0, 6.0]), column(&[]), column(&[1.0])], 560, 220, |n| n.to_string());
        assert_eq!(chart.blocks.len(), 3);
        let (low, high) = (&chart.blocks[0], &chart.blocks[1]);
        assert_eq!(low.y + low.height, 194);
        assert_eq!(high.y + high.height, low.y);
        assert!(high.y >= TOP, "{high:?}");
        for block in &chart.blocks {
            assert!(block.x >= LEFT && block.x + block.width <= 560, "{block:?}");
        }
        assert_eq!(chart.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["0", "5", "10"]);
    }

    #[test]
    fn a_small_part_is_still_seen_and_an_empty_chart_is_a_scale() {
        let chart = bars(&[column(&[1_000.0, 0.001])], 320, 200, |n| n.to_string());
        assert!(chart.blocks.iter().all(|block| block.height >= 2));
        let empty = bars(&[], 320, 200, |n| n.to_string());
        assert_eq!((empty.blocks.len(), empty.lines.len()), (0, 3));
    }
}
