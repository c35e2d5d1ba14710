//! The commands, one file each.

pub mod call;
mod changes;
pub mod explain;
pub mod normalize;
pub mod rules;
pub mod tools;
pub mod welcome;

use std::io::{self, Write};
use std::path::Path;

use crate::input::without_byte_order_mark;
use crate::report::Report;

/// Prints a line to standard output.
pub(crate) fn print(line: &str) -> Result<(), Report> {
    print_text(&format!("{line}\n"))
}

/// Prints to standard output, with a line break at the end only where there is none. A reader that went away
/// is no error.
pub(crate) fn print_text(text: &str) -> Result<(), Report> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut out = io::stdout().lock();
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Report::io("write", Path::new("standard output"), &error))
        }
        _ => Ok(()),
    }
}

/// A text, or what is in the file that `@FILE` names; `@-` is standard input.
pub(crate) fn text_or_file(text: &str) -> Result<String, Report> {
    let Some(path) = text.strip_prefix('@') else { return Ok(text.to_owned()) };
    let read = match path {
        "" => {
            return Err(Report::usage(
                "there is no file after @",
                "name one: @FILE, or @- for standard input",
            ));
        }
        "-" => io::read_to_string(io::stdin())
            .map_err(|error| Report::io("read", Path::new("standard input"), &error))?,
        path => std::fs::read_to_string(path).map_err(|error| Report::io("read", Path::new(path), &error))?,
    };
    Ok(without_byte_order_mark(&read).to_owned())
}
