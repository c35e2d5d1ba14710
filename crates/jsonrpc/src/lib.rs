//! JSON that is edited without being rewritten, and the JSON-RPC messages that carry it.
//!
//! [`raw`] is the tree on which calls are parsed, compared and edited level by level: every value that is
//! not touched is forwarded unchanged, so number forms, key order, escapes and white space survive.
//! [`Message`] is a JSON-RPC message whose payloads stay text. [`lines`] splits a stream of bytes into
//! lines and finds the messages among the other output of a program; [`events`] does so for server-sent
//! events. This crate knows no schema, no tool, no protocol version and no socket.
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
