//! Export health: counts exported and lost data, and reports each outage once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use toolwright_base::IgnorePoison;

use crate::queue::MAX_SPANS;

/// Reports one line to the user.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// The kinds of exported data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TelemetrySignal {
    Traces,
    Metrics,
}

/// Counters of exported and lost data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportCounts {
    /// Spans that the collector accepted.
    pub spans_sent: u64,
    /// Spans dropped because the queue was full.
    pub spans_dropped: u64,
    /// Spans that the collector did not accept.
    pub spans_not_sent: u64,
    /// Failed exports of metrics.
    pub metrics_not_sent: u64,
}

/// The state of the export.
pub(crate) struct ExportHealth {
    say: Say,
    /// The address of the collector, without secrets.
    place: String,
    outage: Mutex<Outage>,
    spans_sent: AtomicU64,
    spans_dropped: AtomicU64,
    spans_not_sent: AtomicU64,
    metrics_not_sent: AtomicU64,
}

#[derive(Default)]
struct Outage {
    signals: BTreeSet<TelemetrySignal>,
    /// The number of lost spans when the outage started.
    lost_before: u64,
    /// The reason of the last failure, if it is known more precisely than by the exporter's error.
    reason: Option<String>,
}

impl ExportHealth {
    pub fn new(place: String, say: Say) -> Arc<ExportHealth> {
        Arc::new(ExportHealth {
            say,
            place,
            outage: Mutex::default(),
            spans_sent: AtomicU64::new(0),
            spans_dropped: AtomicU64::new(0),
            spans_not_sent: AtomicU64::new(0),
            metrics_not_sent: AtomicU64::new(0),
        })
    }

    /// Stores the reason of a failed attempt. The exporter may retry, so nothing is reported yet.
    pub fn store_reason(&self, reason: String) {
        self.outage().reason = Some(reason);
    }

    /// Counts a span dropped because the queue was full.
    pub fn count_dropped(&self) {
        self.spans_dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Records a successful export. Reports the end of an outage once all signals succeed.
    pub fn record_success(&self, signal: TelemetrySignal, spans: usize) {
        self.spans_sent.fetch_add(spans as u64, Ordering::Relaxed);
        let line = {
            let mut outage = self.outage();
            outage.reason = None;
            let was_failing = outage.signals.remove(&signal);
            let lost_spans = self.lost_spans() - outage.lost_before;
            (was_failing && outage.signals.is_empty()).then(|| {
                format!(
                    "telemetry: {} is reachable again; {lost_spans} spans were lost during the outage",
                    self.place
                )
            })
        };
        if let Some(line) = line {
            (self.say)(&line);
        }
    }

    /// Records a failed export whose data is lost. Reports the start of an outage.
    pub fn record_failure(&self, signal: TelemetrySignal, spans: usize, error: &str) {
        let lost_before = self.lost_spans();
        match signal {
            TelemetrySignal::Traces => self.spans_not_sent.fetch_add(spans as u64, Ordering::Relaxed),
            TelemetrySignal::Metrics => self.metrics_not_sent.fetch_add(1, Ordering::Relaxed),
        };
        let line = {
            let mut outage = self.outage();
            let is_first = outage.signals.is_empty();
            outage.signals.insert(signal);
            if is_first {
                outage.lost_before = lost_before;
            }
            let reason = outage.reason.take();
            let what = match signal {
                TelemetrySignal::Traces => "spans",
                TelemetrySignal::Metrics => "metrics",
            };
            is_first.then(|| {
                format!(
                    "warning: telemetry: {what} cannot be sent to {}: {}; calls continue, up to {MAX_SPANS} spans wait and \
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

    /// The counters so far.
    pub fn counts(&self) -> ExportCounts {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ExportCounts {
            spans_sent: count(&self.spans_sent),
            spans_dropped: count(&self.spans_dropped),
            spans_not_sent: count(&self.spans_not_sent),
            metrics_not_sent: count(&self.metrics_not_sent),
        }
    }

    fn lost_spans(&self) -> u64 {
        let ExportCounts { spans_dropped, spans_not_sent, .. } = self.counts();
        spans_dropped + spans_not_sent
    }

    fn outage(&self) -> std::sync::MutexGuard<'_, Outage> {
        self.outage.lock().ignore_poison()
    }
}

impl fmt::Debug for ExportHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportHealth")
            .field("place", &self.place)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording_health() -> (Arc<ExportHealth>, Arc<Mutex<Vec<String>>>) {
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&lines);
        let say: Say = Arc::new(move |line| sink.lock().expect("no panic").push(line.to_owned()));
        (ExportHealth::new("http://c:4318/".into(), say), lines)
    }

    #[test]
    fn outage_is_reported_once_and_its_end_once() {
        let (health, lines) = recording_health();
        health.record_success(TelemetrySignal::Traces, 3);
        health.store_reason("connection refused".into());
        health.record_failure(TelemetrySignal::Traces, 5, "network error");
        health.record_failure(TelemetrySignal::Metrics, 0, "network error");
        health.record_failure(TelemetrySignal::Traces, 2, "network error");
        health.count_dropped();
        health.record_success(TelemetrySignal::Metrics, 0);
        assert_eq!(lines.lock().expect("no panic").len(), 1);
        health.record_success(TelemetrySignal::Traces, 1);
        health.record_success(TelemetrySignal::Traces, 1);
        insta::assert_snapshot!(lines.lock().expect("no panic").join("\n"), @r"
        warning: telemetry: spans cannot be sent to http://c:4318/: connection refused; calls continue, up to 2048 spans wait and the others are lost; start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_SDK_DISABLED=true
        telemetry: http://c:4318/ is reachable again; 8 spans were lost during the outage
        ");
        let counts = ExportCounts { spans_sent: 5, spans_dropped: 1, spans_not_sent: 7, metrics_not_sent: 1 };
        assert_eq!(health.counts(), counts);
    }

    #[test]
    fn next_outage_is_reported_too() {
        let (health, lines) = recording_health();
        for _ in 0..2 {
            health.record_failure(TelemetrySignal::Metrics, 0, "status 503");
            health.record_success(TelemetrySignal::Metrics, 0);
        }
        let lines = lines.lock().expect("no panic");
        assert_eq!(lines.len(), 4);
        assert!(lines[2].contains("metrics cannot be sent") && lines[2].contains("status 503"), "{lines:?}");
    }
}
