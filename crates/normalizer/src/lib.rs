//! Makes the arguments of tool calls fit, or says why it will not.
//!
//! A pure library: it knows no network, no clock and no tool of its own. A call goes through
//! text → envelope → rules → names → types → values → drops → judgement; what is valid already
//! returns with the same bytes, what is mended carries a report of every change, and what cannot be
//! mended safely is refused with the nearest valid form.
//!
//! Start with [`Tool::compile`], [`Normalizer::normalize`] and [`Outcome`](toolwright_model::Outcome).
//!
//! ```
//! use toolwright_model::{Outcome, ToolDefinition};
//! use toolwright_normalizer::{Normalizer, RawArguments, Tool};
//!
//! let tool = Tool::compile(&ToolDefinition {
//!     name: "read_note".into(),
//!     input_schema: r#"{"type":"object","properties":{"path":{"type":"string"},"raw":{"type":"boolean"}},
//!                       "required":["path"],"additionalProperties":false}"#.into(),
//!     ..ToolDefinition::default()
//! })?;
//! let sent = RawArguments::json(r#"{"file_path": "a.md", "raw": "true"}"#);
//! let Outcome::Repaired { arguments, changes } = Normalizer::default().normalize(&tool, &sent) else {
//!     panic!("this call can be mended");
//! };
//! assert_eq!(arguments, r#"{"path":"a.md","raw":true}"#);
//! assert_eq!(changes.len(), 2);
//! # Ok::<(), toolwright_normalizer::SchemaError>(())
//! ```

pub mod text;

mod active;
mod call;
mod costs;
mod engine;
mod explain;
mod growing;
mod names;
mod repair;
mod repeats;
pub mod rules;
mod schema;
mod tool;
mod usual;

pub use active::{ActiveRules, CompiledRules};
pub use engine::{Explanation, MAX_ARGUMENT_BYTES, Normalizer, RawArguments};
pub use explain::{TraceStep, Verdict};
pub use growing::{Growing, continuation};
pub use names::{
    NameError, NameMatch, NameMiss, NamedTool, find_tool, has_same_words, is_destructive_flag, match_tool,
    starts_with_place,
};
pub use rules::RuleSet;
pub use schema::{Schema, SchemaError};
pub use tool::Tool;
