//! What can stop a measurement.

use std::fmt;
use std::io;

/// A reason why there is no result. A bad score is a result, not an error.
#[derive(Debug)]
pub enum BenchError {
    /// The command line makes no sense; carries what is wrong with it.
    Usage(String),
    /// A file, pipe or process failed; carries which one.
    Io(String, io::Error),
    /// Text that had to be JSON was not; carries where it was.
    Json(String, serde_json::Error),
    /// JSON of the wrong shape; carries where and what was expected.
    Shape(String),
    /// The program under test did not answer as its contract says.
    Answer(String),
}

impl BenchError {
    /// 2 for usage errors, 1 for everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) => write!(out, "{what}\n\n{}", crate::cli::USAGE),
            Self::Io(place, error) => write!(out, "{place}: {error}"),
            Self::Json(place, error) => write!(out, "{place}: not JSON: {error}"),
            Self::Shape(what) => write!(out, "{what}"),
            Self::Answer(what) => write!(out, "the program under test: {what}"),
        }
    }
}

impl std::error::Error for BenchError {}
