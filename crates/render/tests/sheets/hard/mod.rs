//! Sheets that are hard on purpose, with the truth about what is on them. Tests, benchmarks and the peers of the benchmark share them.

mod compose;
mod measure;

pub use compose::{Case, Composed, compose};
pub use measure::{Share, fringe, shares};

use render::KeyColour;

/// A good sheet as the providers send it; the others differ from it in what they name.
pub const USUAL: Case = Case {
    name: "usual",
    key: KeyColour::Green,
    columns: 3,
    rows: 3,
    png: false,
    uneven: false,
    shadow: false,
    rough: false,
    wisps: false,
    fingers: false,
    green: false,
    over: false,
    edge: false,
    bridge: None,
};

/// Every sheet of which nine stickers must come.
pub const CASES: [Case; 13] = [
    USUAL,
    Case { name: "png", png: true, ..USUAL },
    Case { name: "magenta", key: KeyColour::Magenta, ..USUAL },
    Case { name: "uneven", uneven: true, ..USUAL },
    Case { name: "shadow", shadow: true, ..USUAL },
    Case { name: "rough-jpeg", rough: true, ..USUAL },
    Case { name: "wisps", wisps: true, ..USUAL },
    Case { name: "fingers", fingers: true, ..USUAL },
    Case { name: "over-the-line", over: true, ..USUAL },
    Case { name: "near-the-edge", edge: true, ..USUAL },
    Case { name: "all-at-once", uneven: true, rough: true, wisps: true, fingers: true, ..USUAL },
    Case { name: "green-on-magenta", key: KeyColour::Magenta, green: true, rough: true, ..USUAL },
    Case { name: "green-on-green", green: true, ..USUAL },
];
