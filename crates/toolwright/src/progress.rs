//! What is being done, for somebody who waits before a terminal. Nobody else sees it.

use std::io::{IsTerminal, Write};

/// One line on the terminal, gone when this is dropped.
pub struct Progress {
    is_shown: bool,
}

impl Progress {
    /// Tells what is being done, when standard error is a terminal.
    pub fn of(what: &str) -> Progress {
        let mut stderr = std::io::stderr().lock();
        let is_shown = stderr.is_terminal();
        if is_shown {
            // Without wrapping a long line is cut at the edge: one that wraps could not be wiped away by the next one.
            // A terminal that is gone is told nothing.
            let _ = write!(stderr, "\r\x1b[K\x1b[?7l{what} …\x1b[?7h").and_then(|()| stderr.flush());
        }
        Progress { is_shown }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
        }
    }
}
