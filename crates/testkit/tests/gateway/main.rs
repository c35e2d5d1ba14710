//! The gateway as people run it, with real clients in front of it and real servers behind it.

#![cfg(unix)]

#[path = "../../../../tests/servers/installed.rs"]
mod installed;

mod caller;
mod contract;
mod fidelity;
mod matrix;
mod people;
mod unavailable;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_testkit::load::{GatewayPrograms, Served};

/// A program of the testkit.
fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_load-server")).with_file_name(name)
}

/// The program that people run, and the server that answers quickly.
fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(&beside("load-server"))
}

/// A server of the testkit, as a configuration has it.
fn server(name: &str, words: &[&str]) -> Value {
    json!({"command": beside(name), "args": words})
}

/// A gateway in front of these servers, each at `/mcp/t/NAME`.
fn serve(servers: &[(&str, Value)]) -> Served {
    Served::start(&programs(), &one_each(servers))
}

/// A toolbox for each server, of its name.
fn one_each(servers: &[(&str, Value)]) -> Value {
    let servers: Vec<(String, Value)> =
        servers.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())).collect();
    programs().apart(&servers)
}

/// The address of an endpoint.
fn url(gateway: &Served, path: &str) -> String {
    format!("http://{}{path}", gateway.address)
}

/// The file that the gateway reads.
fn configuration(gateway: &Served) -> PathBuf {
    gateway.folder().join("toolwright.json")
}
