//! The commands, one file each.

pub mod call;
pub mod explain;
pub mod normalize;
pub mod rules;
pub mod tools;
pub mod welcome;

use std::io::{self, Write};
use std::path::Path;

use crate::input::without_byte_order_mark;
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

/// A text, or what is in the file that `@FILE` names.
pub(crate) fn text_or_file(text: &str) -> Result<String, Report> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let read = std::fs::read_to_string(path).map_err(|error| Report::io("read", Path::new(path), &error))?;
    Ok(without_byte_order_mark(&read).to_owned())
}
