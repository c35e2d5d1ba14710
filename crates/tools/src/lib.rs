//! The tools: one place that knows every tool, one that runs them, and the built-in ones.

mod function;

pub mod redact;

pub use function::{ToolFailure, ToolFunction, ToolOutput};
