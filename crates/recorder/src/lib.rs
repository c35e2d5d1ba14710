//! Writes every call down: what the executor reports of calls goes into the ledger, and the ledger learns which tools
//! there are.
//!
//! Start with [`Recorder`].

mod known_tools;
mod recorder;

pub use known_tools::KnownTools;
pub use recorder::Recorder;
