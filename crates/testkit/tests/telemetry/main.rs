//! What a gateway tells a collector of calls, and what the servers behind it hear of traces.
//!
//! The tests have threads of their own: waiting for the end of a gateway blocks one, and the collector has to answer meanwhile.

#![cfg(unix)]

mod away;
#[path = "../gateway/caller.rs"]
#[allow(dead_code, reason = "each test uses its part")]
mod caller;
mod collector;
mod metrics;
mod over_stdio;
mod traces;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_jsonrpc::Json;
use toolwright_testkit::load::{Era, GatewayPrograms, Served};

use caller::Caller;

/// What every path of a trace in these tests begins with.
pub const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
/// The span of the client.
pub const SPAN: &str = "00f067aa0ba902b7";

fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_era-server")))
}

fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_era-server")).with_file_name(name)
}

/// A gateway in front of a legacy and a modern server, and of our own tools, with these variables.
pub async fn serve(variables: &[(&str, &str)]) -> Served {
    let server = |args: &[&str]| json!({"command": beside("era-server"), "args": args});
    let toolbox = |name: &str, entry: Value| json!({"description": "A server.", "mcpServers": {name: entry}});
    let configuration = json!({
        "builtinTools": true,
        "toolboxes": {
            "old": toolbox("old", server(&[])),
            "new": toolbox("new", server(&["--modern"])),
        },
    });
    let gateway = Served::start_with(&programs(), Some(&configuration), &[], variables);
    // From here on their tools are known.
    let listed = Caller::meet(&gateway, "/mcp/all", Era::Legacy).await.ask("tools/list", "{}").await;
    let listed = listed.result().expect("tools");
    assert!(listed.as_str().contains("old__v0") && listed.as_str().contains("new__v0"), "{listed}");
    gateway
}

/// What a server saw in `_meta` of the call that it was asked, as the answer tells.
pub fn seen_meta(answer: &Json) -> Value {
    let asked = answer.get("asked").unwrap_or_else(|| panic!("{answer} says what was asked"));
    let meta = asked.get("_meta").map(|meta| meta.to_string()).unwrap_or_default();
    serde_json::from_str(&meta).unwrap_or_default()
}
