//! How long the calls of the last hour took, minute by minute. Only in memory: after a restart it begins anew.

use std::collections::VecDeque;

use super::Histogram;

const MINUTE_US: i64 = 60_000_000;
/// How many minutes are kept.
const MINUTES: i64 = 60;

/// How long the calls of one minute took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Percentiles {
    /// The minute's begin, in microseconds since 1970.
    pub ts: i64,
    /// Half of them took no longer, in microseconds; 0 without any.
    pub p50_us: u64,
    /// 95 of 100 took no longer.
    pub p95_us: u64,
    /// 99 of 100 took no longer.
    pub p99_us: u64,
}

#[derive(Debug, Default)]
pub(super) struct LastHour {
    /// Minutes in which there was a call, the newest last.
    minutes: VecDeque<(i64, Histogram)>,
}

impl LastHour {
    pub fn count(&mut self, ts: i64, duration_us: u64) {
        let minute = ts.div_euclid(MINUTE_US);
        let newest = self.minutes.back().map_or(i64::MIN, |(newest, _)| *newest);
        if minute > newest {
            self.minutes.push_back((minute, Histogram::default()));
            self.minutes.retain(|(kept, _)| *kept > minute - MINUTES);
        }
        // One that began before another ended may come after it.
        if let Some((_, histogram)) = self.minutes.iter_mut().rev().find(|(kept, _)| *kept == minute) {
            histogram.add(duration_us);
        }
    }

    /// The last hour without gaps, the newest last.
    pub fn percentiles(&self, now: i64) -> Vec<Percentiles> {
        let newest = now.div_euclid(MINUTE_US);
        let minutes = newest - MINUTES + 1..=newest;
        minutes
            .map(|minute| {
                let ts = minute * MINUTE_US;
                match self.minutes.iter().find(|(kept, _)| *kept == minute) {
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
    fn each_minute_has_its_own_percentiles_and_old_ones_go() {
        let mut hour = LastHour::default();
        let minute = |at: i64| at * MINUTE_US + 5;
        (0..100).for_each(|us| hour.count(minute(1_000), us));
        hour.count(minute(1_001), 10_000);
        hour.count(minute(1_000), 3);
        let told = hour.percentiles(minute(1_002));
        assert_eq!(told.len(), 60);
        assert_eq!(told[59], Percentiles { ts: 1_002 * MINUTE_US, ..Percentiles::default() });
        assert!(told[58].p50_us >= 10_000 && told[58].p50_us < 12_000, "{:?}", told[58]);
        assert!((45..60).contains(&told[57].p50_us) && told[57].p99_us >= 98, "{:?}", told[57]);
        hour.count(minute(1_060), 1);
        assert_eq!(hour.minutes.len(), 2, "only the minute before 1,001 is gone");
        // A minute that is gone does not come back.
        hour.count(minute(900), 1);
        assert_eq!(hour.minutes.len(), 2);
    }
}
