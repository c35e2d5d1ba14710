//! The LLM proxy as people run it: the official SDKs in front of it, a model's server with bad habits behind it.

#![cfg(unix)]

#[path = "../../../../tests/servers/installed.rs"]
mod installed;

mod ai_sdk;
mod asked;
mod broken_streams;
mod expected;
mod fronts;
mod model;
mod odd_upstreams;
mod rough;
mod settings;
mod spoken;
mod stage;
mod thinking;
mod upstream_itself;
mod what_is_sent;
