//! Latency histogram with a fixed number of buckets: percentiles without single values, and two can be merged.

use serde::{Deserialize, Serialize};

/// Below this every microsecond has its own bucket.
const EXACT: u64 = 16;
/// Buckets for each power of two above: a percentile is at most an eighth too high.
const PER_DOUBLING: usize = 8;
/// The last power of two is 2^36 microseconds, 19 hours.
const LAST_DOUBLING: u32 = 36;
const BUCKETS: usize = EXACT as usize + (LAST_DOUBLING as usize - 3) * PER_DOUBLING;

/// Histogram of call durations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "HistogramData", into = "HistogramData")]
pub struct Histogram {
    counts: Box<[u64]>,
    sum_us: u64,
    /// `u64::MAX` while nothing was counted.
    min_us: u64,
    max_us: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: vec![0; BUCKETS].into_boxed_slice(), sum_us: 0, min_us: u64::MAX, max_us: 0 }
    }
}

impl Histogram {
    /// Counts one duration.
    pub fn add(&mut self, us: u64) {
        if let Some(count) = self.counts.get_mut(bucket(us)) {
            *count = count.saturating_add(1);
        }
        self.sum_us = self.sum_us.saturating_add(us);
        self.min_us = self.min_us.min(us);
        self.max_us = self.max_us.max(us);
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.sum_us = self.sum_us.saturating_add(other.sum_us);
        self.min_us = self.min_us.min(other.min_us);
        self.max_us = self.max_us.max(other.max_us);
    }

    /// Number of counted durations.
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The shortest duration in microseconds; 0 without any.
    pub fn min_us(&self) -> u64 {
        if self.min_us == u64::MAX { 0 } else { self.min_us }
    }

    /// The longest duration in microseconds.
    pub fn max_us(&self) -> u64 {
        self.max_us
    }

    /// The mean in microseconds; 0 without any.
    pub fn mean_us(&self) -> u64 {
        self.sum_us.checked_div(self.count()).unwrap_or(0)
    }

    /// The given quantile in microseconds: at most an eighth too high, never too low.
    pub fn quantile_us(&self, share: f64) -> u64 {
        let count = self.count();
        if count == 0 {
            return 0;
        }
        let rank = ((share.clamp(0.0, 1.0) * count as f64).ceil() as u64).clamp(1, count);
        let mut below: u64 = 0;
        for (index, histogram) in self.counts.iter().enumerate() {
            below = below.saturating_add(*histogram);
            if below >= rank {
                // The last bucket has no upper bound.
                return if index + 1 == BUCKETS { self.max_us } else { end_of(index).min(self.max_us) };
            }
        }
        self.max_us
    }
}

/// The bucket of a duration.
fn bucket(us: u64) -> usize {
    if us < EXACT {
        return us as usize;
    }
    let doubling = us.ilog2();
    if doubling > LAST_DOUBLING {
        return BUCKETS - 1;
    }
    let within = (us >> (doubling - 3)) as usize & (PER_DOUBLING - 1);
    EXACT as usize + (doubling as usize - 4) * PER_DOUBLING + within
}

/// The longest duration of a bucket.
fn end_of(bucket: usize) -> u64 {
    let Some(above) = bucket.checked_sub(EXACT as usize) else { return bucket as u64 };
    let doubling = above / PER_DOUBLING + 4;
    let within = (above % PER_DOUBLING) as u64;
    ((8 + within + 1) << (doubling - 3)) - 1
}

/// Serialized form: only buckets that are not empty.
#[derive(Serialize, Deserialize)]
struct HistogramData {
    #[serde(default)]
    sum_us: u64,
    /// Older files do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min_us: Option<u64>,
    #[serde(default)]
    max_us: u64,
    #[serde(default)]
    buckets: Vec<(usize, u64)>,
}

impl From<Histogram> for HistogramData {
    fn from(histogram: Histogram) -> Self {
        let buckets = histogram.counts.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
        let min_us = Some(histogram.min_us).filter(|min_us| *min_us < u64::MAX);
        HistogramData { sum_us: histogram.sum_us, min_us, max_us: histogram.max_us, buckets }
    }
}

impl From<HistogramData> for Histogram {
    fn from(data: HistogramData) -> Self {
        let mut histogram = Histogram { sum_us: data.sum_us, max_us: data.max_us, ..Histogram::default() };
        for (bucket, count) in data.buckets {
            let mine = &mut histogram.counts[bucket.min(BUCKETS - 1)];
            *mine = mine.saturating_add(count);
        }
        histogram.min_us = data.min_us.unwrap_or_else(|| {
            let first = histogram.counts.iter().position(|count| *count > 0);
            first.map_or(u64::MAX, |first| end_of(first).min(histogram.max_us))
        });
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_have_no_gaps() {
        for index in 0..BUCKETS {
            assert_eq!(bucket(end_of(index)), index, "the end of bucket {index}");
            if index + 1 < BUCKETS {
                assert_eq!(bucket(end_of(index) + 1), index + 1, "what follows bucket {index}");
            }
        }
        assert_eq!(bucket(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_at_most_an_eighth_too_high_and_never_too_low() {
        let mut histogram = Histogram::default();
        for us in 1..=10_000 {
            histogram.add(us * 7);
        }
        for (share, exact) in [(0.5, 35_000), (0.9, 63_000), (0.95, 66_500), (0.99, 69_300), (1.0, 70_000)] {
            let quantile = histogram.quantile_us(share);
            assert!(quantile >= exact && quantile <= exact + exact / 8, "{share}: {quantile}, exact {exact}");
        }
        assert_eq!((histogram.mean_us(), histogram.min_us(), histogram.max_us()), (35_003, 7, 70_000));
        let data = serde_json::to_string(&histogram).unwrap();
        assert_eq!(serde_json::from_str::<Histogram>(&data).unwrap(), histogram);
        assert_eq!(Histogram::default().min_us(), 0);
        assert_eq!(Histogram::default().quantile_us(0.5), 0);
    }

    #[test]
    fn unknown_bucket_is_clamped() {
        let read: Histogram = serde_json::from_str(r#"{"buckets":[[99999,2],[3,1]],"max_us":5}"#).unwrap();
        assert_eq!((read.count(), read.min_us()), (3, 3));
        assert_eq!(read.quantile_us(1.0), 5);
    }
}
