//! A collector of traces and metrics: OTLP over HTTP, as much of it as a test needs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Longer than anything should take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A collector on a port of its own. It ends with its owner.
pub struct Collector {
    pub url: String,
    got: Arc<Got>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Got {
    habit: Mutex<Habit>,
    spans: Mutex<Vec<Span>>,
    metrics: Mutex<Vec<Metric>>,
    resource: Mutex<BTreeMap<String, String>>,
    headers: Mutex<Vec<HeaderMap>>,
    /// Everything that came, as it came.
    bytes: Mutex<Vec<u8>>,
}

/// What it does with what comes.
#[derive(Clone, Copy, Default)]
pub enum Habit {
    #[default]
    Takes,
    Refuses,
    /// It never answers.
    Hangs,
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Collector {
    pub async fn start(habit: Habit) -> Collector {
        Collector::start_on(TcpListener::bind("127.0.0.1:0").await.expect("a port"), habit)
    }

    pub fn start_on(listener: TcpListener, habit: Habit) -> Collector {
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let got = Arc::new(Got { habit: Mutex::new(habit), ..Got::default() });
        let routes = Router::new()
            .route("/v1/traces", post(traces))
            .route("/v1/metrics", post(metrics))
            .with_state(Arc::clone(&got));
        let task = tokio::spawn(async move { axum::serve(listener, routes).await.expect("it serves") });
        Collector { url, got, task }
    }

    pub fn becomes(&self, habit: Habit) {
        *self.got.habit.lock().expect("no panic") = habit;
    }

    /// Waits for this many spans, and gives them in the order of their begin.
    pub async fn spans(&self, count: usize) -> Vec<Span> {
        let late = Instant::now() + PATIENCE;
        loop {
            let mut spans = self.got.spans.lock().expect("no panic").clone();
            if spans.len() >= count {
                spans.sort_by_key(|span| span.start_time_unix_nano);
                return spans;
            }
            assert!(Instant::now() < late, "only {} of {count} spans came: {spans:#?}", spans.len());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The last that came of a metric.
    pub fn metric(&self, name: &str) -> Option<Metric> {
        self.got.metrics.lock().expect("no panic").iter().rev().find(|metric| metric.name == name).cloned()
    }

    /// Who sent, in its own words.
    pub fn resource(&self) -> BTreeMap<String, String> {
        self.got.resource.lock().expect("no panic").clone()
    }

    /// A header of the first thing that came.
    pub fn header(&self, name: &str) -> Option<String> {
        let headers = self.got.headers.lock().expect("no panic");
        Some(headers.first()?.get(name)?.to_str().ok()?.to_owned())
    }

    /// Whether this text came, in whatever place.
    pub fn has(&self, text: &str) -> bool {
        let bytes = self.got.bytes.lock().expect("no panic");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

impl Got {
    async fn arrives(&self, headers: HeaderMap, body: &Bytes) -> Result<(), StatusCode> {
        let habit = *self.habit.lock().expect("no panic");
        match habit {
            Habit::Takes => {}
            Habit::Refuses => return Err(StatusCode::SERVICE_UNAVAILABLE),
            Habit::Hangs => std::future::pending::<()>().await,
        }
        self.headers.lock().expect("no panic").push(headers);
        self.bytes.lock().expect("no panic").extend_from_slice(body);
        Ok(())
    }
}

async fn traces(State(got): State<Arc<Got>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if let Err(status) = got.arrives(headers, &body).await {
        return status;
    }
    let request = ExportTraceServiceRequest::decode(body).expect("it is in order");
    for of_resource in request.resource_spans {
        let resource = of_resource.resource.expect("who sent");
        *got.resource.lock().expect("no panic") = attributes(&resource.attributes);
        let spans = of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
        got.spans.lock().expect("no panic").extend(spans);
    }
    StatusCode::OK
}

async fn metrics(State(got): State<Arc<Got>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    if let Err(status) = got.arrives(headers, &body).await {
        return status;
    }
    let request = ExportMetricsServiceRequest::decode(body).expect("it is in order");
    let scopes = request.resource_metrics.into_iter().flat_map(|of_resource| of_resource.scope_metrics);
    got.metrics.lock().expect("no panic").extend(scopes.flat_map(|scope| scope.metrics));
    StatusCode::OK
}

/// Attributes as texts.
pub fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    pairs.iter().map(|pair| (pair.key.clone(), pair.value.as_ref().map(text).unwrap_or_default())).collect()
}

fn text(value: &AnyValue) -> String {
    match &value.value {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::BoolValue(value)) => value.to_string(),
        Some(Value::IntValue(value)) => value.to_string(),
        Some(Value::ArrayValue(values)) => values.values.iter().map(text).collect::<Vec<_>>().join(","),
        other => format!("{other:?}"),
    }
}

/// An id as it is written.
pub fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}
