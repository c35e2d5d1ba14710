//! What is told of calls to others: traces and metrics by OpenTelemetry, over OTLP.
//!
//! Every name of a span, an attribute and a metric is in [`names`], those of Prometheus too. A call gets a
//! [`CallSpan`]; what it asks of a server behind us gets a [`ServerSpan`] below it, whose place in the trace goes on
//! to that server in `_meta`. Nothing here holds an argument or a result, and nothing here waits for the network on
//! the way of a call: what cannot be sent in time is dropped and counted.
//!
//! Start with [`TelemetryOptions`] and [`Telemetry`].

mod context;
mod environment;
mod health;
mod instruments;
mod meter;
pub mod names;
mod numbered;
mod options;
mod post;
mod queue;
mod readings;
mod shown;
mod span;
mod telemetry;

pub use context::{Sent, SentTrace};
pub use environment::{Resolved, resolve};
pub use health::{ExportCounts, Say};
pub use meter::CallMeter;
pub use numbered::{MAX_RULES, NumberedNames};
pub use options::{TelemetryError, TelemetryOptions};
pub use queue::MAX_SPANS;
pub use readings::{JournalReadings, Readings};
pub use shown::Hide;
pub use span::{CallBegin, CallEnd, CallSpan, Onward, ServerBehind, ServerSpan};
pub use telemetry::Telemetry;
