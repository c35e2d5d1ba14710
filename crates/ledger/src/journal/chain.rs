//! Hash chain over lines: sequence numbers without gaps, each line with the hash of the previous one.

use super::damage::Why;
use super::line_format::{ChainLink, LineHash, verify_line};

/// Position in a chain.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// Expected sequence number of the next record.
    pub next: u64,
    /// Hash of the previous line, when it is known.
    prev: Option<LineHash>,
    /// The smallest possible sequence number of the next record.
    least: u64,
    /// Whether lines were damaged since the last good one: their number is uncertain.
    is_uncertain: bool,
}

/// Result of checking one line. A line may be valid in itself and in the wrong place.
#[derive(Debug)]
pub(super) struct LineCheck {
    /// The line's link, when its hash is valid and its record is new.
    pub link: Option<ChainLink>,
    /// The damage, with the expected sequence number.
    pub wrong: Option<(u64, Why)>,
}

impl Chain {
    /// A chain before the record with this sequence number.
    pub fn before(next: u64, prev: Option<LineHash>) -> Chain {
        Chain { next, prev, least: next, is_uncertain: false }
    }

    /// Checks the next line, without its newline.
    pub fn check(&mut self, line: &[u8]) -> LineCheck {
        let link = match verify_line(line) {
            Ok(link) => link,
            Err(why) => return LineCheck { link: None, wrong: Some((self.mark_unreadable(), why)) },
        };
        let expected = self.next;
        let number = Why::Number { expected, found: link.seq };
        if link.seq < self.least {
            self.mark_unreadable();
            return LineCheck { link: None, wrong: Some((expected, number)) };
        }
        let wrong = if self.is_uncertain {
            None
        } else if link.seq != expected {
            Some(number)
        } else {
            self.prev.filter(|prev| *prev != link.prev).map(|_| Why::Chain)
        };
        *self = Chain::before(link.seq.saturating_add(1), Some(link.hash));
        LineCheck { link: Some(link), wrong: wrong.map(|why| (expected, why)) }
    }

    /// Skips an unreadable line. Returns the sequence number that it should have had.
    pub fn mark_unreadable(&mut self) -> u64 {
        let expected = self.next;
        self.next = self.next.saturating_add(1);
        self.prev = None;
        self.is_uncertain = true;
        expected
    }

    /// Whether a segment that starts with this record leaves a gap.
    pub fn is_gap(&self, first: u64) -> bool {
        !self.is_uncertain && first > self.next
    }
}
