//! Progress of counting: which records of a journal were counted, all up to a sequence number, and a few after it.
//!
//! Calls end concurrently, so that record 8 may be counted before record 7. A snapshot between the two has to state
//! that 7 is missing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Maximum number of sequence numbers beyond the first gap. Then the gap is skipped: no record is that late.
const MAX_AHEAD: usize = 1_024;

/// Counted records of one node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The node of the journal.
    pub node: String,
    /// Every record up to this one was counted.
    pub through: u64,
    /// Counted records beyond it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ahead: BTreeSet<u64>,
}

impl Progress {
    pub(super) fn before(node: &str, seq: u64) -> Self {
        Progress { node: node.to_owned(), through: seq.saturating_sub(1), ahead: BTreeSet::new() }
    }

    pub(super) fn has(&self, seq: u64) -> bool {
        seq <= self.through || self.ahead.contains(&seq)
    }

    pub(super) fn note(&mut self, seq: u64) {
        // A number from a file may be the maximum.
        if Some(seq) == self.through.checked_add(1) {
            self.through = seq;
        } else if seq > self.through {
            self.ahead.insert(seq);
            if self.ahead.len() > MAX_AHEAD {
                self.through = self.ahead.pop_first().unwrap_or(self.through);
            }
        }
        while let Some(next) = self.through.checked_add(1).filter(|next| self.ahead.first() == Some(next)) {
            self.ahead.pop_first();
            self.through = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_record_is_missing_until_it_arrives() {
        let mut progress = Progress::before("a", 5);
        for seq in [5, 8, 7] {
            progress.note(seq);
        }
        assert_eq!(progress.through, 5);
        assert!(progress.has(5) && !progress.has(6) && progress.has(7) && progress.has(8));
        progress.note(6);
        assert_eq!((progress.through, progress.ahead.len()), (8, 0));
    }

    #[test]
    fn permanent_gap_is_skipped() {
        let mut progress = Progress::before("a", 1);
        for seq in 3..10_000 {
            progress.note(seq);
        }
        assert_eq!(progress.through, 9_999, "the gap was given up, and then nothing was missing");
        let mut progress = Progress::before("a", 1);
        for seq in (3..10_000).step_by(2) {
            progress.note(seq);
        }
        assert!(progress.ahead.len() <= MAX_AHEAD);
    }
}
