//! Whether lines follow each other: numbers without gaps, each with the hash of the one before.

use super::damage::Why;
use super::line::{Hash, Link, prove};

/// Where a chain is.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The number of the next record, as far as is known.
    pub next: u64,
    /// The hash of the line before, when it is known.
    prev: Option<Hash>,
    /// The smallest number that the next record can have.
    least: u64,
    /// Whether lines were spoiled since the last good one: how many they were is not sure.
    is_loose: bool,
}

/// What is true of one line. A line may be good in itself and in the wrong place.
#[derive(Debug)]
pub(super) struct Checked {
    /// The line's own link, when it proves itself and its record has not been there.
    pub link: Option<Link>,
    /// What is wrong, with the number that should be here.
    pub wrong: Option<(u64, Why)>,
}

impl Chain {
    /// A chain before the record with this number.
    pub fn before(next: u64, prev: Option<Hash>) -> Chain {
        Chain { next, prev, least: next, is_loose: false }
    }

    /// Takes the next line, without its newline.
    pub fn check(&mut self, line: &[u8]) -> Checked {
        let link = match prove(line) {
            Ok(link) => link,
            Err(why) => return Checked { link: None, wrong: Some((self.spoil(), why)) },
        };
        let expected = self.next;
        let number = Why::Number { expected, found: link.seq };
        if link.seq < self.least {
            self.spoil();
            return Checked { link: None, wrong: Some((expected, number)) };
        }
        let wrong = if self.is_loose {
            None
        } else if link.seq != expected {
            Some(number)
        } else {
            self.prev.filter(|prev| *prev != link.prev).map(|_| Why::Chain)
        };
        *self = Chain::before(link.seq.saturating_add(1), Some(link.hash));
        Checked { link: Some(link), wrong: wrong.map(|why| (expected, why)) }
    }

    /// A line that says nothing. Gives the number that it should have had.
    pub fn spoil(&mut self) -> u64 {
        let expected = self.next;
        self.next = self.next.saturating_add(1);
        self.prev = None;
        self.is_loose = true;
        expected
    }

    /// Whether a segment that begins with this record leaves records out.
    pub fn is_gap(&self, first: u64) -> bool {
        !self.is_loose && first > self.next
    }
}
