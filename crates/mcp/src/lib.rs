//! The protocol towards servers: connections that survive what a server does.
//!
//! [`stdio::start`] starts a server as a child process and gives a [`Link`]: messages out, events in.
//! [`http::open`] gives one to a server that is reached over HTTP.
//! [`Connection`] carries requests over it, each with an id of its own, and fails all of them at once
//! when the server is gone. [`Peer`] finds out which era of the protocol the server speaks and hides it.
//! Only this crate knows revisions and how messages travel; nothing here knows what a tool does.
//!
//! Start with [`Peer::connect`] and [`stdio::ChildCommand`].

mod connection;
mod era;
mod error;
pub mod front;
#[cfg(unix)]
pub mod guard;
mod host;
pub mod http;
mod input;
mod link;
mod lists;
pub mod oauth;
mod peer;
mod requests;
pub mod stdio;
mod subscription;

pub use connection::{Connection, Counts, RequestOptions, Signs};
pub use era::{Era, LEGACY_REVISIONS, MODERN_REVISIONS, translated_error};
pub use error::{Closed, Ending, Obstacle, RequestError, StartError, Unreachable, Unreadable};
pub use host::{Answer, Host, NoHost};
pub use http::params::HEADER_ANNOTATION;
pub use input::result_type;
pub use link::{Event, Link, Outgoing};
pub use lists::List;
pub use peer::{ConnectError, Identity, Peer, PeerOptions, Protocol, log_rank};
pub use subscription::{Filter, Subscription};
