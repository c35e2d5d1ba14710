//! The configured MCP servers, behind the executor: started and watched, their tools in the registry, requests of clients
//! forwarded to them.
//!
//! [`Servers::start`] starts every configured server under a supervisor of its own. [`offer()`] keeps their tools in a
//! registry, so that the executor calls them as any other. This crate knows no endpoint, no HTTP port and no flag.
//!
//! Start with [`Servers::start`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `servers.rs`, `servers/` | the configured servers, each under its supervisor, started and stopped together; `names` are their names in the registry |
//! | `offer.rs`, `definition.rs`, `offered.rs` | their tools, kept in the registry as the servers list them |
//! | `server_tool.rs`, `result.rs` | one such tool as the executor calls it; the response of the server, as text and unchanged |
//! | `forward_context.rs`, `server_span.rs` | the context of one forwarded request: the client's params, capabilities and channel back; its span in a trace |
//! | `questions.rs`, `questions/`, `owner.rs`, `tasks.rs`, `watching.rs` | what servers ask and announce, and the client that each task, question and subscription belongs to |
//! | `definitions.rs`, `definitions/` | whether tools are what was approved, and which are hidden for that |
//! | `notices.rs`, `login.rs`, `view.rs` | alerts; which login a server gets; what can be seen of a server |
//! | `reload.rs`, `reload/` | a changed configuration or rules file takes effect while servers run |

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
pub use toolwright_toolbox::{FailureCause, StateName};
pub use view::ServerView;
