//! An answer as it is shown while it is made: text on standard output, calls on standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use toolwright_agent::{Called, Listener};
use toolwright_executor::{ErrorCode, printable};

use super::super::call::{KEPT, told};
use super::super::changes::before_and_after;
use crate::cli::AskOptions;

/// Shows an answer.
pub struct Shown {
    shows_text: bool,
    shows_calls: bool,
    is_terminal: bool,
    is_in_line: bool,
}

impl Shown {
    pub fn new(options: &AskOptions) -> Shown {
        Shown {
            shows_text: !options.json,
            shows_calls: !options.quiet,
            is_terminal: io::stdout().is_terminal(),
            is_in_line: false,
        }
    }

    /// What was said ends with a line.
    pub fn end_line(&mut self) {
        if std::mem::take(&mut self.is_in_line) {
            self.write("\n");
        }
    }

    /// A reader that went away does not end the question: its calls are still run to their ends.
    fn write(&self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

impl Listener for Shown {
    fn text(&mut self, piece: &str) {
        if self.shows_text && !piece.is_empty() {
            // What a model writes must not command a terminal.
            let shown = if self.is_terminal { printable(piece, KEPT) } else { Cow::Borrowed(piece) };
            self.write(&shown);
            self.is_in_line = !piece.ends_with('\n');
        }
    }

    fn text_ended(&mut self) {
        self.end_line();
    }

    fn call_ended(&mut self, call: &Called) {
        if !self.shows_calls {
            return;
        }
        let name = call.qualified_name.as_deref().unwrap_or(&call.name);
        let (got, sent) = (call.arguments.as_deref(), call.sent.trim());
        let mut lines = before_and_after((&call.sent_name, sent), (name, got.unwrap_or(sent)), &call.changes);
        if lines.is_empty() {
            let is_denied = call.result.as_ref().err().is_some_and(|error| error.code == ErrorCode::Denied);
            let mark = if got.is_none() || is_denied { '!' } else { '=' };
            lines.push(format!("{mark} {name} {}", got.unwrap_or(sent)));
        }
        if let Err(error) = &call.result {
            let said =
                if error.code == ErrorCode::Cancelled { error.written.to_string() } else { told(error) };
            lines.push(format!("error: {said}"));
        }
        for line in lines {
            eprintln!("{}", printable(&line, KEPT));
        }
    }
}
