//! Telemetry: exports traces and metrics of calls with OpenTelemetry, over OTLP.
//!
//! All names of spans, attributes and metrics are in [`names`], including those for Prometheus. A call gets a
//! [`CallSpan`]; its request to a server gets a child [`ServerSpan`], whose trace context is forwarded to that server
//! in `_meta`. No span holds an argument or a result. No call waits for the network: data that cannot be sent in time
//! is dropped and counted.
//!
//! Start with [`TelemetryOptions`] and [`Telemetry`].

mod cardinality_limiter;
mod context;
mod environment;
mod export_client;
mod health;
mod instruments;
mod meter;
pub mod names;
mod options;
mod queue;
mod readings;
mod redactor;
mod span;
mod telemetry;

pub use cardinality_limiter::{MAX_RULES, NumberedNames};
pub use context::{Sent, SentTrace};
pub use environment::{Resolved, resolve};
pub use health::{ExportCounts, Say};
pub use meter::CallMeter;
pub use options::{TelemetryError, TelemetryOptions};
pub use queue::MAX_SPANS;
pub use readings::{JournalReadings, Readings};
pub use redactor::Hide;
pub use span::{CallBegin, CallEnd, CallSpan, Onward, ServerBehind, ServerSpan};
pub use telemetry::Telemetry;
