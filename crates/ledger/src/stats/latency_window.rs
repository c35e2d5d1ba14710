//! Latency percentiles of the last hour, by minute. Only in memory: empty after a restart.

use std::collections::VecDeque;

use super::Histogram;

const MINUTE_US: i64 = 60_000_000;
/// Number of stored minutes.
const MAX_MINUTES: i64 = 60;

/// Latency percentiles of one minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    /// Start of the minute in microseconds since 1970.
    pub ts: i64,
    /// Median in microseconds; 0 without calls.
    pub p50_us: u64,
    /// 95th percentile.
    pub p95_us: u64,
    /// 99th percentile.
    pub p99_us: u64,
}

#[derive(Debug, Default)]
pub(super) struct LatencyWindow {
    /// Minutes with at least one call, the newest last.
    minutes: VecDeque<(i64, Histogram)>,
}

impl LatencyWindow {
    pub fn count(&mut self, ts: i64, duration_us: u64) {
        let minute = ts.div_euclid(MINUTE_US);
        let newest = self.minutes.back().map_or(i64::MIN, |(newest, _)| *newest);
        if minute > newest {
            self.minutes.push_back((minute, Histogram::default()));
            self.minutes.retain(|(stored, _)| *stored > minute - MAX_MINUTES);
        }
        // Calls end in another order than they start: a late one may belong to an earlier minute.
        if let Some((_, histogram)) = self.minutes.iter_mut().rev().find(|(stored, _)| *stored == minute) {
            histogram.add(duration_us);
        }
    }

    /// The last hour without gaps, the newest last.
    pub fn percentiles(&self, now: i64) -> Vec<Percentiles> {
        let newest = now.div_euclid(MINUTE_US);
        let minutes = newest - MAX_MINUTES + 1..=newest;
        minutes
            .map(|minute| {
                let ts = minute * MINUTE_US;
                match self.minutes.iter().find(|(stored, _)| *stored == minute) {
                    None => Percentiles { ts, ..Percentiles::default() },
                    Some((_, histogram)) => Percentiles {
                        ts,
                        p50_us: histogram.quantile_us(0.5),
                        p95_us: histogram.quantile_us(0.95),
                        p99_us: histogram.quantile_us(0.99),
                    },
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_per_minute_and_expire() {
        let mut hour = LatencyWindow::default();
        let minute = |at: i64| at * MINUTE_US + 5;
        (0..100).for_each(|us| hour.count(minute(1_000), us));
        hour.count(minute(1_001), 10_000);
        hour.count(minute(1_000), 3);
        let percentiles = hour.percentiles(minute(1_002));
        assert_eq!(percentiles.len(), 60);
        assert_eq!(percentiles[59], Percentiles { ts: 1_002 * MINUTE_US, ..Percentiles::default() });
        assert!(percentiles[58].p50_us >= 10_000 && percentiles[58].p50_us < 12_000, "{:?}", percentiles[58]);
        assert!(
            (45..60).contains(&percentiles[57].p50_us) && percentiles[57].p99_us >= 98,
            "{:?}",
            percentiles[57]
        );
        hour.count(minute(1_060), 1);
        assert_eq!(hour.minutes.len(), 2, "only the minute before 1,001 is gone");
        // A minute that was dropped does not return.
        hour.count(minute(900), 1);
        assert_eq!(hour.minutes.len(), 2);
    }
}
