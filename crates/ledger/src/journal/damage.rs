//! Damage at one place of a journal.

use std::path::PathBuf;

/// A place where a journal differs from what was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line} (byte {offset}), record {seq}: {why}")]
pub struct Damage {
    /// The segment.
    pub file: PathBuf,
    /// Line number, from 1 on.
    pub line: u64,
    /// Byte offset of the line.
    pub offset: u64,
    /// Sequence number that the record should have.
    pub seq: u64,
    /// Kind of the damage.
    pub why: Why,
}

/// Kind of damage of a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The file ends within the line.
    #[error("the file ends within the line")]
    Torn,
    /// The line does not end with a hash.
    #[error("this is no line of a journal: it does not end with a hash")]
    NoHash,
    /// The hash does not match the bytes.
    #[error("the line was changed: its hash does not fit")]
    Hash,
    /// The line is valid, but does not follow the previous one.
    #[error("the line does not follow the one before: prev_hash does not fit")]
    Chain,
    /// Records are missing or duplicated.
    #[error("record {expected} should be here, not {found}")]
    Number {
        /// Expected sequence number.
        expected: u64,
        /// Actual sequence number.
        found: u64,
    },
    /// The hash matches, but the line is not a valid record.
    #[error("the line cannot be read as a record: {0}")]
    NoRecord(String),
    /// The line exceeds the maximum length.
    #[error("the line is longer than a line of a journal may be")]
    TooLong,
    /// The previous segments are missing, and `journal.head` does not say that they were removed.
    #[error("what came before this is missing, and journal.head does not say that it was removed")]
    NoBegin,
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(String),
}
