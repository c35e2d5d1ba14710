//! Servers that are reached over HTTP.

mod authorize;

pub use authorize::{Authorizer, BoxFuture};
