//! The `stickers` binary: reads the configuration, builds the outside and runs one command.

fn main() {}
