//! Lines on standard error. A line that cannot be written, because the disk of a log file is full or the reader of a pipe is
//! gone, is lost. The macros of the standard library panic then, which would end the gateway: these shadow them.

/// Prints a line to standard error if it can be written.
macro_rules! eprintln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

/// Prints to standard error if it can be written.
macro_rules! eprint {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($text)*);
    }};
}
