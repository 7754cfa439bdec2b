//! What commands print on standard output. Whoever reads it may stop early (`| head`): that ends the command quietly, and is no fault.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};
use std::process::exit;

/// Prints this as it is.
pub fn put(text: Arguments<'_>) {
    let mut out = io::stdout().lock();
    let Err(error) = out.write_fmt(text).and_then(|()| out.flush()) else { return };
    if error.kind() == ErrorKind::BrokenPipe {
        exit(0);
    }
    eprintln!("cannot write to standard output: {error}");
    exit(1);
}

/// Prints a line of a server: nobody needs to listen, and a closed output ends no service.
pub fn mention(line: Arguments<'_>) {
    // The log says the same.
    let _ = writeln!(io::stdout(), "{line}");
}

/// As `println!`, for an output that may be closed.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::put(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use say;
