//! The servers that a user has: kept alive, each for itself, and how their tools are named and found.
//!
//! A [`Supervisor`] connects to one server, again and again when it must, and shows its state at any
//! moment. What breaks one server reaches no other. [`naming`], [`search`] and [`meta`] are plain functions over
//! text: flat names for tools, finding them, and the few tools through which all others are used.
//!
//! Start with [`Supervisor::start`], [`Connector`] and [`meta::read_use_tool`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `supervisor.rs` | what others see of a server, and what they may want of it |
//! | `failure.rs` | why a server cannot be used: one typed failure, from the transport to doctor, status and pages |
//! | `owner.rs` | the one task that starts and ends it: attempts, waits, crashes, rest |
//! | `catalog.rs`, `health.rs`, `usage.rs` | its tools; whether it answers; whether a person uses it |
//! | `policy.rs`, `state.rs` | every number; what can be seen |
//! | `connector.rs`, `stdio.rs`, `http.rs` | how it is reached |
//! | `report.rs` | what is said when it is not |
//! | `identifier.rs`, `naming.rs` | a tool by toolbox, server and name; its flat name and the table back |
//! | `search.rs`, `search/` | tools by what they do (BM25) |
//! | `meta.rs`, `meta/` | the meta-tools: `definitions`, `contract` (a call to the letter), what is repaired before (`envelope`, `flattened`, `names`), `texts`, `responses`, `instructions` |

mod catalog;
mod connector;
mod failure;
mod health;
mod http;
mod identifier;
pub mod meta;
pub mod naming;
mod owner;
mod policy;
mod report;
pub mod search;
mod state;
mod stdio;
mod supervisor;
mod usage;

pub use catalog::PrepareList;
pub use connector::{ConnectFailure, Connected, Connecting, Connector, Ended, TransportKind};
pub use failure::{FailureCause, ServerFailure};
pub use http::HttpConnector;
pub use policy::Policy;
pub use report::StillWorks;
pub use state::{Listed, Seen, Snapshot, State, StateName};
pub use stdio::StdioConnector;
pub use supervisor::{Beginning, NotReady, Retiring, Supervisor};
