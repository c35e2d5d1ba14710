//! The commands, one file each.

pub mod ask;
pub mod audit;
pub mod call;
mod changes;
pub mod completions;
pub mod dashboard;
pub mod demo;
pub mod doctor;
pub mod explain;
mod found_call;
pub mod import;
pub mod install;
pub mod llm;
pub mod man;
pub mod normalize;
pub mod replay;
pub mod rules;
pub mod serve;
pub mod servers;
pub mod status;
pub mod stdio;
pub mod token;
pub mod tools;
pub mod tui;
pub mod voice;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use toolwright_normalizer::MAX_ARGUMENT_BYTES;

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
        "-" => read_bounded(io::stdin(), Path::new("standard input"))?,
        path => {
            let path = Path::new(path);
            read_bounded(File::open(path).map_err(|error| Report::io("read", path, &error))?, path)?
        }
    };
    Ok(without_byte_order_mark(&read).to_owned())
}

/// All of a source, which may be one without end, if that is not more than arguments can be.
fn read_bounded(source: impl Read, name: &Path) -> Result<String, Report> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_ARGUMENT_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Report::io("read", name, &error))?;
    if bytes.len() > MAX_ARGUMENT_BYTES {
        return Err(Report::usage(
            format!(
                "{} holds more than {MAX_ARGUMENT_BYTES} bytes, the most that arguments can have",
                name.display()
            ),
            "send less at once",
        ));
    }
    String::from_utf8(bytes).map_err(|_| {
        Report::io(
            "read",
            name,
            &io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"),
        )
    })
}
