//! The renderer is shared by all workers of a process.

use render::{Renderer, Sticker, Templates};

fn shared_by_threads<T: Send + Sync>() {}

#[test]
fn renderer_outfits_and_stickers_cross_threads() {
    shared_by_threads::<Renderer>();
    shared_by_threads::<Templates>();
    shared_by_threads::<Sticker>();
}
