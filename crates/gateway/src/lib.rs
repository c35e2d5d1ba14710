//! Where the parts meet: the configured servers, started and watched, and their tools in the registry.
//!
//! [`Servers::start`] starts every configured server under a supervisor of its own. [`offer`] keeps their
//! tools in a registry, so that the executor calls them as any other. [`control`] lets another process of
//! the same user see and restart them. [`Gateway`] is what clients are connected to; [`status`] tells how it is doing,
//! and [`doctor`] what is wrong and how to mend it.
//!
//! Start with [`Servers::start`].

pub mod control;
mod definition;
mod definitions;
pub mod doctor;
mod endpoints;
mod known_tools;
pub mod llm;
mod login;
mod notices;
mod offer;
mod quiet;
mod recorder;
pub mod reload;
mod result;
mod server_span;
mod server_tool;
mod servers;
pub mod status;
mod view;
pub mod web;

pub use definitions::{Definitions, ToolFindings};
pub use endpoints::{Endpoint, Gateway, GatewayOptions, OWN_TOOLBOX, StatusReport, offered_capabilities};
pub use known_tools::KnownTools;
pub use login::Logins;
pub use notices::{Notice, NoticeKind, Notices};
pub use offer::offer;
pub use recorder::Recorder;
pub use server_tool::ServerTool;
pub use servers::{Applied, Current, Server, ServerOptions, Servers};
pub use view::ServerView;
