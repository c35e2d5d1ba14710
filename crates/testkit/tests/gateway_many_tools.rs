//! A server with very many tools costs the clients of other servers nothing, neither by its first list nor by lists
//! that keep changing. Times are compared with each other in one run, never with a clock.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright_testkit::load::{Client, Era, GatewayPrograms, Served};
use toolwright_testkit::servers::PATIENCE;

/// How many tools the large server has.
const TOOLS: usize = 10_000;
/// How many of its changes are waited for.
const CHANGES: usize = 3;
/// What a machine with other work adds to any single measurement.
const NOISE: Duration = Duration::from_millis(150);

/// Calls the small server until it is told to stop. Returns how long the slowest call took.
async fn slowest(mut client: Client, tool: &str, is_over: Arc<AtomicBool>) -> Duration {
    let mut worst = Duration::ZERO;
    for number in 0.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let begin = Instant::now();
        let reply = client.call(&number.to_string(), tool, r#"{"text":"hi"}"#).await.expect("an answer");
        worst = worst.max(begin.elapsed());
        assert_eq!(reply.text(), Some("hi"), "{reply:?}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    worst
}

/// The versions that the large server's list shows.
async fn version(client: &mut Client, round: usize) -> Option<String> {
    let reply = client.ask(&format!("\"list-{round}\""), "tools/list", "{}").await.expect("a reply");
    let tools = reply.outcome.expect("a list");
    let names = tools["tools"].as_array()?.iter().filter_map(|tool| tool["name"].as_str());
    let names: Vec<&str> = names.collect();
    assert!(names.len() < 100 || names.len() > TOOLS, "a list is whole: {}", names.len());
    names.into_iter().find(|name| name.contains("version_")).map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_very_many_tools_delays_no_other_server() {
    let programs = GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")));
    let tools = format!("--tools={TOOLS}");
    let large = programs.entry(&[&tools, "--bytes=500", "--changes=500"]);
    let configuration = json!({"toolboxes": {
        "small": {"description": "Few tools.", "mcpServers": {"small": programs.entry(&[])}},
        "large": {"description": "Many tools.", "mcpServers": {"large": large}},
    }});
    let served = Served::start_with(&programs, Some(&configuration), &["--rate", "0"], &[]);
    let is_over = Arc::new(AtomicBool::new(false));
    let client = async |path: &str| served.client(path, Era::Modern).await.expect("a client");
    let mut alone = client("/mcp/t/small").await;
    alone.call("1", "echo", r#"{"text":"hi"}"#).await.expect("an answer");
    let mut flat = client("/mcp/all").await;
    // The small server's flat name is known before the large server is.
    let small = tokio::spawn(slowest(client("/mcp/t/small").await, "echo", Arc::clone(&is_over)));
    let begin = Instant::now();
    let mut seen = Vec::new();
    let mut named = None;
    for round in 0.. {
        assert!(begin.elapsed() < PATIENCE * 4, "the large server lists {seen:?} only");
        if let Some(version) = version(&mut flat, round).await
            && seen.last() != Some(&version)
        {
            seen.push(version);
        }
        if named.is_none() && !seen.is_empty() {
            let client = client("/mcp/all").await;
            named = Some(tokio::spawn(slowest(client, "small__small__echo", Arc::clone(&is_over))));
        }
        if seen.len() > CHANGES {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let mut large = client("/mcp/t/large").await;
    assert!(version(&mut large, 0).await.is_some(), "its own endpoint lists it too");
    let all = begin.elapsed();
    is_over.store(true, Ordering::Relaxed);
    let small = small.await.expect("no panic");
    let named = named.expect("it was listed").await.expect("no panic");
    println!("slowest call {small:?}, by a flat name {named:?}, of {all:?}");
    let most = all / 20 + NOISE;
    assert!(small <= most, "a call of another server took {small:?} of {all:?}");
    assert!(named <= most, "a call by a flat name took {named:?} of {all:?}");
}
