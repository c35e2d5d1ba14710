//! The commands, one file each.

pub mod explain;
pub mod normalize;
pub mod rules;
pub mod welcome;

use std::io::{self, Write};
use std::path::Path;

use crate::report::Report;

/// Prints to standard output; a reader that went away is no error.
pub(crate) fn print(text: &str) -> Result<(), Report> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Report::io("write", Path::new("standard output"), &error))
        }
        _ => Ok(()),
    }
}
