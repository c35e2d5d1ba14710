//! Telemetry of one gateway, from its start to its orderly end.

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
use crate::health::{ExportCounts, Health, Say};
use crate::instruments::{self, Instruments};
use crate::meter::CallMeter;
use crate::names::SCOPE;
use crate::options::{TelemetryError, TelemetryOptions, shown};
use crate::post::{PATIENCE, Post};
use crate::queue::{Queue, WatchedMetrics};
use crate::readings::Readings;
use crate::shown::{Hide, Shown};
use crate::span::{CallBegin, CallSpan, Measures, Onward};

/// How often metrics are sent.
const INTERVAL: Duration = Duration::from_secs(60);

/// Telemetry of one gateway.
pub struct Telemetry {
    measures: Arc<Measures>,
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
    meter: Option<Meter>,
    health: Arc<Health>,
    say: Say,
    is_over: Mutex<bool>,
}

impl Telemetry {
    /// Begins to send. What becomes of it is said in single lines.
    ///
    /// # Errors
    /// When an address or a header cannot be used. That nobody answers at the address is no error.
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
        let health = Health::new(shown(place.as_str()), Arc::clone(&say));
        let failed =
            |error: opentelemetry_otlp::ExporterBuildError| TelemetryError::Exporter(error.to_string());
        let mut traces = None;
        if options.traces {
            let exporter = SpanExporter::builder()
                .with_http()
                .with_http_client(Post::new(Arc::clone(&health)))
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(spans_to.as_str())
                .with_headers(headers.clone())
                .with_timeout(PATIENCE)
                .build()
                .map_err(failed)?;
            let queue = Queue::new(exporter, Arc::clone(&health));
            let provider =
                SdkTracerProvider::builder().with_span_processor(queue).with_resource(resource.clone());
            traces = Some(provider.build());
        }
        let mut metrics = None;
        if options.metrics {
            let exporter = MetricExporter::builder()
                .with_http()
                .with_http_client(Post::new(Arc::clone(&health)))
                .with_protocol(Protocol::HttpBinary)
                .with_endpoint(metrics_to.as_str())
                .with_headers(headers)
                .with_timeout(PATIENCE)
                .build()
                .map_err(failed)?;
            let exporter = WatchedMetrics { exporter, health: Arc::clone(&health) };
            let interval = options.metrics_interval.unwrap_or(INTERVAL);
            let reader = PeriodicReader::builder(exporter).with_interval(interval).build();
            metrics = Some(SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build());
        }
        // Whoever lets go of one last waits for the collector, and that might be a call: only `end` is to wait.
        std::mem::forget((traces.clone(), metrics.clone()));
        let meter = metrics.as_ref().map(|provider| provider.meter(SCOPE));
        if let Some(meter) = &meter {
            instruments::observe_losses(meter, Arc::clone(&health));
        }
        let measures = Arc::new(Measures {
            tracer: traces.as_ref().map(|provider| provider.tracer(SCOPE)),
            instruments: meter.as_ref().map(|meter| Arc::new(Instruments::new(meter))),
            shown: Shown::default(),
        });
        Ok(Telemetry { measures, traces, metrics, meter, health, say, is_over: Mutex::new(false) })
    }

    /// A call begins, and with it its way to a server behind us.
    pub fn begin(&self, call: &CallBegin<'_>) -> (CallSpan, Option<Onward>) {
        CallSpan::begin(&self.measures, call)
    }

    /// What counts calls, when metrics are sent.
    pub fn call_meter(&self) -> Option<Arc<CallMeter>> {
        let instruments = self.measures.instruments.as_ref()?;
        Some(Arc::new(CallMeter::new(Arc::clone(instruments), self.measures.shown.clone())))
    }

    /// Names that clients and servers choose are hidden with this, as they are in the journal. Before, what looks
    /// like a secret is hidden.
    pub fn hide_with(&self, hide: Hide) {
        self.measures.shown.hide_with(hide);
    }

    /// Whenever metrics are sent this is read off, on a thread without a runtime. To be called once.
    pub fn read_off(&self, readings: Arc<dyn Fn() -> Readings + Send + Sync>) {
        if let Some(meter) = &self.meter {
            instruments::observe(meter, readings);
        }
    }

    /// What became of what was to be sent.
    pub fn counts(&self) -> ExportCounts {
        self.health.counts()
    }

    /// Sends what waits, and ends. Blocks, but no longer than this. What is measured later is lost.
    pub fn end(&self, within: Duration) {
        if std::mem::replace(&mut *self.is_over.lock().ignore_poison(), true) {
            return;
        }
        let until = Instant::now() + within;
        let (done, ended) = mpsc::channel();
        let mut awaited = 0;
        // Each on a thread of its own: one that hangs is left behind.
        if let Some(traces) = self.traces.clone() {
            let done = done.clone();
            awaited += usize::from(spawn(move || {
                let _ = traces.shutdown_with_timeout(within);
                let _ = done.send(());
            }));
        }
        if let Some(metrics) = self.metrics.clone() {
            awaited += usize::from(spawn(move || {
                let _ = metrics.shutdown_with_timeout(within);
                let _ = done.send(());
            }));
        }
        for _ in 0..awaited {
            if ended.recv_timeout(until.saturating_duration_since(Instant::now())).is_err() {
                (self.say)("telemetry: the collector did not answer in time; what waited to be sent is lost");
                break;
            }
        }
        let ExportCounts { spans_dropped, spans_not_sent, .. } = self.counts();
        if spans_dropped + spans_not_sent > 0 {
            (self.say)(&format!(
                "telemetry: {} spans were lost: {spans_dropped} found the queue full, {spans_not_sent} could not be sent",
                spans_dropped + spans_not_sent
            ));
        }
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> bool {
    thread::Builder::new().name("telemetry-end".to_owned()).spawn(work).is_ok()
}

/// What this gateway is among others. The environment may say more.
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
