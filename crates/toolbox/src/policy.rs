//! How often and how soon a server is tried again: every number in one place.

use std::time::Duration;

/// When a server is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Attempts at the start, the first one included.
    pub attempts: u32,
    /// The wait before the second attempt; each further one waits twice as long.
    pub base_delay: Duration,
    /// No wait is longer than this.
    pub max_delay: Duration,
    /// How often a server may end within `crash_window` before it is put aside.
    pub crashes: usize,
    /// See `crashes`.
    pub crash_window: Duration,
    /// How long a server that keeps ending is put aside.
    pub quarantine: Duration,
    /// How many requests in a row may have no answer in time before the server counts as degraded.
    pub unanswered: u32,
    /// How long the ping that finds out whether a degraded server is back may go unanswered.
    pub ping_timeout: Duration,
    /// How long a server that nobody uses runs on; without end when absent or zero.
    pub idle: Option<Duration>,
}

impl Default for Policy {
    /// 0 s, 2 s, 4 s; then on, up to a minute apart.
    fn default() -> Self {
        Policy {
            attempts: 3,
            base_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(60),
            crashes: 5,
            crash_window: Duration::from_secs(60),
            quarantine: Duration::from_secs(300),
            unanswered: 3,
            ping_timeout: Duration::from_secs(10),
            idle: None,
        }
    }
}

impl Policy {
    /// The wait before an attempt, counted from 1.
    pub(crate) fn delay_before(&self, attempt: u32) -> Duration {
        match attempt {
            0 | 1 => Duration::ZERO,
            _ => self.base_delay.saturating_mul(1 << (attempt - 2).min(16)).min(self.max_delay),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let policy = Policy::default();
        let waits: Vec<u64> = (1..=9).map(|attempt| policy.delay_before(attempt).as_secs()).collect();
        assert_eq!(waits, [0, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(policy.delay_before(u32::MAX).as_secs(), 60);
    }
}
