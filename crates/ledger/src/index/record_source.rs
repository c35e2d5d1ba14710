//! Source of the records for the indexer.

use std::fmt;

use crate::Record;

/// Returns the records of one node in the order of their sequence numbers. Runs on a blocking thread.
pub trait Source: Send + 'static {
    /// At most `at_most` records from a sequence number on; fewer, or none, when there are no more yet. Calls are in
    /// order: the next number is usually the one after the last returned record.
    ///
    /// # Errors
    /// When a record cannot be read. The call is retried later.
    fn records(&mut self, from_seq: u64, at_most: usize) -> Result<Vec<Record>, SourceError>;
}

/// A record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// A source that wraps iterators. The iterator is cached while it has more records.
pub struct Iterated<Open, Records> {
    open: Open,
    /// Whether an exhausted iterator may have more records later.
    goes_on: bool,
    kept: Option<(u64, Records)>,
}

impl<Open, Records> fmt::Debug for Iterated<Open, Records> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iterated").field("next", &self.kept.as_ref().map(|(next, _)| next)).finish()
    }
}

impl<Open, Records> Iterated<Open, Records> {
    /// `open` returns the records from a sequence number on.
    pub fn new(open: Open) -> Self {
        Iterated { open, goes_on: false, kept: None }
    }

    /// For iterators that continue with new records when they are polled again: opening a new one would read everything
    /// again.
    pub fn going_on(open: Open) -> Self {
        Iterated { goes_on: true, ..Iterated::new(open) }
    }
}

impl<Open, Records, Error> Source for Iterated<Open, Records>
where
    Open: FnMut(u64) -> Records + Send + 'static,
    Records: Iterator<Item = Result<Record, Error>> + Send + 'static,
    Error: fmt::Display,
{
    fn records(&mut self, from_seq: u64, at_most: usize) -> Result<Vec<Record>, SourceError> {
        let mut records = match self.kept.take() {
            Some((next, records)) if next == from_seq => records,
            _ => (self.open)(from_seq),
        };
        let mut read: Vec<Record> = Vec::new();
        for record in records.by_ref().take(at_most) {
            match record {
                // An iterator may start before the requested number.
                Ok(record) if record.seq < from_seq => {}
                Ok(record) => read.push(record),
                // Return the records before the error; the next call returns the error first.
                Err(_) if !read.is_empty() => return Ok(read),
                Err(error) => return Err(SourceError(error.to_string())),
            }
        }
        if self.goes_on || read.len() == at_most {
            let next = read.last().map_or(from_seq, |last| last.seq + 1);
            self.kept = Some((next, records));
        }
        Ok(read)
    }
}
