//! Timing one call many times.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::order::Order;

/// How often the clock itself is timed.
const CLOCK_SAMPLES: usize = 20_000;

/// The figures of one row.
#[derive(Debug, PartialEq, Eq)]
pub struct Timing {
    /// Half of the calls took at most this.
    pub p50_ns: u64,
    /// Ninety-nine of a hundred calls took at most this.
    pub p99_ns: u64,
}

/// Times calls as long as the work order says.
#[derive(Debug)]
pub struct Stopwatch<'a> {
    order: &'a Order,
    clock_ns: u64,
}

impl<'a> Stopwatch<'a> {
    /// Finds out what reading the clock costs: it is taken off every sample.
    pub fn new(order: &'a Order) -> Self {
        let mut samples: Vec<u64> = (0..CLOCK_SAMPLES).map(|_| sample(|| 0)).collect();
        samples.sort_unstable();
        Self { order, clock_ns: percentile(&samples, 50) }
    }

    /// Times one call.
    pub fn time(&self, call: impl Fn() -> usize) -> Timing {
        repeat_until(Instant::now() + self.order.warm_up, &call);
        let mut samples = Vec::with_capacity(self.order.max_samples);
        let start = Instant::now();
        loop {
            samples.push(sample(&call).saturating_sub(self.clock_ns));
            if self.is_enough(samples.len(), start.elapsed()) {
                break;
            }
        }
        samples.sort_unstable();
        Timing { p50_ns: percentile(&samples, 50), p99_ns: percentile(&samples, 99) }
    }

    fn is_enough(&self, samples: usize, elapsed: Duration) -> bool {
        let Order { min_samples, max_samples, measure, limit, .. } = self.order;
        if samples < *min_samples {
            elapsed >= *limit
        } else {
            samples >= *max_samples || elapsed >= *measure
        }
    }
}

fn repeat_until(end: Instant, call: impl Fn() -> usize) {
    loop {
        black_box(call());
        if Instant::now() >= end {
            return;
        }
    }
}

fn sample(call: impl Fn() -> usize) -> u64 {
    let start = Instant::now();
    black_box(call());
    nanoseconds(start.elapsed())
}

/// As a whole number.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The nearest rank in an ordered list; 0 for an empty one.
pub fn percentile(ordered: &[u64], percent: usize) -> u64 {
    let rank = (ordered.len() * percent).div_ceil(100);
    ordered.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 99)), (50, 99));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 99)), (7, 7));
        assert_eq!(percentile(&[1, 2, 3, 4, 5], 99), 5);
        assert_eq!(percentile(&[], 50), 0);
    }
}
