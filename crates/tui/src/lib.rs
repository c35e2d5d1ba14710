//! A page for the terminal over a gateway that runs: its calls as they end, its servers, and what it has learned.
//!
//! It looks by the gateway's own HTTP, as any program could, and decides nothing but what a person confirmed with a key.
//! It must never know how calls are mended, kept or learned from, nor how a gateway is found: that comes in from outside.
//! What servers and models sent is hostile here: it becomes a [`Clean`] text before anything else sees it.
//!
//! Data flows from [`source`] (HTTP) into [`state`] (pure: news and keys in, wishes out) into [`view`] (pure: a state as
//! cells); [`run()`] puts the terminal into its mode, always back again, and carries between them. Start with
//! [`State`], [`view::draw`] and [`run()`].
//!
//! # Files
//!
//! In the order data flows; `state` and `view` are pure:
//!
//! | where | what |
//! |---|---|
//! | `clean.rs` | texts from outside without what commands a terminal, cut and broken by the cells that they take |
//! | `told.rs`, `told/` | what a gateway tells, read leniently: status, numbers, `call`, `suggestion` |
//! | `source.rs`, `source/` | asking it: `http` (bounded answers), `events` (server-sent events), `calls` (of before, then live, over lost connections) |
//! | `state.rs`, `state/` | what is on the page: `feed` (bounded, filtered, held still), `keys` |
//! | `view.rs`, `view/` | how that looks: one file per part, `table` (columns that line up), `theme` (with colours and without), `bottom`, `help` |
//! | `screen.rs`, `run.rs` | the terminal taken and given back; keys and news into the state |

#![forbid(unsafe_code)]

pub mod clean;
pub mod told;

pub mod source;
pub mod state;
pub mod view;

mod screen;

pub mod run;

pub use clean::Clean;
pub use run::{RunError, run};
pub use source::{Find, Lost, Place};
pub use state::{Key, News, State, Wish};
pub use view::Theme;
