//! Counters of the voice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use toolwright_base::IgnorePoison;

/// Why a message was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Drop {
    /// The message is too old.
    Stale,
    /// Newer messages arrived while the queue was full.
    Overload,
    /// The message was received before.
    Duplicate,
    /// The broker had retained it: no user says it now.
    Retained,
    /// The message cannot be parsed.
    Malformed,
    /// The voice is shutting down.
    Ending,
}

/// All counters. They only grow.
#[derive(Debug, Default)]
pub struct Status {
    received: AtomicU64,
    direct: AtomicU64,
    by_mind: AtomicU64,
    asked: AtomicU64,
    not_understood: AtomicU64,
    failed: AtomicU64,
    unpublished: AtomicU64,
    dropped: [AtomicU64; Drop::ALL.len()],
    last: Mutex<Option<Duration>>,
}

impl Drop {
    /// All reasons, in display order.
    pub const ALL: [Drop; 6] =
        [Drop::Stale, Drop::Overload, Drop::Duplicate, Drop::Retained, Drop::Malformed, Drop::Ending];

    /// The name in messages.
    pub fn word(self) -> &'static str {
        match self {
            Drop::Stale => "stale",
            Drop::Overload => "overload",
            Drop::Duplicate => "duplicate",
            Drop::Retained => "retained",
            Drop::Malformed => "malformed",
            Drop::Ending => "ending",
        }
    }

    /// The spoken sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Drop::Stale => "That was said too long ago, so I did nothing.",
            Drop::Overload => "Too much was said at once, so I did not do that. Please say it again.",
            Drop::Duplicate => "I have heard that already.",
            Drop::Retained => "That was kept from earlier, so I did nothing.",
            Drop::Malformed => "I could not read that.",
            Drop::Ending => "I am being switched off, so I did not do that.",
        }
    }
}

impl Status {
    pub(crate) fn received(&self) {
        add(&self.received);
    }

    pub(crate) fn direct(&self) {
        add(&self.direct);
    }

    pub(crate) fn by_mind(&self) {
        add(&self.by_mind);
    }

    pub(crate) fn asked(&self) {
        add(&self.asked);
    }

    pub(crate) fn not_understood(&self) {
        add(&self.not_understood);
    }

    pub(crate) fn failed(&self) {
        add(&self.failed);
    }

    /// An answer could not be published.
    pub(crate) fn unpublished(&self) {
        add(&self.unpublished);
    }

    pub(crate) fn dropped(&self, why: Drop) {
        add(&self.dropped[why as usize]);
    }

    pub(crate) fn took(&self, time: Duration) {
        *self.last.lock().ignore_poison() = Some(time);
    }

    /// The number of messages dropped for this reason.
    pub fn dropped_for(&self, why: Drop) -> u64 {
        read(&self.dropped[why as usize])
    }

    /// The counters by name, in display order.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        let mut counts = vec![
            ("received", read(&self.received)),
            ("direct", read(&self.direct)),
            ("by_mind", read(&self.by_mind)),
            ("asked", read(&self.asked)),
            ("not_understood", read(&self.not_understood)),
            ("failed", read(&self.failed)),
            ("unpublished", read(&self.unpublished)),
        ];
        counts.extend(Drop::ALL.iter().map(|why| (why.counter(), self.dropped_for(*why))));
        counts
    }

    /// The duration of the last answer.
    pub fn last_took(&self) -> Option<Duration> {
        *self.last.lock().ignore_poison()
    }
}

impl Drop {
    fn counter(self) -> &'static str {
        match self {
            Drop::Stale => "dropped_stale",
            Drop::Overload => "dropped_overload",
            Drop::Duplicate => "dropped_duplicate",
            Drop::Retained => "dropped_retained",
            Drop::Malformed => "dropped_malformed",
            Drop::Ending => "dropped_ending",
        }
    }
}

// Relaxed: counters are for display and order no other memory access.
fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
