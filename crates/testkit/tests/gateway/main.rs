//! The gateway as people run it, with real clients in front of it and real servers behind it.

#![cfg(unix)]

#[path = "../../../../tests/servers/installed.rs"]
mod installed;

mod contract;
mod fidelity;
mod matrix;
mod people;
mod unavailable;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_testkit::served::Served;

/// A program of the testkit.
fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_echo-server")).with_file_name(name)
}

/// The program that people run; the build of the workspace puts it beside those of the testkit.
fn toolwright() -> PathBuf {
    let program = beside("toolwright");
    assert!(program.exists(), "build it first: cargo build -p toolwright");
    program
}

/// A server of the testkit, as a configuration has it.
fn server(name: &str, words: &[&str]) -> Value {
    json!({"command": beside(name), "args": words})
}

/// A toolbox for each server, of its name: every one has an endpoint of its own.
fn one_each(servers: &[(&str, Value)]) -> Value {
    let toolbox = |(name, server): &(&str, Value)| {
        let entry = json!({"description": format!("Only {name}"), "mcpServers": {*name: server}});
        ((*name).to_owned(), entry)
    };
    json!({"toolboxes": servers.iter().map(toolbox).collect::<serde_json::Map<_, _>>()})
}

/// A gateway in front of these servers, each at `/mcp/t/NAME`.
async fn serve(servers: &[(&str, Value)]) -> Served {
    Served::start(&toolwright(), &one_each(servers)).await
}
