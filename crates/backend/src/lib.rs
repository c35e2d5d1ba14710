//! The configured MCP servers, behind the executor: started and watched, their tools in the registry, requests of clients
//! forwarded to them.
//!
//! [`Servers::start`] starts every configured server under a supervisor of its own. [`offer`] keeps their tools in a
//! registry, so that the executor calls them as any other. This crate knows no endpoint, no HTTP port and no flag.
//!
//! Start with [`Servers::start`].

pub mod definition;
mod definitions;
pub mod forward_context;
mod login;
mod notices;
pub mod offer;
pub mod offered;
pub mod owner;
pub mod questions;
pub mod reload;
pub mod result;
pub mod server_span;
pub mod server_tool;
mod servers;
pub mod tasks;
mod view;
pub mod watching;

pub use definitions::{Definitions, ToolFindings};
pub use login::Logins;
pub use notices::{Notice, NoticeKind, Notices};
pub use offer::offer;
pub use server_tool::ServerTool;
pub use servers::{Applied, Current, Server, ServerOptions, Servers, named};
pub use view::ServerView;
