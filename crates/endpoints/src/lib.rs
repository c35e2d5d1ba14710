//! What MCP clients are connected to: the toolboxes behind meta-tools, all tools under flat names, or one server as
//! it is. All of them hand calls to the executor and everything else to the servers.
//!
//! This crate knows no HTTP, no token and no language model: a client is already identified when it arrives here.
//!
//! Start with [`Gateway`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `gateway.rs` | the services, one per endpoint |
//! | `toolboxes.rs`, `visible.rs`, `opened.rs`, `finding.rs` | the toolboxes behind meta-tools: what a client may see, has open, finds |
//! | `flat.rs`, `merged.rs`, `resolve.rs`, `near.rs` | several servers as one: flat names, the tool that another form of a name is for, suggestions |
//! | `transparent.rs` | one server, forwarded unchanged |
//! | `calls.rs`, `forward.rs`, `traced.rs` | one call or request on its way to the executor or a server, and in a trace |
//! | `members.rs`, `gather.rs`, `resources.rs`, `prompts.rs`, `listening.rs` | the servers of an endpoint, and what is merged of them |
//! | `about.rs`, `status.rs` | what is sent at `initialize`; the status as a resource |

mod about;
mod calls;
mod finding;
mod flat;
mod forward;
mod gateway;
mod gather;
mod listening;
mod members;
mod merged;
mod near;
mod opened;
mod prompts;
mod resolve;
mod resources;
mod status;
mod toolboxes;
mod traced;
mod transparent;
mod visible;

pub use gateway::{Endpoint, Gateway, GatewayOptions, offered_capabilities};
pub use members::OWN_TOOLBOX;
pub use status::StatusReport;
