//! What hangs together on a sheet: connected parts of everything that is not ground, by runs of pixels, with where they lie.

use super::Grid;

/// From here on a pixel is ground.
pub(super) const GROUND: u8 = 128;
/// A hole inside a figure is ground only when its purest pixel is as pure as this; else it is something green that the figure wears.
const HOLE_PURE: u8 = 200;

/// One connected part.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Pixels.
    pub area: usize,
    /// Left, top, right, bottom; the last two are outside.
    pub bounds: [usize; 4],
    /// Middle of its pixels.
    pub middle: [f32; 2],
    /// Its pixels in each cell.
    pub in_cells: Vec<usize>,
    /// Its pixels at the border of the sheet.
    pub at_border: usize,
}

/// All parts, and whose each pixel is.
pub(super) struct Found {
    /// The parts; the owner of a pixel is its place here plus one.
    pub parts: Vec<Part>,
    /// Owner of each pixel, 0 for ground.
    pub owner: Vec<u32>,
    /// Size of the sheet.
    pub width: usize,
    /// Size of the sheet.
    pub height: usize,
}

#[derive(Clone, Copy)]
struct Run {
    y: usize,
    from: usize,
    to: usize,
}

struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, mut node: u32) -> u32 {
        while self.0[node as usize] != node {
            let up = self.0[self.0[node as usize] as usize];
            self.0[node as usize] = up;
            node = up;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Runs of pixels that are (or are not) ground, and the tree that each belongs to.
fn runs(keyed: &[u8], w: usize, h: usize, ground: bool) -> (Vec<Run>, Vec<u32>) {
    let mut runs: Vec<Run> = Vec::new();
    let mut forest = Forest(Vec::new());
    let mut above = 0..0;
    // Figures also hang together at corners, so the ground does not.
    let reach = usize::from(!ground);
    for y in 0..h {
        let row = &keyed[y * w..(y + 1) * w];
        let first = runs.len();
        let mut x = 0;
        let mut other = above.start;
        while x < w {
            let Some(skip) = row[x..].iter().position(|value| (*value >= GROUND) == ground) else { break };
            let from = x + skip;
            let length = row[from..].iter().position(|value| (*value >= GROUND) != ground);
            let to = length.map_or(w, |length| from + length);
            let id = runs.len() as u32;
            forest.0.push(id);
            runs.push(Run { y, from, to });
            while other < above.end && runs[other].to + reach <= from {
                other += 1;
            }
            let mut touching = other;
            while touching < above.end && runs[touching].from < to + reach {
                forest.join(id, touching as u32);
                touching += 1;
            }
            x = to;
        }
        above = first..runs.len();
    }
    let roots = (0..runs.len() as u32).map(|id| forest.root(id)).collect();
    (runs, roots)
}

/// Finds the parts. Holes that are no ground are filled.
pub(super) fn find(keyed: &[u8], width: usize, height: usize, grid: Grid) -> Found {
    let (runs, roots) = runs(keyed, width, height, false);
    let mut number = vec![0u32; runs.len()];
    let mut parts: Vec<Part> = Vec::new();
    let mut owner = vec![0u32; width * height];
    for (run, root) in runs.iter().zip(&roots) {
        let known = &mut number[*root as usize];
        if *known == 0 {
            let cells = vec![0; grid.cells()];
            parts.push(Part { bounds: [usize::MAX, usize::MAX, 0, 0], in_cells: cells, ..Part::default() });
            *known = parts.len() as u32;
        }
        owner[run.y * width + run.from..run.y * width + run.to].fill(*known);
        parts[*known as usize - 1].add(run, width, height, grid);
    }
    for part in &mut parts {
        part.middle = part.middle.map(|sum| sum / part.area as f32);
    }
    fill_holes(keyed, width, height, &mut owner);
    Found { parts, owner, width, height }
}

impl Part {
    fn add(&mut self, run: &Run, w: usize, h: usize, grid: Grid) {
        let length = run.to - run.from;
        self.area += length;
        let [left, top, right, bottom] = self.bounds;
        self.bounds = [left.min(run.from), top.min(run.y), right.max(run.to), bottom.max(run.y + 1)];
        self.middle[0] += (run.from + run.to) as f32 / 2.0 * length as f32;
        self.middle[1] += (run.y as f32 + 0.5) * length as f32;
        let (columns, rows) = (grid.columns as usize, grid.rows as usize);
        let row = run.y * rows / h;
        for column in run.from * columns / w..=(run.to - 1) * columns / w {
            let (from, to) = (column * w / columns, (column + 1) * w / columns);
            self.in_cells[row * columns + column] += run.to.min(to).saturating_sub(run.from.max(from));
        }
        let ends = usize::from(run.from == 0) + usize::from(run.to == w);
        self.at_border += if run.y == 0 || run.y + 1 == h { length } else { ends };
    }
}

/// Ground that does not reach the border lies inside a figure: pure, it is a hole between arm and body; else it is figure.
fn fill_holes(keyed: &[u8], w: usize, h: usize, owner: &mut [u32]) {
    let (runs, roots) = runs(keyed, w, h, true);
    let mut open = vec![false; runs.len()];
    let mut purest = vec![0u8; runs.len()];
    for (run, root) in runs.iter().zip(&roots) {
        let root = *root as usize;
        open[root] |= run.y == 0 || run.y + 1 == h || run.from == 0 || run.to == w;
        let pixels = &keyed[run.y * w + run.from..run.y * w + run.to];
        purest[root] = pixels.iter().fold(purest[root], |most, value| most.max(*value));
    }
    for (run, root) in runs.iter().zip(&roots) {
        let hole = purest[*root as usize] >= HOLE_PURE;
        if !open[*root as usize] && !hole {
            let at = run.y * w + run.from;
            // Not open, so something of the figure stands to its left.
            let figure = owner[at - 1];
            owner[at..run.y * w + run.to].fill(figure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Grid = Grid { columns: 2, rows: 1 };

    fn plane(rows: &[&str]) -> (Vec<u8>, usize, usize) {
        let of = |letter: char| match letter {
            '#' => 0,
            '~' => 150,
            _ => 255,
        };
        (rows.iter().flat_map(|row| row.chars().map(of)).collect(), rows[0].len(), rows.len())
    }

    #[test]
    fn parts_that_touch_at_a_corner_are_one_and_know_their_cells() {
        let (keyed, w, h) = plane(&["........", ".##.....", "...#.##.", "........"]);
        let found = find(&keyed, w, h, ONE);
        assert_eq!(found.parts.len(), 2);
        let first = &found.parts[0];
        assert_eq!((first.area, first.bounds, first.in_cells.as_slice()), (3, [1, 1, 4, 3], &[3, 0][..]));
        assert_eq!(found.parts[1].in_cells, [0, 2]);
        assert_eq!(found.owner[2 * w + 3], 1);
    }

    #[test]
    fn what_reaches_the_border_is_counted() {
        let (keyed, w, h) = plane(&["..##", "...#", "....", "#..."]);
        let found = find(&keyed, w, h, ONE);
        assert_eq!(found.parts.iter().map(|part| part.at_border).collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn a_pure_hole_stays_open_and_green_cloth_is_filled() {
        let rows: Vec<String> = (0..600)
            .map(|y| {
                let inside = (50..550).contains(&y);
                let letter = |x: usize| match (inside && (50..550).contains(&x), (200..260).contains(&y), x) {
                    (true, true, 100..160) => '.',
                    (true, true, 300..360) => '~',
                    (true, _, _) => '#',
                    _ => '.',
                };
                (0..600).map(letter).collect()
            })
            .collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let (keyed, w, h) = plane(&rows);
        let found = find(&keyed, w, h, ONE);
        assert_eq!(found.owner[230 * w + 130], 0, "a hole");
        assert_eq!(found.owner[230 * w + 330], 1, "cloth");
    }
}
