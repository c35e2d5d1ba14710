//! What can be chosen about a journal, with its numbers.

use std::time::{Duration, Instant, SystemTime};

use toolwright_model::Durability;

use super::error::JournalError;

/// The choices of a journal.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// The name of this gateway. Without one, that of the folder is taken. It is kept in the folder.
    pub node: Option<String>,
    /// How safe a record is before its call is answered.
    pub durability: Durability,
    /// How large a segment becomes, in bytes, before the next is begun. One record may make it larger.
    pub segment_bytes: u64,
    /// How much all segments together may take, in bytes. The one that is written always stays.
    pub total_bytes: u64,
    /// How long a segment is kept after its last record.
    pub keep: Duration,
    /// How many records may wait for a sync at once.
    pub max_waiting: usize,
}

impl Default for JournalOptions {
    fn default() -> JournalOptions {
        JournalOptions {
            node: None,
            durability: Durability::Process,
            segment_bytes: 16 << 20,
            total_bytes: 1 << 30,
            keep: Duration::from_secs(90 * 24 * 60 * 60),
            max_waiting: 65_536,
        }
    }
}

impl JournalOptions {
    pub(super) fn check(&self) -> Result<(), JournalError> {
        let wrong = |what, why| Err(JournalError::Option { what, why });
        if self.segment_bytes < 4096 {
            return wrong("segment_bytes", "it must be at least 4096");
        }
        if self.total_bytes < self.segment_bytes {
            return wrong("total_bytes", "it must be at least segment_bytes");
        }
        if self.max_waiting == 0 {
            return wrong("max_waiting", "it must be at least 1");
        }
        Ok(())
    }
}

/// A time of day that goes on by a steady clock: when somebody sets the clock ten years ahead, nothing becomes old.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opened {
    wall: SystemTime,
    steady: Instant,
}

impl Default for Opened {
    fn default() -> Opened {
        Opened { wall: SystemTime::now(), steady: Instant::now() }
    }
}

impl Opened {
    pub fn now(self) -> SystemTime {
        self.wall + self.steady.elapsed()
    }
}
