//! Z-Wave devices as MCP tools, over the MQTT gateway of Z-Wave JS UI.
//!
//! Messages of the gateway become devices in four steps without any network: [`topics`] parses topics,
//! [`payload`] parses payloads, [`nodes`] parses the gateway's list, and [`devices`] combines both.
//! [`names`] finds a device by name, or reports why it cannot.
//!
//! Around them, with the feature `server`: [`broker`] maintains the connection, [`gateway`] sends requests
//! and receives messages, [`tools`] has one file per tool, and [`server`] implements MCP. Standard output
//! carries only the protocol.

pub mod devices;
pub mod names;
pub mod nodes;
pub mod payload;
pub mod topics;

#[cfg(feature = "server")]
pub mod broker;
#[cfg(feature = "server")]
pub mod gateway;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod settings;
#[cfg(feature = "server")]
mod texts;
#[cfg(feature = "server")]
pub mod tools;
