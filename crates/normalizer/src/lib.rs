//! Makes the arguments of tool calls valid, or refuses the call with a reason.
//!
//! A pure library: it knows no network, no clock and no tool of its own. A call passes through
//! text → envelope → rules → names → types → values → drops → validation. A valid call is returned
//! unchanged, a repaired call comes with a report of every change, and a call that cannot be
//! repaired safely is refused with the closest valid form.
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
//! panic!("this call can be repaired");
//! };
//! assert_eq!(arguments, r#"{"path":"a.md","raw":true}"#);
//! assert_eq!(changes.len(), 2);
//! # Ok::<(), toolwright_normalizer::SchemaError>(())
//! ```
//!
//! # Files
//!
//! In the order data flows:
//!
//! | where | what |
//! |---|---|
//! | `active.rs` | `ActiveRules`: the one owner of the active rules and their version; executor, LLM proxy and learner read it |
//! | `engine.rs` | the entry point: strict parse, the gate, text that is not JSON |
//! | `fast_path.rs` | the fast path for the most frequent mistake: right names, and a number or a boolean sent as text |
//! | `tool.rs`, `active.rs` | a tool with its compiled schema; the one owner of the active rules |
//! | `call.rs` | one call that the gate did not accept: its readings, the rules, the repair, the risk budget |
//! | `text/` | the lenient parser: text in, strict JSON out, one named `Step` per leniency |
//! | `rules/` | explicit rules: the file, its contradictions, scopes, sets, and one file per rule type |
//! | `schema/` | schemas compiled into an arena; `validator` validates a value, `goal` says what a value has to satisfy |
//! | `names/` | how similar two names are, and on what evidence; the vocabulary is word lists in `vocabulary/` |
//! | `repair/` | one file per repair step; `object.rs` has the sequence, `keys.rs` assigns keys to parameters; `problems.rs`, `breach.rs` and `expected.rs` word refusals, `form.rs` finds the closest valid form |
//! | `costs.rs` | every cost, margin and budget |
//! | `repeats.rs` | keys that are present twice in one object |
//! | `explain.rs` | the trace: steps that were tried, rejected and chosen, with costs that add up |
//! | `streaming_gate.rs`, `streaming_gate/` | arguments that arrive in pieces: how much can be forwarded before they are complete |

pub mod text;

mod active;
mod call;
mod costs;
mod engine;
mod explain;
mod fast_path;
mod names;
mod repair;
mod repeats;
pub mod rules;
mod schema;
mod streaming_gate;
mod tool;

pub use active::{ActiveRules, CompiledRules};
pub use engine::{Explanation, MAX_ARGUMENT_BYTES, Normalizer, RawArguments};
pub use explain::{TraceStep, Verdict};
pub use names::{
    NameError, NameMatch, NameMiss, NamedTool, find_tool, has_same_words, is_destructive_flag, match_tool,
    starts_with_place,
};
pub use rules::RuleSet;
pub use schema::{Schema, SchemaError};
pub use streaming_gate::{Growing, continuation};
pub use tool::Tool;
