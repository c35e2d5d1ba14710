//! What happened to every call, and to every exchange with a model.
//!
//! The [`journal`] is the truth: one line per call, written before its reply, chained by hashes. Everything else
//! is made of it and can be made again: the [`index`] that answers questions, the [`stats`], the error
//! [`patterns`], and what is learned ([`learn`]). Nothing here knows a protocol, a server or a socket: who runs calls
//! hands over a [`Record`] to the [`Ledger`].
//!
//! Start with [`Record`], [`Ledger`] and [`journal`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `ledger.rs`, `record.rs`, `exchange.rs`, `room.rs` | the entry: records of calls and of exchanges with models, and what happens when the disk is full |
//! | `hiding.rs` | secrets removed before anything is written |
//! | `journal.rs`, `journal/` | the truth: `writer` appends, `chain` links lines by hashes, `recover` repairs a torn end, `retention` and `age` remove old files, `verify` checks, `follow` reads on |
//! | `indexed.rs`, `index.rs`, `index/` | SQLite or PostgreSQL, fed by `indexer`; the same queries on both (`sql/`) |
//! | `stats.rs`, `stats/`, `patterns.rs`, `patterns/` | numbers, also as the file `normalizer_stats.json`; error patterns |
//! | `learn.rs`, `learn/` | `reading` (calls in order), `learner` (pairs of a failed call and its correction), `evidence`, `trial`, `suggestion`; `decisions` and `store` (what was decided), `learning` (all of it, and the swap of the active rules), `shared` (alongside calls), `sharing` (among gateways), `policy`, `witness` |

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
