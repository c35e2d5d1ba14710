//! What clients are connected to: the toolboxes behind meta-tools, all tools under flat names, or one server as
//! it is. All of them hand calls to the executor and everything else to the servers.

mod about;
mod calls;
mod finding;
mod flat;
mod forward;
pub(crate) mod forward_context;
mod gateway;
mod gather;
mod listening;
mod members;
mod merged;
mod near;
pub(crate) mod offered;
mod opened;
pub(crate) mod owner;
mod prompts;
pub(crate) mod questions;
mod resolve;
mod resources;
mod status;
pub(crate) mod tasks;
mod toolboxes;
pub(crate) mod traced;
mod transparent;
mod visible;
pub(crate) mod watching;

pub use gateway::{Endpoint, Gateway, GatewayOptions, offered_capabilities};
pub use members::OWN_TOOLBOX;
pub use status::StatusReport;
