//! Errors of a journal, and of appending one record.

use std::io;
use std::path::PathBuf;

use super::line_format::MAX_LINE;

/// Error of opening or maintaining a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes it.
    #[error(
        "another process{} writes the journal in {folder}; stop it, or give this gateway a node name of its own",
        .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
    )]
    InUse {
        /// The folder of the journal.
        folder: PathBuf,
        /// Its process id, when the lock file contains it.
        pid: Option<u32>,
    },
    /// The folder belongs to another node.
    #[error(
        "the journal in {folder} is that of node '{found}', not of '{asked}'; give each node its own folder"
    )]
    OtherNode {
        /// The folder of the journal.
        folder: PathBuf,
        /// The actual node.
        found: String,
        /// The requested node.
        asked: String,
    },
    /// A node name is invalid.
    #[error(
        "'{name}' is no name for a node: it takes 1 to 64 letters, digits, '-', '_' and '.', and no '.' at its begin"
    )]
    NodeName {
        /// The name.
        name: String,
    },
    /// An option has an invalid value.
    #[error("the journal's {what} cannot be: {why}")]
    Option {
        /// The option.
        what: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// An I/O error.
    #[error("cannot {what} {path}: {why}")]
    Io {
        /// The attempted operation.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
}

/// Error of appending a record.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The record could not be written. It is not in the journal.
    #[error("cannot write to the journal {path}: {why}")]
    Write {
        /// The file, or the folder when no file could be created.
        path: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The record was written, but the sync failed: it may not survive a power loss.
    #[error("record {seq} is not safe from a loss of power: {why}")]
    NotSynced {
        /// Sequence number of the record.
        seq: u64,
        /// The error of the operating system.
        why: String,
    },
    /// The record exceeds the maximum length of a line.
    #[error("a record of {size} bytes is larger than a line of the journal may be ({MAX_LINE} bytes)")]
    TooLarge {
        /// Its size.
        size: usize,
    },
    /// The record cannot be serialized as JSON.
    #[error("a record cannot be written as JSON: {0}")]
    Json(String),
    /// Too many records wait for a sync.
    #[error("{waiting} records wait for the disk already; it is too slow for what is asked of it")]
    TooManyWaiting {
        /// The number of waiting records.
        waiting: usize,
    },
}
