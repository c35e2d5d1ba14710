//! Trend of the frequency of an error pattern.
//!
//! Compares the gaps between the last errors, the older half with the newer half, each by its median: one jump of the
//! clock causes one wrong gap, which does not move a median unless there are fewer than six gaps.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Number of the last times that are used.
const MAX_TIMES: usize = 20;
/// Number of intervals in the chart of a pattern.
const SPANS: usize = 12;
/// Fewer errors have no trend.
const MIN_TIMES: usize = 4;
/// Shorter gaps count as one burst, in microseconds.
const SHORTEST_GAP_US: i64 = 1_000;
/// A pattern that pauses for less than this has not stopped, in microseconds.
const SHORTEST_PAUSE_US: i64 = 60_000_000;
/// A pattern has stopped when its pause is this many times the duration of its newer half.
const STOPPED_FACTOR: i64 = 4;

/// Trend of the frequency of an error pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// More than one and a half times as frequent as before.
    Increasing,
    /// Neither, or too few errors.
    Stable,
    /// Less than half as frequent as before, or stopped.
    Decreasing,
}

/// Times of the last errors, in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentTimes(VecDeque<i64>);

impl RecentTimes {
    pub fn add(&mut self, ts: i64) {
        if self.0.len() == MAX_TIMES {
            self.0.pop_front();
        }
        self.0.push_back(ts);
    }

    /// Number of the last errors in each of equal intervals, from the first of them until now.
    pub fn spans(&self, now: i64) -> Vec<u64> {
        let mut spans = vec![0; SPANS];
        let Some(first) = self.0.iter().min().copied() else { return spans };
        let duration = now.saturating_sub(first).max(1);
        for time in &self.0 {
            let at = time.saturating_sub(first).saturating_mul(SPANS as i64) / duration;
            let at = usize::try_from(at).unwrap_or_default().min(SPANS - 1);
            spans[at] += 1;
        }
        spans
    }

    pub fn trend(&self, now: i64) -> Trend {
        if self.0.len() < MIN_TIMES {
            return Trend::Stable;
        }
        // A clock that was set back causes a negative gap, which is skipped.
        let gaps: Vec<i64> = self
            .0
            .iter()
            .zip(self.0.iter().skip(1))
            .map(|(before, after)| after.saturating_sub(*before))
            .filter(|gap| *gap >= 0)
            .map(|gap| gap.max(SHORTEST_GAP_US))
            .collect();
        // The middle gap belongs to neither half.
        let half = gaps.len() / 2;
        let (Some(older), Some(newer)) = (median(&gaps[..half]), median(&gaps[gaps.len() - half..])) else {
            return Trend::Stable;
        };
        let pause = self.0.back().map_or(0, |last| now.saturating_sub(*last));
        let took = newer.saturating_mul(half as i64);
        if pause > SHORTEST_PAUSE_US && pause > took.saturating_mul(STOPPED_FACTOR) {
            return Trend::Decreasing;
        }
        // The frequency is the inverse of the gap.
        let ratio = older as f64 / newer as f64;
        if ratio > 1.5 {
            Trend::Increasing
        } else if ratio < 0.5 {
            Trend::Decreasing
        } else {
            Trend::Stable
        }
    }
}

fn median(gaps: &[i64]) -> Option<i64> {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn trend(seconds: &[i64]) -> Trend {
        let mut times = RecentTimes::default();
        for second in seconds {
            times.add(second * SECOND);
        }
        times.trend(seconds.last().map_or(0, |last| last * SECOND))
    }

    #[test]
    fn recent_times_fall_into_equal_intervals() {
        let mut times = RecentTimes::default();
        assert_eq!(times.spans(5), [0; SPANS]);
        [0, 10, 119, 120].into_iter().for_each(|time| times.add(time));
        let mut expected = [0; SPANS];
        (expected[0], expected[1], expected[11]) = (1, 1, 2);
        assert_eq!(times.spans(120), expected);
        // A clock that was set back.
        assert_eq!(times.spans(-5).iter().sum::<u64>(), 4);
    }

    #[test]
    fn trend_follows_the_frequency() {
        assert_eq!(trend(&[0, 100, 200, 300, 310, 320, 330]), Trend::Increasing);
        assert_eq!(trend(&[0, 10, 20, 30, 130, 230, 330]), Trend::Decreasing);
        assert_eq!(trend(&[0, 10, 20, 30, 40, 50, 60]), Trend::Stable);
        assert_eq!(trend(&[5, 5, 5, 5, 5]), Trend::Stable, "one burst");
        assert_eq!(trend(&[0, 100, 101]), Trend::Stable, "three tell nothing");
    }

    #[test]
    fn trend_uses_the_last_twenty() {
        let mut seconds: Vec<i64> = (0..20).map(|it| it * 1_000).collect();
        seconds.extend((1..=20).map(|it| 20_000 + it * 10));
        assert_eq!(trend(&seconds), Trend::Stable);
    }

    #[test]
    fn clock_jump_does_not_change_the_trend() {
        let even: Vec<i64> = (0..20).map(|it| it * 10).collect();
        for jump in [-1_000_000, 1_000_000] {
            for at in 1..20 {
                let jumped: Vec<i64> =
                    even.iter().enumerate().map(|(i, it)| if i >= at { it + jump } else { *it }).collect();
                assert_eq!(trend(&jumped), Trend::Stable, "jump by {jump} at {at}");
            }
        }
        let mut extremes = RecentTimes::default();
        for ts in [i64::MAX, i64::MIN, 0, i64::MAX, 5, 9, i64::MIN] {
            extremes.add(ts);
            extremes.trend(i64::MAX);
            extremes.trend(i64::MIN);
        }
    }

    #[test]
    fn stopped_pattern_is_decreasing() {
        let mut times = RecentTimes::default();
        for second in 0..10 {
            times.add(second * SECOND);
        }
        assert_eq!(times.trend(10 * SECOND), Trend::Stable);
        assert_eq!(times.trend(3_600 * SECOND), Trend::Decreasing);
        assert_eq!(times.trend(-3_600 * SECOND), Trend::Stable, "a clock that was put back");
    }
}
