//! What happened to every call, and to every exchange with a model.
//!
//! The [`journal`] is the truth: one line per call, written before its reply, chained by hashes. Everything else
//! is made of it and can be made again: the [`index`] that answers questions, the [`stats`], the error
//! [`patterns`], and what is learned ([`learn`]). Nothing here knows a protocol, a server or a socket: who runs calls
//! hands over a [`Record`] to the [`Ledger`].
//!
//! Start with [`Record`], [`Ledger`] and [`journal`].

mod exchange;
mod hiding;
pub mod index;
mod indexed;
pub mod journal;
pub mod learn;
mod ledger;
pub mod patterns;
mod record;
mod room;
pub mod stats;

pub use exchange::Exchange;
pub use hiding::Hidden;
pub use indexed::{Reindex, StoreAddress};
pub use ledger::{Ledger, LedgerError, LedgerOptions, NotSafeYet};
pub use record::{Change, Failure, Kind, LLM_FRONT, Reached, Record, Stages, recorded_part};
pub use toolwright_model::OnFailure;
