//! What can go wrong with a journal as a whole, and with one record.

use std::io;
use std::path::PathBuf;

use super::line::MAX_LINE;

/// Why a journal cannot be opened or kept.
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
        /// The process, when it said so.
        pid: Option<u32>,
    },
    /// The folder is that of another node.
    #[error(
        "the journal in {folder} is that of node '{found}', not of '{asked}'; give each node its own folder"
    )]
    OtherNode {
        /// The folder of the journal.
        folder: PathBuf,
        /// Whose it is.
        found: String,
        /// Whose it should be.
        asked: String,
    },
    /// The name of a node cannot be used.
    #[error(
        "'{name}' is no name for a node: it takes 1 to 64 letters, digits, '-', '_' and '.', and no '.' at its begin"
    )]
    NodeName {
        /// The name.
        name: String,
    },
    /// An option has a value that cannot be.
    #[error("the journal's {what} cannot be: {why}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The disk said no.
    #[error("cannot {what} {path}: {why}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
}

/// Why a record is not in the journal, or not surely.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// It could not be written. It is not in the journal.
    #[error("cannot write to the journal {path}: {why}")]
    Write {
        /// The file, or the folder when no file could be made.
        path: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// It was written, and then the sync failed: after a loss of power it may be there, or may not.
    #[error("record {seq} is not safe from a loss of power: {why}")]
    NotSynced {
        /// The number of the record.
        seq: u64,
        /// What the system said.
        why: String,
    },
    /// It is larger than a line may be.
    #[error("a record of {size} bytes is larger than a line of the journal may be ({MAX_LINE} bytes)")]
    TooLarge {
        /// Its size.
        size: usize,
    },
    /// It cannot be written as JSON.
    #[error("a record cannot be written as JSON: {0}")]
    Json(String),
    /// Too many wait for a sync already.
    #[error("{waiting} records wait for the disk already; it is too slow for what is asked of it")]
    TooManyWaiting {
        /// How many.
        waiting: usize,
    },
}
