//! Learning: evidence from calls, suggestions, and rules with their provenance.
//!
//! A [`Learner`] observes finished calls. When a call that violates a tool's schema is followed in the same
//! conversation by a valid one, and both contain the same values, the difference is a rule candidate ([`Lesson`]). Two
//! independent observations of a candidate, and none against it, make a [`Suggestion`]. A suggestion alone changes
//! nothing: a person accepts it, or the [`LearnPolicy`] does where it is safe. Every decision is an event in a
//! [`DecisionStore`]; the active rules are those that were accepted and not undone.
//!
//! The texts of a tool and of its errors are untrusted. They can name parameters that exist, weigh less than a
//! correction by a model, and never suffice for a rule without review by a person.
//!
//! Start with [`Learning`] (the whole) and [`Learner`].

mod call_comparison;
mod collector;
mod decision_store;
mod decision_sync;
mod decisions;
mod engine;
mod error_hints;
mod evidence;
mod index_cursor;
mod policy;
mod refused_calls;
mod replay;
mod rule_candidate;
mod rule_trial;
mod rules_file;
mod service;
mod similarity;
mod suggestion;
mod tool_schema;
mod witness;

pub use collector::Learner;
pub use decision_store::{DECISIONS_FILE, DecisionStore, FileStore, Loaded, MemoryStore, StoreError};
pub use decisions::{Decision, Event, What};
pub use engine::{Learning, LearningError, LearningOptions, Move};
pub use evidence::Source;
pub use policy::Unsafe;
pub use replay::{ReplayCall, ReplayResult, Replayer};
pub use rule_candidate::Lesson;
pub use rule_trial::{MAX_REPLAYED_CALLS, replay_rule};
pub use rules_file::{LEARNED_RULES_FILE, RulesFileError, write_rules_file};
pub use service::{Definitions, SUGGESTIONS_FILE, SharedLearning, earlier_suggestions};
pub use suggestion::{Evidence, Status, Suggestion, Tried};
pub use toolwright_model::LearnPolicy;
