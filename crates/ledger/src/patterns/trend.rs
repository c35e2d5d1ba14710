//! Whether errors of one pattern become more.
//!
//! The gaps between the last ones are compared, the older half of them with the newer half, each by its median: one
//! jump of the clock makes one wrong gap, and that does not move a median, unless there are less than six gaps.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// So many of the last moments are looked at.
const LOOKED_AT: usize = 20;
/// The spans of the small picture of a pattern.
const SPANS: usize = 12;
/// Less tell nothing.
const NEEDED: usize = 4;
/// Shorter gaps are one burst, in microseconds.
const SHORTEST_GAP: i64 = 1_000;
/// A pattern that rests for less than this is not over, in microseconds.
const SHORTEST_REST: i64 = 60_000_000;
/// A pattern is ending when it rests for so many times the time that its newer half took.
const ENDING: i64 = 4;

/// Whether errors of one pattern become more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// They come more than one and a half times as often as before.
    Increasing,
    /// Neither, or there are too few to tell.
    Stable,
    /// They come less than half as often as before, or do not come any more.
    Decreasing,
}

/// When the last ones came, in the order of their coming.
#[derive(Clone, Debug, Default)]
pub(super) struct Moments(VecDeque<i64>);

impl Moments {
    pub fn add(&mut self, ts: i64) {
        if self.0.len() == LOOKED_AT {
            self.0.pop_front();
        }
        self.0.push_back(ts);
    }

    /// How many of the last ones came in each of equal spans, from the first of them until now.
    pub fn spans(&self, now: i64) -> Vec<u64> {
        let mut spans = vec![0; SPANS];
        let Some(first) = self.0.iter().min().copied() else { return spans };
        let time = now.saturating_sub(first).max(1);
        for moment in &self.0 {
            let at = moment.saturating_sub(first).saturating_mul(SPANS as i64) / time;
            let at = usize::try_from(at).unwrap_or_default().min(SPANS - 1);
            spans[at] += 1;
        }
        spans
    }

    pub fn trend(&self, now: i64) -> Trend {
        if self.0.len() < NEEDED {
            return Trend::Stable;
        }
        // A clock that was put back makes a gap that is none.
        let gaps: Vec<i64> = self
            .0
            .iter()
            .zip(self.0.iter().skip(1))
            .map(|(before, after)| after.saturating_sub(*before))
            .filter(|gap| *gap >= 0)
            .map(|gap| gap.max(SHORTEST_GAP))
            .collect();
        // The one in the middle belongs to neither half.
        let half = gaps.len() / 2;
        let (Some(older), Some(newer)) = (median(&gaps[..half]), median(&gaps[gaps.len() - half..])) else {
            return Trend::Stable;
        };
        let rest = self.0.back().map_or(0, |last| now.saturating_sub(*last));
        let took = newer.saturating_mul(half as i64);
        if rest > SHORTEST_REST && rest > took.saturating_mul(ENDING) {
            return Trend::Decreasing;
        }
        // How often they come is one over the gap.
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
        let mut moments = Moments::default();
        for second in seconds {
            moments.add(second * SECOND);
        }
        moments.trend(seconds.last().map_or(0, |last| last * SECOND))
    }

    #[test]
    fn the_last_ones_are_put_into_equal_spans() {
        let mut moments = Moments::default();
        assert_eq!(moments.spans(5), [0; SPANS]);
        [0, 10, 119, 120].into_iter().for_each(|moment| moments.add(moment));
        let mut expected = [0; SPANS];
        (expected[0], expected[1], expected[11]) = (1, 1, 2);
        assert_eq!(moments.spans(120), expected);
        // A clock that was put back.
        assert_eq!(moments.spans(-5).iter().sum::<u64>(), 4);
    }

    #[test]
    fn errors_that_come_faster_slower_or_as_before() {
        assert_eq!(trend(&[0, 100, 200, 300, 310, 320, 330]), Trend::Increasing);
        assert_eq!(trend(&[0, 10, 20, 30, 130, 230, 330]), Trend::Decreasing);
        assert_eq!(trend(&[0, 10, 20, 30, 40, 50, 60]), Trend::Stable);
        assert_eq!(trend(&[5, 5, 5, 5, 5]), Trend::Stable, "one burst");
        assert_eq!(trend(&[0, 100, 101]), Trend::Stable, "three tell nothing");
    }

    #[test]
    fn only_the_last_twenty_count() {
        let mut seconds: Vec<i64> = (0..20).map(|it| it * 1_000).collect();
        seconds.extend((1..=20).map(|it| 20_000 + it * 10));
        assert_eq!(trend(&seconds), Trend::Stable);
    }

    #[test]
    fn a_jump_of_the_clock_changes_nothing() {
        let even: Vec<i64> = (0..20).map(|it| it * 10).collect();
        for jump in [-1_000_000, 1_000_000] {
            for at in 1..20 {
                let jumped: Vec<i64> =
                    even.iter().enumerate().map(|(i, it)| if i >= at { it + jump } else { *it }).collect();
                assert_eq!(trend(&jumped), Trend::Stable, "jump by {jump} at {at}");
            }
        }
        let mut extremes = Moments::default();
        for ts in [i64::MAX, i64::MIN, 0, i64::MAX, 5, 9, i64::MIN] {
            extremes.add(ts);
            extremes.trend(i64::MAX);
            extremes.trend(i64::MIN);
        }
    }

    #[test]
    fn a_pattern_that_does_not_come_any_more_is_decreasing() {
        let mut moments = Moments::default();
        for second in 0..10 {
            moments.add(second * SECOND);
        }
        assert_eq!(moments.trend(10 * SECOND), Trend::Stable);
        assert_eq!(moments.trend(3_600 * SECOND), Trend::Decreasing);
        assert_eq!(moments.trend(-3_600 * SECOND), Trend::Stable, "a clock that was put back");
    }
}
