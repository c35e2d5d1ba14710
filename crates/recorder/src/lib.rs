//! Journals every call: turns the events of the executor into records of the ledger, and gives the ledger the
//! definitions of the registered tools.
//!
//! Start with [`Recorder`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `recorder.rs` | [`CallObserver`](toolwright_executor::CallObserver) that writes start, normalization and end of a call as records |
//! | `known_tools.rs` | tool definitions of the registry, for learning |

mod known_tools;
mod recorder;

pub use known_tools::KnownTools;
pub use recorder::Recorder;
