//! Shared data types: codes, changes, problems, outcomes, dialects and tool definitions.
//!
//! Plain data. This crate knows no JSON parser, no schema, no network and no clock; it only defines
//! types, so that results, the audit journal, the dashboard and the documentation use the same words.
//!
//! Start with [`Code`], [`Change`] and [`Outcome`].

mod caller;
mod change;
mod code;
mod dialect;
mod outcome;
mod recording;
mod tool;

pub use caller::{ANYONE, Caller, OWN_TOKEN, STDIO};
pub use change::{Change, Problem};
pub use code::Code;
pub use dialect::Dialect;
pub use outcome::Outcome;
pub use recording::{Durability, LearnPolicy, OnFailure};
pub use tool::{Annotations, BuiltinRules, Finish, Origin, ToolDefinition};
