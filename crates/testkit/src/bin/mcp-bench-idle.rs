//! What the gateway uses when it does nothing: `mcp-bench-idle TOOLWRIGHT ECHO-SERVER`.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::served::Served;
use toolwright_testkit::wire::Caller;

const SERVERS: usize = 10;

#[tokio::main]
async fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(program), Some(server)) = (words.next(), words.next()) else {
        eprintln!("usage: mcp-bench-idle TOOLWRIGHT ECHO-SERVER");
        return ExitCode::from(2);
    };
    let servers: serde_json::Map<String, Value> = (0..SERVERS)
        .map(|at| (format!("server{at}"), json!({"command": server, "args": ["--tools", "20", "--pad", "200"]})))
        .collect();
    let toolbox = json!({"description": "Ten servers", "mcpServers": servers});
    let gateway = Served::start(&program, &json!({"toolboxes": {"ten": toolbox}})).await;
    let mut caller = Caller::modern(&gateway.url("/mcp/all")).await;
    let listed = caller.ask("tools/list", "{}").await.result();
    let count = listed.ok().and_then(|list| list.get("tools")?.items()).map_or(0, |tools| tools.len());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let usage = Usage::of(gateway.pid());
    println!("idle with {SERVERS} servers and {count} tools: {:.1} MB", usage.rss_kib as f64 / 1024.0);
    ExitCode::SUCCESS
}
