//! The protocol towards clients: the wire of both eras in front of one [`Service`].
//!
//! A service answers requests as if there were one era and one client: [`Asked`] says who asks and what,
//! [`Back`] is the way back to the client while its request is worked on. How that travels is hidden here:
//! [`Fronts`] answers HTTP requests and serves stdio, and decides for every request by itself which era it
//! is of. Start with [`Fronts::answer_http`] and [`Fronts::serve_stdio`].

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
