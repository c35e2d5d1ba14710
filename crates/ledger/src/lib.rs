//! Records every call and every exchange with a model.
//!
//! The [`journal`] is the source of truth: one line per call, written before its response, chained by hashes.
//! Everything else is derived from it and can be rebuilt: the [`index`] for queries, the [`stats`], the error
//! [`patterns`], and the suggested rules ([`learn`]). This crate must never know a protocol, a server or a socket: the
//! code that runs calls passes a [`Record`] to the [`Ledger`].
//!
//! Start with [`Record`], [`Ledger`] and [`journal`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `ledger.rs`, `record.rs`, `exchange.rs`, `disk_space.rs` | the entry point: records of calls and of exchanges with models, and behaviour on a full disk |
//! | `redaction.rs` | removes secrets before anything is written |
//! | `journal.rs`, `journal/` | the source of truth: `writer` appends, `chain` links lines by hashes, `recover` repairs a torn end, `retention` and `segment_age` remove old segments, `maintenance` syncs, `verify` checks, `follow` streams new records |
//! | `index_feeder.rs`, `index.rs`, `index/` | SQLite or PostgreSQL, fed by `indexer`; the same queries on both (`sql/`) |
//! | `stats.rs`, `stats/`, `patterns.rs`, `patterns/` | counters, also as the file `normalizer_stats.json`; error patterns |
//! | `learn.rs`, `learn/` | `index_cursor` (reads calls in order), `collector` (pairs a failed call with its correction), `evidence`, `rule_candidate`, `rule_trial`, `suggestion`; `decisions` and `decision_store` (accepted and dismissed suggestions), `engine` (all of it, and the active rules), `service` (runs it alongside calls), `decision_sync` (between gateways), `policy`, `witness` |

mod disk_space;
mod exchange;
pub mod index;
mod index_feeder;
pub mod journal;
pub mod learn;
mod ledger;
pub mod patterns;
mod record;
mod redaction;
pub mod stats;

pub use exchange::Exchange;
pub use index_feeder::{Reindex, StoreAddress};
pub use ledger::{Ledger, LedgerError, LedgerOptions, NotSafeYet};
pub use record::{Change, Failure, Kind, LLM_FRONT, Reached, Record, Stages, recorded_part};
pub use redaction::Hidden;
pub use toolwright_model::OnFailure;
