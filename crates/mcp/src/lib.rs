//! The protocol towards servers and clients: connections that survive what a server does, and one service for all clients.
//!
//! [`stdio::start`] starts a server as a child process and gives a [`Link`]: messages out, events in.
//! [`http::open`] gives one to a server that is reached over HTTP.
//! [`Connection`] carries requests over it, each with an id of its own, and fails all of them at once
//! when the server is gone. [`Peer`] finds out which era of the protocol the server speaks and hides it.
//! Only this crate knows revisions and how messages travel; nothing here knows what a tool does.
//!
//! Start with [`Peer::connect`] and [`stdio::ChildCommand`].
//!
//! # Files
//!
//! From the wire up:
//!
//! | where | what |
//! |---|---|
//! | `stdio.rs`, `stdio/` | a server as a child process: its group, its environment, its pipes, its stderr, its end |
//! | `guard.rs`, `guard/` | no process is left behind: the guardian process, our side of it (`handle`), the mark in the environment (`mark`) |
//! | `http.rs`, `http/` | a server over HTTP, see its own page |
//! | `oauth.rs`, `oauth/` | logins: `login` asks a person through `browser` and `callback` (one page on this machine), `flow` speaks with the authorization server (by `rmcp`), `store` keeps tokens, `authorizer` gives them to requests, `endpoints` says which addresses may be used |
//! | `link.rs` | what every way to a server looks like: messages out, events in |
//! | `connection.rs`, `connection/`, `requests.rs` | requests with ids of their own, answered, given up or failed exactly once; `incoming` is what the server says by itself, `signs` what it shows besides answers |
//! | `era.rs`, `peer.rs`, `peer/` | one server, its protocol family hidden from what is above: `meeting` (discover, initialize), `meta` (what modern requests say of themselves), `headers` (arguments as HTTP headers) |
//! | `input.rs`, `lists.rs`, `subscription.rs` | what a modern server asks back before it answers; lists to their last page, kept for their time; hearing of changes |
//! | `host.rs`, `error.rs` | what a server may ask of us; what goes wrong with one |
//! | `front.rs`, `front/` | the protocol towards clients, see its own page |

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
