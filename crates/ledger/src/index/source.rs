//! Where the indexer reads records from.

use std::fmt;

use crate::Record;

/// Gives the records of one node in the order of their numbers. Read on a thread that may wait for a disk.
pub trait Source: Send + 'static {
    /// At most so many records from a number on; fewer, or none, when there are no more yet. It is asked in
    /// order: the next number is mostly the one behind the last that it gave.
    ///
    /// # Errors
    /// When a record cannot be read. It is asked again later.
    fn records(&mut self, from_seq: u64, at_most: usize) -> Result<Vec<Record>, SourceError>;
}

/// A record that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// A source made of something that gives an iterator from a number on. The iterator is kept while it has more.
pub struct Iterated<Open, Records> {
    open: Open,
    /// Whether an iterator that has no more may have some later.
    goes_on: bool,
    kept: Option<(u64, Records)>,
}

impl<Open, Records> fmt::Debug for Iterated<Open, Records> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iterated").field("next", &self.kept.as_ref().map(|(next, _)| next)).finish()
    }
}

impl<Open, Records> Iterated<Open, Records> {
    /// `open` gives the records from a number on.
    pub fn new(open: Open) -> Self {
        Iterated { open, goes_on: false, kept: None }
    }

    /// The same of iterators that go on, when they are asked again, with what came since: opening one anew reads what
    /// was read before.
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
                // What comes before the number was asked for by somebody else.
                Ok(record) if record.seq < from_seq => {}
                Ok(record) => read.push(record),
                // What was read before it is good; with the next question the error comes first.
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
