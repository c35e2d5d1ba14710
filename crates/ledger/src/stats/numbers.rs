//! Counts of a tool, a client, a server, or of all calls.

use serde::{Deserialize, Serialize};

use super::Histogram;
use crate::Record;

/// Counts of calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Numbers {
    /// Finished calls.
    pub processed: u64,
    /// Those whose arguments were changed.
    pub normalized: u64,
    /// Failed calls.
    pub errors: u64,
    /// Bytes of arguments as they were sent.
    pub bytes_in: u64,
    /// Bytes of results.
    pub bytes_out: u64,
    /// Durations of the calls.
    pub durations: Histogram,
}

/// Counts with percentiles instead of buckets, for people and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Summary {
    pub processed: u64,
    pub normalized: u64,
    pub errors: u64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub mean_us: u64,
    pub min_us: u64,
    pub p50_us: u64,
    pub p90_us: u64,
    pub p95_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
}

impl Numbers {
    pub(super) fn count(&mut self, record: &Record) {
        // A file can contain any number: additions saturate.
        self.processed = self.processed.saturating_add(1);
        self.normalized = self.normalized.saturating_add(u64::from(!record.changes.is_empty()));
        self.errors = self.errors.saturating_add(u64::from(record.error.is_some()));
        self.bytes_in = self.bytes_in.saturating_add(record.bytes_in);
        self.bytes_out = self.bytes_out.saturating_add(record.bytes_out);
        self.durations.add(record.duration_us);
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Numbers) {
        self.processed = self.processed.saturating_add(other.processed);
        self.normalized = self.normalized.saturating_add(other.normalized);
        self.errors = self.errors.saturating_add(other.errors);
        self.bytes_in = self.bytes_in.saturating_add(other.bytes_in);
        self.bytes_out = self.bytes_out.saturating_add(other.bytes_out);
        self.durations.merge(&other.durations);
    }

    /// Summary for people and pages.
    pub fn summary(&self) -> Summary {
        Summary {
            processed: self.processed,
            normalized: self.normalized,
            errors: self.errors,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            mean_us: self.durations.mean_us(),
            min_us: self.durations.min_us(),
            p50_us: self.durations.quantile_us(0.5),
            p90_us: self.durations.quantile_us(0.9),
            p95_us: self.durations.quantile_us(0.95),
            p99_us: self.durations.quantile_us(0.99),
            max_us: self.durations.max_us(),
        }
    }
}
