//! Load for a gateway over HTTP: a client that says exactly what it is told to, and what it sees.
//!
//! [`Wire`] is one connection that is kept, byte by byte; [`Client`] speaks the protocol over it, in either
//! era, with ids that its caller chooses; [`Histogram`] keeps times; [`Served`] is `toolwright serve` as a
//! process that ends with its owner. Tests and `cargo xtask bench mcp` use the same.

mod client;
mod histogram;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod served;
mod wire;

pub use client::{Client, Era, REVISION, Reply, Trouble};
pub use histogram::Histogram;
#[cfg(unix)]
pub use process::{Process, children, cpu};
#[cfg(unix)]
pub use served::{GatewayPrograms, Served};
pub use wire::{Answer, Wire};
