//! Whether what is measured arrives, and saying so once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use toolwright_base::IgnorePoison;

use crate::queue::MAX_SPANS;

/// Tells people something, in one line.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    Traces,
    Metrics,
}

/// What became of what was to be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportCounts {
    /// Spans that arrived.
    pub spans_sent: u64,
    /// Spans that found the queue full.
    pub spans_dropped: u64,
    /// Spans that the collector did not take.
    pub spans_not_sent: u64,
    /// Times that metrics could not be sent.
    pub metrics_not_sent: u64,
}

/// How sending is doing.
pub(crate) struct Health {
    say: Say,
    /// Where things go, without secrets.
    place: String,
    failing: Mutex<Failing>,
    spans_sent: AtomicU64,
    spans_dropped: AtomicU64,
    spans_not_sent: AtomicU64,
    metrics_not_sent: AtomicU64,
}

#[derive(Default)]
struct Failing {
    signals: BTreeSet<Signal>,
    /// How many spans were lost when it began.
    lost_before: u64,
    /// Why the last attempt failed, where more is known than that it did.
    reason: Option<String>,
}

impl Health {
    pub fn new(place: String, say: Say) -> Arc<Health> {
        Arc::new(Health {
            say,
            place,
            failing: Mutex::default(),
            spans_sent: AtomicU64::new(0),
            spans_dropped: AtomicU64::new(0),
            spans_not_sent: AtomicU64::new(0),
            metrics_not_sent: AtomicU64::new(0),
        })
    }

    /// Keeps why an attempt failed; whether it was the last one is told later.
    pub fn reason(&self, reason: String) {
        self.failing().reason = Some(reason);
    }

    /// A span found the queue full.
    pub fn dropped(&self) {
        self.spans_dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Something arrived.
    pub fn sent(&self, signal: Signal, spans: usize) {
        self.spans_sent.fetch_add(spans as u64, Ordering::Relaxed);
        let line = {
            let mut failing = self.failing();
            failing.reason = None;
            let was_failing = failing.signals.remove(&signal);
            let lost = self.lost() - failing.lost_before;
            (was_failing && failing.signals.is_empty()).then(|| {
                format!("telemetry: {} is reached again; {lost} spans were lost meanwhile", self.place)
            })
        };
        if let Some(line) = line {
            (self.say)(&line);
        }
    }

    /// Something did not arrive, and is lost.
    pub fn failed(&self, signal: Signal, spans: usize, error: &str) {
        let lost_before = self.lost();
        match signal {
            Signal::Traces => self.spans_not_sent.fetch_add(spans as u64, Ordering::Relaxed),
            Signal::Metrics => self.metrics_not_sent.fetch_add(1, Ordering::Relaxed),
        };
        let line = {
            let mut failing = self.failing();
            let is_first = failing.signals.is_empty();
            failing.signals.insert(signal);
            if is_first {
                failing.lost_before = lost_before;
            }
            let reason = failing.reason.take();
            let what = match signal {
                Signal::Traces => "spans",
                Signal::Metrics => "metrics",
            };
            is_first.then(|| {
                format!(
                    "warning: telemetry: {what} cannot be sent to {}: {}; calls go on, up to {MAX_SPANS} spans wait and \
                     the others are lost; start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT, or set \
                     OTEL_SDK_DISABLED=true",
                    self.place,
                    reason.as_deref().unwrap_or(error)
                )
            })
        };
        if let Some(line) = line {
            (self.say)(&line);
        }
    }

    /// What became of everything so far.
    pub fn counts(&self) -> ExportCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ExportCounts {
            spans_sent: count(&self.spans_sent),
            spans_dropped: count(&self.spans_dropped),
            spans_not_sent: count(&self.spans_not_sent),
            metrics_not_sent: count(&self.metrics_not_sent),
        }
    }

    fn lost(&self) -> u64 {
        let ExportCounts { spans_dropped, spans_not_sent, .. } = self.counts();
        spans_dropped + spans_not_sent
    }

    fn failing(&self) -> std::sync::MutexGuard<'_, Failing> {
        self.failing.lock().ignore_poison()
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health")
            .field("place", &self.place)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched() -> (Arc<Health>, Arc<Mutex<Vec<String>>>) {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Arc::clone(&said);
        let say: Say = Arc::new(move |line| heard.lock().expect("no panic").push(line.to_owned()));
        (Health::new("http://c:4318/".into(), say), said)
    }

    #[test]
    fn a_failure_is_told_once_and_its_end_once() {
        let (health, said) = watched();
        health.sent(Signal::Traces, 3);
        health.reason("connection refused".into());
        health.failed(Signal::Traces, 5, "network error");
        health.failed(Signal::Metrics, 0, "network error");
        health.failed(Signal::Traces, 2, "network error");
        health.dropped();
        health.sent(Signal::Metrics, 0);
        assert_eq!(said.lock().expect("no panic").len(), 1);
        health.sent(Signal::Traces, 1);
        health.sent(Signal::Traces, 1);
        insta::assert_snapshot!(said.lock().expect("no panic").join("\n"), @r"
        warning: telemetry: spans cannot be sent to http://c:4318/: connection refused; calls go on, up to 2048 spans wait and the others are lost; start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_SDK_DISABLED=true
        telemetry: http://c:4318/ is reached again; 8 spans were lost meanwhile
        ");
        let counts = ExportCounts { spans_sent: 5, spans_dropped: 1, spans_not_sent: 7, metrics_not_sent: 1 };
        assert_eq!(health.counts(), counts);
    }

    #[test]
    fn the_next_failure_is_told_again() {
        let (health, said) = watched();
        for _ in 0..2 {
            health.failed(Signal::Metrics, 0, "status 503");
            health.sent(Signal::Metrics, 0);
        }
        let said = said.lock().expect("no panic");
        assert_eq!(said.len(), 4);
        assert!(said[2].contains("metrics cannot be sent") && said[2].contains("status 503"), "{said:?}");
    }
}
