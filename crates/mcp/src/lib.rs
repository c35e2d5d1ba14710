//! The protocol towards servers: connections that survive what a server does.
//!
//! [`stdio::start`] starts a server as a child process and gives a [`Link`]: lines out, events in.
//! [`Connection`] carries requests over it, each with an id of its own, and fails all of them at once
//! when the server is gone. Only this crate knows how messages travel; nothing here knows a tool.
//!
//! Start with [`Connection::open`] and [`stdio::ChildCommand`].

mod connection;
mod error;
mod host;
mod link;
mod requests;
pub mod stdio;

pub use connection::{Connection, Counts, RequestOptions};
pub use error::{Closed, Ending, RequestError, StartError};
pub use host::{Host, NoHost};
pub use link::{Event, Link};
