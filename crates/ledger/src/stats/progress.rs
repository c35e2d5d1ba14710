//! Which records of a journal were counted: all up to a number, and a few after it.
//!
//! Calls end side by side, so that record 8 may be counted before record 7. A snapshot that is taken between the two
//! has to say that 7 is missing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// How many numbers are remembered beyond the first gap. Then the gap is given up: nothing is late by so much.
const MAX_AHEAD: usize = 1_024;

/// Which records of one node were counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The node whose journal it is.
    pub node: String,
    /// Every record up to this one was counted.
    pub through: u64,
    /// These were, too.
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
        // A number read from a file may be the last one there is.
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
    fn a_late_record_is_missed_until_it_comes() {
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
    fn a_gap_that_never_closes_is_given_up() {
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
