//! Telemetry of one gateway, from startup to graceful shutdown.

use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::SdkTracerProvider;
use toolwright_base::IgnorePoison;

use crate::environment::is_header;
use crate::export_client::{ATTEMPT_TIMEOUT, ExportClient};
use crate::health::{ExportCounts, ExportHealth, Say};
use crate::instruments::{self, Instruments};
use crate::meter::CallMeter;
use crate::names::SCOPE;
use crate::options::{TelemetryError, TelemetryOptions, redacted_address};
use crate::queue::{ObservedMetricExporter, SpanQueue};
use crate::readings::Readings;
use crate::redactor::{AttributeRedactor, Hide};
use crate::span::{CallBegin, CallSpan, Instrumentation, Onward};

/// The default interval between metric exports.
const DEFAULT_METRICS_INTERVAL: Duration = Duration::from_secs(60);

/// Telemetry of one gateway.
pub struct Telemetry {
    instrumentation: Arc<Instrumentation>,
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
    meter: Option<Meter>,
    health: Arc<ExportHealth>,
    say: Say,
    is_shut_down: Mutex<bool>,
}

impl Telemetry {
    /// Starts the exporters. Outages and losses are reported in single lines.
    ///
    /// # Errors
    /// If an address or a header is invalid. An unreachable collector is not an error.
    pub fn start(options: &TelemetryOptions, say: Say) -> Result<Telemetry, TelemetryError> {
        if let Some((name, _)) = options.headers.iter().find(|(name, value)| !is_header(name, value)) {
            return Err(TelemetryError::Header {
                name: name.clone(),
                why: "it has characters that no header has",
            });
        }
        let headers: HashMap<String, String> = options.headers.iter().cloned().collect();
        let resource = resource(options);
        let (spans_to, metrics_to) = (options.traces_address()?, options.metrics_address()?);
        let place = if options.traces { &spans_to } else { &metrics_to };
        let health = ExportHealth::new(redacted_address(place.as_str()), Arc::clone(&say));
        let to_error =
            |error: opentelemetry_otlp::ExporterBuildError| TelemetryError::Exporter(error.to_string());
        let mut traces = None;
        if options.traces {
            let exporter = SpanExporter::builder()
                .with_http()
                .with_http_client(ExportClient::new(Arc::clone(&health)))
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(spans_to.as_str())
                .with_headers(headers.clone())
                .with_timeout(ATTEMPT_TIMEOUT)
                .build()
                .map_err(to_error)?;
            let queue = SpanQueue::new(exporter, Arc::clone(&health));
            let provider =
                SdkTracerProvider::builder().with_span_processor(queue).with_resource(resource.clone());
            traces = Some(provider.build());
        }
        let mut metrics = None;
        if options.metrics {
            let exporter = MetricExporter::builder()
                .with_http()
                .with_http_client(ExportClient::new(Arc::clone(&health)))
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(metrics_to.as_str())
                .with_headers(headers)
                .with_timeout(ATTEMPT_TIMEOUT)
                .build()
                .map_err(to_error)?;
            let exporter = ObservedMetricExporter { exporter, health: Arc::clone(&health) };
            let interval = options.metrics_interval.unwrap_or(DEFAULT_METRICS_INTERVAL);
            let reader = PeriodicReader::builder(exporter).with_interval(interval).build();
            metrics = Some(SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build());
        }
        // Dropping the last handle of a provider waits for the collector, and that drop could happen in a call. The
        // leaked clones leave the waiting to `end`.
        std::mem::forget((traces.clone(), metrics.clone()));
        let meter = metrics.as_ref().map(|provider| provider.meter(SCOPE));
        if let Some(meter) = &meter {
            instruments::observe_losses(meter, Arc::clone(&health));
        }
        let instrumentation = Arc::new(Instrumentation {
            tracer: traces.as_ref().map(|provider| provider.tracer(SCOPE)),
            instruments: meter.as_ref().map(|meter| Arc::new(Instruments::new(meter))),
            redactor: AttributeRedactor::default(),
        });
        Ok(Telemetry {
            instrumentation,
            traces,
            metrics,
            meter,
            health,
            say,
            is_shut_down: Mutex::new(false),
        })
    }

    /// Starts the span of a call. Also returns the starter of its server spans, if a server runs the tool.
    pub fn begin(&self, call: &CallBegin<'_>) -> (CallSpan, Option<Onward>) {
        CallSpan::begin(&self.instrumentation, call)
    }

    /// The observer that counts calls, if metrics are exported.
    pub fn call_meter(&self) -> Option<Arc<CallMeter>> {
        let instruments = self.instrumentation.instruments.as_ref()?;
        Some(Arc::new(CallMeter::new(Arc::clone(instruments), self.instrumentation.redactor.clone())))
    }

    /// Redacts names that clients and servers choose with this function, as the journal does. Until it is set, a
    /// default redactor hides texts that look like secrets.
    pub fn hide_with(&self, hide: Hide) {
        self.instrumentation.redactor.hide_with(hide);
    }

    /// Registers the source of the current state. The exporter thread, which has no async runtime, calls it before
    /// each export. Call this once.
    pub fn read_off(&self, readings: Arc<dyn Fn() -> Readings + Send + Sync>) {
        if let Some(meter) = &self.meter {
            instruments::observe(meter, readings);
        }
    }

    /// The counters of exported and lost data.
    pub fn counts(&self) -> ExportCounts {
        self.health.counts()
    }

    /// Flushes and stops the exporters. Blocks for at most `within`. Data that is measured later is lost.
    pub fn end(&self, within: Duration) {
        if std::mem::replace(&mut *self.is_shut_down.lock().ignore_poison(), true) {
            return;
        }
        let until = Instant::now() + within;
        let (done, finished) = mpsc::channel();
        let mut pending = 0;
        // Each provider stops on its own thread, so that one that hangs can be abandoned.
        if let Some(traces) = self.traces.clone() {
            let done = done.clone();
            pending += usize::from(spawn(move || {
                let _ = traces.shutdown_with_timeout(within);
                let _ = done.send(());
            }));
        }
        if let Some(metrics) = self.metrics.clone() {
            pending += usize::from(spawn(move || {
                let _ = metrics.shutdown_with_timeout(within);
                let _ = done.send(());
            }));
        }
        for _ in 0..pending {
            if finished.recv_timeout(until.saturating_duration_since(Instant::now())).is_err() {
                (self.say)("telemetry: the collector did not respond in time; unsent data is lost");
                break;
            }
        }
        let ExportCounts { spans_dropped, spans_not_sent, .. } = self.counts();
        if spans_dropped + spans_not_sent > 0 {
            (self.say)(&format!(
                "telemetry: {} spans were lost: {spans_dropped} dropped because the queue was full, {spans_not_sent} could not be sent",
                spans_dropped + spans_not_sent
            ));
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    thread::Builder::new().name("telemetry-end".to_owned()).spawn(work).is_ok()
}

/// The OpenTelemetry resource of this gateway. `OTEL_RESOURCE_ATTRIBUTES` may add attributes.
fn resource(options: &TelemetryOptions) -> Resource {
    const SERVICE_NAME: &str = "service.name";
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let found = Resource::builder().with_attribute(version.clone()).build();
    let named =
        found.iter().find(|(key, _)| key.as_str() == SERVICE_NAME).map(|(_, value)| value.to_string());
    let named = named.filter(|name| !name.starts_with("unknown_service"));
    let name = options.service_name.clone().or(named).unwrap_or_else(|| SCOPE.to_owned());
    Resource::builder().with_attribute(version).with_service_name(name).build()
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Telemetry").field("health", &self.health).finish_non_exhaustive()
    }
}
