//! The tools: one place that knows every tool, one that runs them, and the built-in ones.

pub mod builtin;
mod function;

pub use function::{ToolFailure, ToolFunction, ToolOutput};
