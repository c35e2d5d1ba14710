//! JSON that is edited without being rewritten, and the messages that carry it.
//!
//! [`raw`] is the tree on which calls are read, compared and edited level by level: every value that is
//! not touched goes out as the bytes it came in with, so number forms, key order, escapes and white
//! space survive. [`Message`] is a JSON-RPC message whose payloads stay text. [`lines`] cuts a stream
//! of bytes into lines and finds the messages among whatever else a program prints; [`events`] does so
//! for server-sent events. Nothing here knows
//! a schema, a tool, a protocol revision or a socket.
//!
//! Start with [`raw::parse`], [`Message::parse`] and [`lines::Lines`].

pub mod events;
mod id;
mod json;
pub mod lines;
mod message;
mod object;
pub mod raw;

pub use id::{Id, MintedIds};
pub use json::Json;
pub use message::{
    EnvelopeError, ErrorObject, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message,
    Notification, PARSE_ERROR, Request, Response,
};
pub use object::ObjectWriter;
