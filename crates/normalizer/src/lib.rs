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
//!
//! # Files
//!
//! In the order data flows:
//!
//! | where | what |
//! |---|---|
//! | `active.rs` | `ActiveRules`: the one owner of the active rules and their version; executor, LLM proxy and learner read it |
//! | `engine.rs` | the way in: strict parse, the gate, reading what is not JSON |
//! | `usual.rs` | the usual mistake at once: right names, and a number or a boolean sent as text |
//! | `tool.rs`, `active.rs` | a tool with its compiled schema; the one owner of the active rules |
//! | `call.rs` | one call that did not simply pass: its readings, the rules, the repair, the risk budget |
//! | `text/` | the lenient reader: text in, strict JSON out, one named `Step` per leniency |
//! | `rules/` | explicit rules: the file, its contradictions, scopes, sets, and one file per rule type |
//! | `schema/` | schemas compiled into an arena; `judge` says yes or no, `goal` says what a value has to satisfy |
//! | `names/` | how alike two names are, and on what evidence; the vocabulary is word lists in `vocabulary/` |
//! | `repair/` | one file per repair step; `object.rs` is the story, `keys.rs` decides who is who; `problems.rs`, `breach.rs` and `expected.rs` word refusals, `form.rs` finds the nearest valid form |
//! | `costs.rs` | every cost, margin and budget |
//! | `repeats.rs` | keys that stand twice in one object |
//! | `explain.rs` | what was tried, rejected and chosen, with costs that add up |
//! | `growing.rs`, `growing/` | arguments that arrive piece by piece: what may leave before they are complete |

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
