//! Times by how often they came, in a fixed space.

use std::fmt;
use std::time::Duration;

/// Each doubling of a time is cut into so many parts: what is read is at most 1/32 too large.
const PARTS: usize = 32;
const DOUBLINGS: usize = 64;

/// Times.
#[derive(Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    most: u64,
    sum: u128,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; PARTS * DOUBLINGS], count: 0, most: 0, sum: 0 }
    }
}

impl Histogram {
    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.counts[place(nanos)] += 1;
        self.count += 1;
        self.most = self.most.max(nanos);
        self.sum += u128::from(nanos);
    }

    /// Adds what another has.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            *own += other;
        }
        self.count += other.count;
        self.most = self.most.max(other.most);
        self.sum += other.sum;
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// So many percent of the times are at most this.
    pub fn percentile(&self, percent: f64) -> Duration {
        let rank = (self.count as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut passed = 0;
        for (place, count) in self.counts.iter().enumerate() {
            passed += count;
            if passed >= rank {
                return Duration::from_nanos(end(place).min(self.most));
            }
        }
        Duration::ZERO
    }

    /// The mean.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.sum / u128::from(self.count.max(1))).unwrap_or(u64::MAX))
    }
}

/// Where a time is counted: exactly below `PARTS`, then by its highest bits.
fn place(nanos: u64) -> usize {
    let parts = PARTS as u64;
    if nanos < parts {
        return nanos as usize;
    }
    let doubling = nanos.ilog2() - parts.ilog2();
    let part = (nanos >> doubling) - parts;
    PARTS * (doubling as usize + 1) + part as usize
}

/// The largest time that is counted there.
fn end(place: usize) -> u64 {
    if place < PARTS {
        return place as u64;
    }
    let (doubling, part) = (place / PARTS - 1, (place % PARTS + PARTS) as u64);
    ((u128::from(part + 1) << doubling) - 1).min(u128::from(u64::MAX)) as u64
}

/// `p50 0.20 ms, p99 1.30 ms, at most 2.00 ms`
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |percent| self.percentile(percent).as_secs_f64() * 1000.0;
        write!(f, "p50 {:.2} ms, p99 {:.2} ms, at most {:.2} ms", shown(50.0), shown(99.0), shown(100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_a_little_too_large_at_most() {
        let mut times = Histogram::default();
        for micros in 1..=1000 {
            times.add(Duration::from_micros(micros));
        }
        for (percent, exact) in [(50.0, 500.0), (99.0, 990.0), (100.0, 1000.0)] {
            let seen = times.percentile(percent).as_secs_f64() * 1e6;
            assert!(seen >= exact && seen <= exact * 1.04, "{percent}: {seen}");
        }
        assert_eq!(times.mean(), Duration::from_nanos(500_500));
    }

    #[test]
    fn every_time_is_counted_at_a_place_that_holds_it() {
        for nanos in (0..64).flat_map(|bit| [1_u64 << bit, (1 << bit) - 1, (1 << bit) + 1]).chain([u64::MAX])
        {
            let place = place(nanos);
            assert!(end(place) >= nanos, "{nanos}");
            assert!(place == 0 || end(place - 1) < nanos, "{nanos}");
        }
    }

    #[test]
    fn what_is_merged_is_counted_together() {
        let (mut one, mut two) = (Histogram::default(), Histogram::default());
        one.add(Duration::from_millis(1));
        two.add(Duration::from_millis(9));
        one.merge(&two);
        assert_eq!((one.count(), one.percentile(100.0)), (2, Duration::from_millis(9)));
        assert_eq!(Histogram::default().percentile(99.0), Duration::ZERO);
    }
}
