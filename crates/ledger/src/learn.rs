//! What is learned from calls: evidence, suggestions, and rules with their provenance.
//!
//! A [`Learner`] watches finished calls. When a call that a tool's schema refuses is followed in the same
//! conversation by one that it takes, and both carry the same values, the difference is a [`Lesson`]. Two
//! independent observations of one lesson, and none against it, make a [`Suggestion`]. Nothing is applied by that:
//! a person accepts it, or the [`LearnPolicy`] does where it is safe. Every decision is an event in a
//! [`DecisionStore`]; the rules in force are those that were accepted and not taken back.
//!
//! Words of a tool or of its errors are chosen by somebody else. They can point at parameters that exist, count
//! less than what a model did, and never suffice for a rule that nobody looked at.
//!
//! Start with [`Learning`] (all of it together) and [`Learner`].

mod compare;
mod decisions;
mod evidence;
mod hints;
mod learner;
mod learning;
mod lesson;
mod likeness;
mod pending;
mod policy;
mod reading;
mod replay;
mod rules_file;
mod shape;
mod shared;
mod sharing;
mod store;
mod suggestion;
mod trial;
mod witness;

pub use decisions::{Decision, Event, What};
pub use evidence::Source;
pub use learner::Learner;
pub use learning::{Learning, LearningError, LearningOptions, Move};
pub use lesson::Lesson;
pub use policy::Unsafe;
pub use replay::{ReplayCall, ReplayResult, Replayer};
pub use rules_file::{LEARNED_RULES_FILE, RulesFileError, write_rules_file};
pub use shared::{Definitions, SUGGESTIONS_FILE, SharedLearning, earlier_suggestions};
pub use store::{DECISIONS_FILE, DecisionStore, FileStore, Loaded, MemoryStore, StoreError};
pub use suggestion::{Evidence, Status, Suggestion, Tried};
pub use toolwright_model::LearnPolicy;
pub use trial::{MAX_REPLAYED_CALLS, replay_rule};
