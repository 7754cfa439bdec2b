//! Sheets of figures become stickers: those of the stand-ins, and those that are hard on purpose.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

mod hard;
mod hard_ones;
mod stand_ins;

use std::sync::LazyLock;

use render::{Grid, Renderer, Templates};

static RENDERER: LazyLock<Renderer> = LazyLock::new(|| Renderer::new(Templates::built_in()).unwrap());
const NINE: Grid = Grid { columns: 3, rows: 3 };
