//! What MCP clients are connected to: the toolboxes behind meta-tools, all tools under flat names, or one server as
//! it is. All of them hand calls to the executor and everything else to the servers.
//!
//! This crate knows no HTTP, no token and no language model: a client is already identified when it arrives here.
//!
//! Start with [`Gateway`].

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
