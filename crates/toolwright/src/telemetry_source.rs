//! The telemetry that `serve` and `stdio` send, when the configuration or the environment asks for it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use toolwright_backend::Servers;
use toolwright_config::TelemetrySettings;
use toolwright_executor::{ToolExecutor, printable};
use toolwright_ledger::Ledger;
use toolwright_ledger::journal::State;
use toolwright_telemetry::{JournalReadings, Readings, Resolved, Telemetry, TelemetryOptions, resolve};

/// How long what waits may take to be sent at the end.
const FLUSH: Duration = Duration::from_secs(3);

/// What is wanted: what the configuration says, and what the environment says where that is silent.
pub fn wanted(configured: Option<TelemetryOptions>) -> Option<TelemetryOptions> {
    let Resolved { options, warnings } = resolve(configured, &|name| std::env::var(name).ok());
    for warning in warnings {
        say(&format!("warning: {warning}"));
    }
    options
}

/// What the configuration says. Without an address there, and none in the environment, nothing is sent.
pub fn configured(settings: &TelemetrySettings) -> Option<TelemetryOptions> {
    let is_endpoint = |name: &str| name.starts_with("OTEL_EXPORTER_OTLP_") && name.ends_with("ENDPOINT");
    let is_addressed = settings.otlp.is_some()
        || std::env::vars_os().any(|(name, _)| name.to_str().is_some_and(is_endpoint));
    if !is_addressed {
        return None;
    }
    let headers = settings.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
    Some(TelemetryOptions {
        endpoint: settings.otlp.clone(),
        headers: headers.collect(),
        service_name: settings.service_name.clone(),
        traces: settings.traces,
        metrics: settings.metrics,
        ..TelemetryOptions::default()
    })
}

/// Begins to send. Calls are served without it when it cannot be had, and that is said.
pub fn start(options: &TelemetryOptions) -> Option<Arc<Telemetry>> {
    match Telemetry::start(options, Arc::new(say)) {
        Ok(telemetry) => Some(Arc::new(telemetry)),
        Err(error) => {
            say(&format!("warning: nothing is sent to a collector: {error}"));
            None
        }
    }
}

/// Lets what is sent tell of these too. They may end before it does.
pub fn read_off(
    telemetry: &Telemetry,
    executor: &Arc<ToolExecutor>,
    servers: &Arc<Servers>,
    ledger: Option<&Arc<Ledger>>,
) {
    let (executor, servers) = (Arc::downgrade(executor), Arc::downgrade(servers));
    let ledger = ledger.map(Arc::downgrade);
    if let Some(ledger) = ledger.clone() {
        telemetry.hide_with(Arc::new(move |text: &str| match ledger.upgrade() {
            Some(ledger) => ledger.hide_text(text),
            None => "[redacted]".to_owned(),
        }));
    }
    telemetry.read_off(Arc::new(move || {
        let mut readings = Readings {
            calls_in_flight: executor.upgrade().map_or(0, |executor| executor.running()),
            journal: ledger.as_ref().and_then(Weak::upgrade).map(|ledger| journal(&ledger)),
            ..Readings::default()
        };
        for view in servers.upgrade().map(|servers| servers.views()).unwrap_or_default() {
            *readings.servers.entry(view.state.to_string()).or_default() += 1;
        }
        readings
    }));
}

/// How the journal is doing.
pub fn journal(ledger: &Ledger) -> JournalReadings {
    let (health, last) = (ledger.health(), ledger.journal().last_seq());
    JournalReadings {
        records: last,
        lost: health.lost,
        unsynced: health.unsynced,
        is_degraded: health.state == State::Degraded,
        index_lag: ledger.index_lag(),
    }
}

/// Sends what waits, and ends.
pub async fn end(telemetry: Option<&Arc<Telemetry>>) {
    let Some(telemetry) = telemetry.map(Arc::clone) else { return };
    // It has an end of its own.
    let _ = tokio::task::spawn_blocking(move || telemetry.end(FLUSH)).await;
}

fn say(line: &str) {
    eprintln!("{}", printable(line, &['\\']));
}
