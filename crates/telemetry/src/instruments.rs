//! OTLP instruments.

use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Counter, Histogram, Meter};

use crate::cardinality_limiter::NumberedNames;
use crate::health::ExportHealth;
use crate::names::{attribute, metric};
use crate::readings::Readings;

/// The instruments that calls update.
#[derive(Debug)]
pub(crate) struct Instruments {
    pub server_duration: Histogram<f64>,
    pub client_duration: Histogram<f64>,
    pub calls: Counter<u64>,
    pub repaired: Counter<u64>,
    pub refused: Counter<u64>,
    pub repairs: Counter<u64>,
    pub rules: NumberedNames,
}

impl Instruments {
    pub fn new(meter: &Meter) -> Instruments {
        let duration = |name, description| {
            meter
                .f64_histogram(name)
                .with_unit("s")
                .with_description(description)
                .with_boundaries(metric::BOUNDS.to_vec())
                .build()
        };
        let counter = |name, unit, description| {
            meter.u64_counter(name).with_unit(unit).with_description(description).build()
        };
        Instruments {
            server_duration: duration(metric::SERVER_DURATION, "The time of tool calls, as clients see it."),
            client_duration: duration(metric::CLIENT_DURATION, "The time of tool calls, as servers take it."),
            calls: counter(metric::CALLS, "{call}", "Tool calls by outcome."),
            repaired: counter(metric::REPAIRED, "{call}", "Repaired tool calls."),
            refused: counter(metric::REFUSED, "{call}", "Refused tool calls."),
            repairs: counter(metric::REPAIRS, "{change}", "Changes of arguments by rule."),
            rules: NumberedNames::default(),
        }
    }
}

/// Registers the observable instruments. The exporter thread reads them before each export.
pub(crate) fn observe(meter: &Meter, readings: Arc<dyn Fn() -> Readings + Send + Sync>) {
    let reading = |read: fn(&Readings) -> Option<u64>| {
        let readings = Arc::clone(&readings);
        move |observer: &dyn AsyncInstrument<u64>| {
            if let Some(value) = read(&readings()) {
                observer.observe(value, &[]);
            }
        }
    };
    let gauge = |name, unit, description, read| {
        let gauge = meter.u64_observable_gauge(name).with_unit(unit).with_description(description);
        gauge.with_callback(reading(read)).build();
    };
    gauge(metric::IN_FLIGHT, "{call}", "Tool calls in flight.", |now| Some(now.calls_in_flight as u64));
    gauge(metric::JOURNAL_DEGRADED, "1", "1 while records cannot be written.", |now| {
        now.journal.map(|journal| journal.is_degraded.into())
    });
    gauge(metric::INDEX_LAG, "{record}", "Records that the index has not seen.", |now| {
        now.journal?.index_lag
    });
    let counter = |name, unit, description, read| {
        let counter = meter.u64_observable_counter(name).with_unit(unit).with_description(description);
        counter.with_callback(reading(read)).build();
    };
    counter(metric::JOURNAL_RECORDS, "{record}", "Records in the journal.", |now| Some(now.journal?.records));
    counter(metric::JOURNAL_LOST, "{record}", "Records that could not be written.", |now| {
        Some(now.journal?.lost)
    });
    meter
        .u64_observable_gauge(metric::SERVERS)
        .with_unit("{server}")
        .with_description("Servers by state.")
        .with_callback(move |observer| {
            for (state, count) in readings().servers {
                observer.observe(count as u64, &[KeyValue::new(attribute::STATE, state)]);
            }
        })
        .build();
}

/// Registers the counter of lost spans.
pub(crate) fn observe_losses(meter: &Meter, health: Arc<ExportHealth>) {
    meter
        .u64_observable_counter(metric::SPANS_LOST)
        .with_unit("{span}")
        .with_description("Spans that were not sent.")
        .with_callback(move |observer| {
            let counts = health.counts();
            observer.observe(counts.spans_dropped, &[KeyValue::new(attribute::REASON, "queue_full")]);
            observer.observe(counts.spans_not_sent, &[KeyValue::new(attribute::REASON, "not_sent")]);
        })
        .build();
}
