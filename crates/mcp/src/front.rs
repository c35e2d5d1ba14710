//! The protocol towards clients: the wire of both eras in front of one [`Service`].
//!
//! A service answers requests as if there were one era and one client: [`Asked`] says who asks and what,
//! [`Back`] is the way back to the client while its request is worked on. How that travels is hidden here:
//! [`Fronts`] answers HTTP requests and serves stdio, and decides for every request by itself which era it
//! is of. Start with [`Fronts::answer_http`] and [`Fronts::serve_stdio`].
//!
//! # Files
//!
//! From the service outwards:
//!
//! | where | what |
//! |---|---|
//! | `service.rs`, `client.rs` | what is behind the wire, whatever the protocol family: `Service`, `Asked`, `Back`; who asks |
//! | `reading.rs`, `meta.rs`, `shape.rs`, `level.rs` | reading so that nobody can read it differently; what a modern request says of itself; the fields and codes of one protocol family only; how loud log messages are |
//! | `call.rs`, `task.rs`, `way.rs`, `parked.rs` | a request at work, the way back to its client, and calls that wait for an answer of a modern one |
//! | `seal.rs`, `token.rs` | texts that only we can write, and what is in them: sessions, states of parked calls |
//! | `legacy.rs`, `session.rs`, `sessions.rs`, `events.rs`, `batch.rs` | legacy clients: their messages, sessions and streams that can be taken up again |
//! | `exchange.rs`, `listen.rs`, `handshake.rs` | one modern request; `subscriptions/listen`; `initialize` and `server/discover` |
//! | `http.rs`, `http_legacy.rs`, `http_modern.rs`, `http_get.rs`, `headers.rs`, `answer.rs`, `body.rs` | the same over HTTP |
//! | `stdio.rs`, `stdio_wire.rs` | the same over lines |
//! | `fronts.rs`, `limits.rs` | all of it, and every number |

mod answer;
mod batch;
mod body;
mod call;
mod client;
mod events;
mod exchange;
mod fronts;
mod handshake;
mod headers;
mod http;
mod http_get;
mod http_legacy;
mod http_modern;
mod legacy;
mod level;
mod limits;
mod listen;
mod meta;
mod parked;
mod reading;
mod seal;
mod service;
mod session;
mod sessions;
mod shape;
mod stdio;
mod stdio_wire;
mod task;
mod token;
mod way;

pub use body::FrontBody;
pub use client::{Client, SessionId, Visitor};
pub use fronts::{FrontCounts, FrontOptions, Fronts};
pub use limits::FrontLimits;
pub use seal::SealKey;
pub use service::{About, Asked, Back, HttpTrace, Listening, Service, Serving, WayBack};
