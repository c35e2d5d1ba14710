//! Options of a journal, with their defaults.

use std::time::{Duration, Instant, SystemTime};

use toolwright_model::Durability;

use super::error::JournalError;

/// Options of a journal.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// Node name of this gateway; by default the name of the folder. It is stored in the folder.
    pub node: Option<String>,
    /// Durability of a record before its call is answered.
    pub durability: Durability,
    /// Size at which the next segment is started, in bytes. One record may exceed it.
    pub segment_bytes: u64,
    /// Maximum size of all segments together, in bytes. The current segment always stays.
    pub total_bytes: u64,
    /// Retention time of a segment after its last record.
    pub keep: Duration,
    /// Maximum number of records that wait for a sync.
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

/// Wall-clock time that advances by a monotonic clock: setting the clock ten years ahead makes no segment old.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadyClock {
    wall: SystemTime,
    steady: Instant,
}

impl Default for SteadyClock {
    fn default() -> SteadyClock {
        SteadyClock { wall: SystemTime::now(), steady: Instant::now() }
    }
}

impl SteadyClock {
    pub fn now(self) -> SystemTime {
        self.wall + self.steady.elapsed()
    }
}
