//! Bounded queue of spans that wait for export. A call never waits: its span enters the queue or is dropped and
//! counted.

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

use crate::health::{ExportHealth, TelemetrySignal};

/// The most spans in the queue, including those of the batch in flight.
pub const MAX_SPANS: usize = 2_048;
/// The number of spans per export.
const MAX_BATCH_SPANS: usize = 512;
/// How long the first span of a batch waits for others.
const BATCH_DELAY: Duration = Duration::from_secs(1);

/// The span queue. It counts its spans itself, because the SDK's batch processor drops spans silently.
#[derive(Debug)]
pub(crate) struct SpanQueue {
    processor: BatchSpanProcessor,
    waiting: Arc<AtomicUsize>,
    health: Arc<ExportHealth>,
}

impl SpanQueue {
    /// Creates a queue for an exporter.
    pub fn new(exporter: impl SpanExporter + 'static, health: Arc<ExportHealth>) -> SpanQueue {
        let waiting = Arc::new(AtomicUsize::new(0));
        let config = BatchConfigBuilder::default()
            // Larger than `MAX_SPANS`, so that the processor never drops a span itself.
            .with_max_queue_size(2 * MAX_SPANS)
            .with_max_export_batch_size(MAX_BATCH_SPANS)
            .with_scheduled_delay(BATCH_DELAY)
            .build();
        let watched =
            ObservedSpanExporter { exporter, waiting: Arc::clone(&waiting), health: Arc::clone(&health) };
        let processor = BatchSpanProcessor::builder(watched).with_batch_config(config).build();
        SpanQueue { processor, waiting, health }
    }
}

impl SpanProcessor for SpanQueue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= MAX_SPANS {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return self.health.count_dropped();
        }
        self.processor.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.processor.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.processor.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.processor.set_resource(resource);
    }
}

/// A span exporter that records success and failure.
#[derive(Debug)]
struct ObservedSpanExporter<E> {
    exporter: E,
    waiting: Arc<AtomicUsize>,
    health: Arc<ExportHealth>,
}

impl<E: SpanExporter> SpanExporter for ObservedSpanExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let exported = self.exporter.export(batch).await;
        self.waiting.fetch_sub(spans, Ordering::AcqRel);
        match &exported {
            Ok(()) => self.health.record_success(TelemetrySignal::Traces, spans),
            Err(error) => self.health.record_failure(TelemetrySignal::Traces, spans, &error.to_string()),
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

/// A metric exporter that records success and failure.
pub(crate) struct ObservedMetricExporter<E> {
    pub exporter: E,
    pub health: Arc<ExportHealth>,
}

impl<E: PushMetricExporter> PushMetricExporter for ObservedMetricExporter<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let exported = self.exporter.export(metrics).await;
        match &exported {
            Ok(()) => self.health.record_success(TelemetrySignal::Metrics, 0),
            Err(error) => self.health.record_failure(TelemetrySignal::Metrics, 0, &error.to_string()),
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

    /// Blocks until the channel closes, then succeeds or fails.
    #[derive(Debug)]
    struct BlockingExporter {
        open: Mutex<Receiver<()>>,
        fails: bool,
    }

    impl SpanExporter for BlockingExporter {
        async fn export(&self, _: Vec<SpanData>) -> OTelSdkResult {
            // `recv` returns at once after the sender is dropped.
            let _ = self.open.lock().expect("no panic").recv();
            match self.fails {
                true => Err(OTelSdkError::InternalFailure("closed for good".into())),
                false => Ok(()),
            }
        }
    }

    fn counts_of(spans: usize, fails: bool) -> ExportCounts {
        let health = ExportHealth::new("nowhere".into(), Arc::new(|_| ()));
        let (open, opens) = channel();
        let queue = SpanQueue::new(BlockingExporter { open: Mutex::new(opens), fails }, Arc::clone(&health));
        let provider = SdkTracerProvider::builder().with_span_processor(queue).build();
        let tracer = provider.tracer("test");
        for _ in 0..spans {
            drop(tracer.start("call"));
        }
        // No span is exported yet, and no caller has waited.
        assert_eq!(health.counts().spans_dropped, spans.saturating_sub(MAX_SPANS) as u64);
        drop(open);
        provider.shutdown_with_timeout(Duration::from_secs(60)).expect("it ends");
        health.counts()
    }

    #[test]
    fn spans_above_the_limit_are_dropped_and_counted() {
        let counts = counts_of(MAX_SPANS + 700, false);
        let sent = MAX_SPANS as u64;
        assert_eq!(counts, ExportCounts { spans_sent: sent, spans_dropped: 700, ..ExportCounts::default() });
    }

    #[test]
    fn rejected_spans_are_counted() {
        let counts = counts_of(10, true);
        assert_eq!(counts, ExportCounts { spans_not_sent: 10, ..ExportCounts::default() });
    }
}
