//! `zwave-mcp-server` in a house: a real broker, zwave-js's mock network, and the server as clients start it.

#![cfg(unix)]

mod broker;
#[path = "../../../voice/tests/support/brokers.rs"]
#[allow(dead_code, reason = "each test uses its part")]
mod brokers;
#[path = "../gateway/caller.rs"]
#[allow(dead_code, reason = "each test uses its part")]
mod caller;
mod commands;
mod eras;
#[path = "../../../../tests/servers/installed.rs"]
mod installed;
mod looks;
mod server;
mod server_logging;
mod sound;
mod spoken;
mod through_toolwright;

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// The server under test, which the build puts beside the testkit's programs.
pub fn program() -> PathBuf {
    let program = beside("zwave-mcp-server");
    assert!(program.exists(), "{} is missing: cargo build -p zwave-mcp-server", program.display());
    program
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_load-server")).with_file_name(name)
}
