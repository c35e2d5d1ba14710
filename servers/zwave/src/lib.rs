//! A Z-Wave house as MCP tools, over the MQTT gateway of Z-Wave JS UI.
//!
//! What the gateway publishes becomes devices in four steps without any network: [`topics`] says what a topic is about,
//! [`payload`] what a message says, [`nodes`] reads the gateway's own list, and [`devices`] makes one picture of both.
//! [`names`] finds the device that somebody means, or says why it cannot.
//!
//! Around them, with the feature `server`: [`broker`] keeps the connection, [`gateway`] asks and listens, [`tools`] has
//! one file for each tool, and [`server`] speaks MCP. Nothing here prints on standard output but the protocol.

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
pub mod tools;
#[cfg(feature = "server")]
mod words;
