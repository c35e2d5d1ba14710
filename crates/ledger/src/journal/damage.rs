//! What is wrong at one place of a journal.

use std::path::PathBuf;

/// A place where a journal is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line} (byte {offset}), record {seq}: {why}")]
pub struct Damage {
    /// The segment.
    pub file: PathBuf,
    /// The line in it, from 1 on.
    pub line: u64,
    /// Where that line begins, in bytes.
    pub offset: u64,
    /// The number that the record there should have.
    pub seq: u64,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The file ends within it.
    #[error("the file ends within the line")]
    Torn,
    /// It does not end as lines of a journal do.
    #[error("this is no line of a journal: it does not end with a hash")]
    NoHash,
    /// Its hash is not that of its bytes.
    #[error("the line was changed: its hash does not fit")]
    Hash,
    /// It fits itself, but not the line before.
    #[error("the line does not follow the one before: prev_hash does not fit")]
    Chain,
    /// Records are missing, or there are some too many.
    #[error("record {expected} should be here, not {found}")]
    Number {
        /// The number that should be here.
        expected: u64,
        /// The number that is here.
        found: u64,
    },
    /// The hash fits, but it cannot be read as a record.
    #[error("the line cannot be read as a record: {0}")]
    NoRecord(String),
    /// It is longer than a line may be.
    #[error("the line is longer than a line of a journal may be")]
    TooLong,
    /// What came before is not there, and no note says that it was removed.
    #[error("what came before this is missing, and journal.head does not say that it was removed")]
    NoBegin,
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(String),
}
