//! What clients are connected to: the toolboxes behind meta-tools, all tools under flat names, or one server as
//! it is. All of them hand calls to the executor and everything else to the servers.

mod about;
mod calls;
pub(crate) mod carried;
mod forward;
mod gateway;
mod listening;
mod members;
pub(crate) mod questions;
mod transparent;
pub(crate) mod watching;

pub use gateway::{Endpoint, Gateway, GatewayOptions, offered_capabilities};
