//! One place that knows every tool, and one that runs them.
//!
//! A call names a tool and carries arguments as a model wrote them. The [`ToolRegistry`] knows which tool
//! is meant, the normalizer makes the arguments fit, and the [`ToolExecutor`] runs the tool's
//! [`ToolFunction`] within its limits and tells every [`CallObserver`] what became of it. This crate knows
//! no protocol, no file format and no store: fronts bring calls, backs are functions, the ledger observes.
//!
//! ```
//! use std::sync::Arc;
//!
//! use futures_util::future::BoxFuture;
//! use toolwright_model::ToolDefinition;
//! use toolwright_executor::{Call, ToolExecutor, ToolFailure, ToolFunction, ToolOutput, ToolRegistry};
//!
//! struct Echo;
//!
//! impl ToolFunction for Echo {
//!     fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
//!         Box::pin(async move { Ok(ToolOutput::text(arguments)) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), toolwright_executor::RegistrationError> {
//! let registry = Arc::new(ToolRegistry::new());
//! let definition = ToolDefinition {
//!     name: "echo".into(),
//!     server: Some("demo".into()),
//!     description: "Says what it was told.".into(),
//!     input_schema: r#"{"type":"object","properties":{"deviceName":{"type":"string"}},
//!                       "required":["deviceName"],"additionalProperties":false}"#.into(),
//!     ..ToolDefinition::default()
//! };
//! registry.register(definition, Arc::new(Echo))?;
//! let executor = ToolExecutor::new(registry);
//! let outcome = executor.execute(Call::new("Echo", r#"{"device_name": "Porch"}"#)).await;
//! assert_eq!(outcome.text(), r#"{"deviceName":"Porch"}"#);
//! assert_eq!(outcome.changes.len(), 2); // the tool's name and the key
//! # Ok(())
//! # }
//! ```
//!
//! # Files
//!
//! In the order a call meets them:
//!
//! | where | what |
//! |---|---|
//! | `function.rs`, `control.rs` | what a tool is: arguments in, output or failure out; how a running call is stopped, waited for and kept alive |
//! | `registry.rs`, `registry/` | every tool by name in immutable snapshots; `check` judges definitions, `formats` writes them for models |
//! | `executor.rs`, `executor/` | one call from name to outcome; `lookup`, `judge` (may it be run), `run` (time, cancellation, panic), `bound` (size), `record` (where it ends), `log`, `limits` |
//! | `error.rs`, `error/` | one code and one sentence for each way to fail; `own_words` is what can be said of a tool's message |
//! | `observer.rs` | who hears of calls, and how far each came |
//! | `redact.rs`, `redact/` | what a log may show |
//! | `printable.rs` | names and messages that a terminal shows as text |

mod control;
mod function;
mod printable;

pub mod error;
pub mod executor;
pub mod observer;
pub mod redact;
pub mod registry;

pub use control::CallControl;
pub use error::{CallError, ErrorCode};
pub use executor::{Call, CallJudge, CallOutcome, Denied, Judged, Limits, PassesBy, Prepared, ToolExecutor};
pub use function::{OnDrop, RawResponse, ToolFailure, ToolFunction, ToolOutput};
pub use observer::CallObserver;
pub use printable::printable;
pub use registry::{Format, Registered, RegisteredTool, RegistrationError, ToolRegistry};
