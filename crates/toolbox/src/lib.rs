//! The servers that a user has: kept alive, each for itself, and how their tools are named and found.
//!
//! A [`Supervisor`] connects to one server, again and again when it must, and shows its state at any
//! moment. What breaks one server reaches no other. [`naming`], [`search`] and [`meta`] are plain functions over
//! text: flat names for tools, finding them, and the few tools through which all others are used.
//!
//! Start with [`Supervisor::start`], [`Connector`] and [`meta::read_use_tool`].

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
pub use connector::{ConnectFailure, Connected, Connecting, Connector, Ended};
pub use failure::{FailureCause, ServerFailure};
pub use http::HttpConnector;
pub use policy::Policy;
pub use report::StillWorks;
pub use state::{Listed, Seen, Snapshot, State};
pub use stdio::StdioConnector;
pub use supervisor::{Beginning, NotReady, Retiring, Supervisor};
