//! A terminal UI for a running gateway: its calls as they end, its servers, and its suggestions.
//!
//! It uses the gateway's HTTP API, like any client, and decides nothing but what the user confirmed with a
//! key. It must never know how calls are repaired, stored or learned from, nor how a gateway is found: the
//! caller passes that in. Data from servers and models is hostile: it becomes a [`Clean`] text before any
//! other code sees it.
//!
//! Data flows from [`source`] (HTTP) into [`state`] (pure: news and keys in, commands out) into [`view`]
//! (pure: a state as cells); [`run()`] connects them, switches the terminal mode and always restores it.
//! Start with [`PageState`], [`view::draw`] and [`run()`].
//!
//! # Files
//!
//! In the order data flows; `state` and `view` are pure:
//!
//! | where | what |
//! |---|---|
//! | `clean.rs` | sanitized texts, truncated and wrapped by cell width |
//! | `api_types.rs`, `api_types/` | API responses, parsed leniently: status, numbers, `call`, `suggestion`
//! |
//! | `source.rs`, `source/` | the API client: `http` (bounded responses), `calls` (history, then live
//! events, over lost connections) |
//! | `state.rs`, `state/` | the content of the page: `feed` (bounded, filtered, can be paused), `keys` |
//! | `view.rs`, `view/` | rendering: one file per part, `table` (aligned columns), `theme` (with and
//! without colours), `bottom`, `help` |
//! | `screen.rs`, `run.rs` | terminal mode; the event loop |

#![forbid(unsafe_code)]

pub mod api_types;
pub mod clean;

pub mod source;
pub mod state;
pub mod view;

mod screen;

pub mod run;

pub use clean::Clean;
pub use run::{RunError, run};
pub use source::{Find, Lost, Place};
pub use state::{News, PageKey, PageState, UserCommand};
pub use view::Theme;
