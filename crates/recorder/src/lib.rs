//! Writes every call down: what the executor reports of calls goes into the ledger, and the ledger learns which tools
//! there are.
//!
//! Start with [`Recorder`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `recorder.rs` | the observer of the executor: start, normalization and end of a call as records |
//! | `known_tools.rs` | the tools that records name, for the learner |

mod known_tools;
mod recorder;

pub use known_tools::KnownTools;
pub use recorder::Recorder;
