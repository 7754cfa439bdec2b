//! An order as a model reads it: from the words.

/// What the words ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    pub columns: u32,
    pub rows: u32,
    /// The ground; white when no colour is named.
    pub key: [u8; 3],
    /// One line a figure.
    pub poses: Vec<String>,
}

/// Most columns or rows that a model draws.
const MOST_CELLS: u32 = 5;

/// Reads the words. Without a grid one figure is drawn; a grid without lines is filled with figures of the model's own mind.
pub(super) fn read(prompt: &str) -> Order {
    let (columns, rows) = grid(prompt).unwrap_or((1, 1));
    let mut poses: Vec<String> = prompt.lines().filter_map(numbered).map(str::to_owned).collect();
    poses.truncate((columns * rows) as usize);
    if poses.is_empty() {
        poses = (1..=columns * rows).map(|number| format!("pose {number}")).collect();
    }
    Order { columns, rows, key: colour(prompt).unwrap_or([255; 3]), poses }
}

/// `3 columns x 2 rows`.
fn grid(prompt: &str) -> Option<(u32, u32)> {
    let (before, after) = prompt.split_once(" columns x ")?;
    let columns = before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let rows = after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    let fine = |count: &u32| (1..=MOST_CELLS).contains(count);
    (fine(&columns) && fine(&rows)).then_some((columns, rows))
}

/// The first `#RRGGBB`.
fn colour(prompt: &str) -> Option<[u8; 3]> {
    prompt.match_indices('#').find_map(|(at, _)| {
        let digits = prompt.get(at + 1..at + 7)?;
        let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
        Some([part(0)?, part(2)?, part(4)?])
    })
}

/// `3. waving` without its number.
fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.trim().split_once(". ")?;
    number.parse::<u32>().ok().map(|_| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_colour_and_poses_are_read_from_the_words() {
        let order = read(
            "One image, exactly 3 columns x 2 rows. Ground: flat #00FF00.\n1. waving\n 2. laughing\nNo text.",
        );
        assert_eq!((order.columns, order.rows, order.key), (3, 2, [0, 255, 0]));
        assert_eq!(order.poses, ["waving", "laughing"]);
    }

    #[test]
    fn without_a_grid_one_figure_is_drawn_and_without_a_colour_the_ground_is_white() {
        let order = read("a portrait #12");
        assert_eq!((order.columns, order.rows, order.key, order.poses.len()), (1, 1, [255; 3], 1));
    }
}
