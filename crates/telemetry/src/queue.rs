//! Spans that wait to be sent, up to a number. On the way of a call nothing waits: a span goes into the queue or is
//! dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor,
};

use crate::health::{Health, Signal};

/// How many spans may wait, those on their way included.
pub const MAX_SPANS: usize = 2_048;
/// How many are sent at once.
const BATCH: usize = 512;
/// How long the first one waits for others.
const DELAY: Duration = Duration::from_secs(1);

/// The queue. It counts what is inside itself, because the one within drops in silence.
#[derive(Debug)]
pub(crate) struct Queue {
    within: BatchSpanProcessor,
    waiting: Arc<AtomicUsize>,
    health: Arc<Health>,
}

impl Queue {
    /// A queue before an exporter.
    pub fn new(exporter: impl SpanExporter + 'static, health: Arc<Health>) -> Queue {
        let waiting = Arc::new(AtomicUsize::new(0));
        let config = BatchConfigBuilder::default()
            // Never the first to be full.
            .with_max_queue_size(2 * MAX_SPANS)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(DELAY)
            .build();
        let watched = Watched { exporter, waiting: Arc::clone(&waiting), health: Arc::clone(&health) };
        let within = BatchSpanProcessor::builder(watched).with_batch_config(config).build();
        Queue { within, waiting, health }
    }
}

impl SpanProcessor for Queue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= MAX_SPANS {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return self.health.dropped();
        }
        self.within.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.within.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.within.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.within.set_resource(resource);
    }
}

/// An exporter of spans whose success is known.
#[derive(Debug)]
struct Watched<E> {
    exporter: E,
    waiting: Arc<AtomicUsize>,
    health: Arc<Health>,
}

impl<E: SpanExporter> SpanExporter for Watched<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let exported = self.exporter.export(batch).await;
        self.waiting.fetch_sub(spans, Ordering::AcqRel);
        match &exported {
            Ok(()) => self.health.sent(Signal::Traces, spans),
            Err(error) => self.health.failed(Signal::Traces, spans, &error.to_string()),
        }
        exported
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.exporter.shutdown()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// An exporter of metrics whose success is known.
pub(crate) struct WatchedMetrics<E> {
    pub exporter: E,
    pub health: Arc<Health>,
}

impl<E: PushMetricExporter> PushMetricExporter for WatchedMetrics<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let exported = self.exporter.export(metrics).await;
        match &exported {
            Ok(()) => self.health.sent(Signal::Metrics, 0),
            Err(error) => self.health.failed(Signal::Metrics, 0, &error.to_string()),
        }
        exported
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, channel};

    use opentelemetry::trace::{Tracer, TracerProvider};
    use opentelemetry_sdk::error::OTelSdkError;
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;
    use crate::health::ExportCounts;

    /// Takes nothing until it is told to, and then fails or does not.
    #[derive(Debug)]
    struct Gated {
        open: Mutex<Receiver<()>>,
        fails: bool,
    }

    impl SpanExporter for Gated {
        async fn export(&self, _: Vec<SpanData>) -> OTelSdkResult {
            // Once it is open it stays so.
            let _ = self.open.lock().expect("no panic").recv();
            match self.fails {
                true => Err(OTelSdkError::InternalFailure("closed for good".into())),
                false => Ok(()),
            }
        }
    }

    fn counts_of(spans: usize, fails: bool) -> ExportCounts {
        let health = Health::new("nowhere".into(), Arc::new(|_| ()));
        let (open, opens) = channel();
        let queue = Queue::new(Gated { open: Mutex::new(opens), fails }, Arc::clone(&health));
        let provider = SdkTracerProvider::builder().with_span_processor(queue).build();
        let tracer = provider.tracer("test");
        for _ in 0..spans {
            drop(tracer.start("call"));
        }
        // Nothing has been taken yet, and still nobody waited.
        assert_eq!(health.counts().spans_dropped, spans.saturating_sub(MAX_SPANS) as u64);
        drop(open);
        provider.shutdown_with_timeout(Duration::from_secs(60)).expect("it ends");
        health.counts()
    }

    #[test]
    fn what_does_not_fit_is_dropped_at_once_and_counted() {
        let counts = counts_of(MAX_SPANS + 700, false);
        let sent = MAX_SPANS as u64;
        assert_eq!(counts, ExportCounts { spans_sent: sent, spans_dropped: 700, ..ExportCounts::default() });
    }

    #[test]
    fn what_is_not_taken_is_counted_too() {
        let counts = counts_of(10, true);
        assert_eq!(counts, ExportCounts { spans_not_sent: 10, ..ExportCounts::default() });
    }
}
