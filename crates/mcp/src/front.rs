//! The protocol towards clients: the wire of both eras in front of one [`Service`].
//!
//! A service answers requests as if there were one era and one client: [`Asked`] says who asks and what,
//! [`Back`] is the way back to the client while its request is worked on. How that travels is hidden here.

mod client;
mod service;

pub use client::{Client, SessionId, Visitor};
pub use service::{About, Asked, Back, Listening, Service, Serving, WayBack};
