//! R14: ten servers with a thousand tools each.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value, json};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::served::Served;
use toolwright_testkit::wire::{Caller, json as raw};

use crate::{server, table, toolwright};

const SERVERS: usize = 10;
const TOOLS: usize = 1_000;
/// Generous: the goal is 150 MiB.
const MEMORY_KIB: u64 = 300 * 1024;

fn configuration() -> Value {
    let servers: serde_json::Map<String, Value> = (0..SERVERS)
        .map(|at| {
            let name = format!("server{at}");
            let words = ["--tools", "1000", "--pad", "2000", "--name", name.as_str()];
            (name.clone(), server("echo-server", &words))
        })
        .collect();
    json!({"toolboxes": {"many": {"description": "Many tools", "mcpServers": servers}}})
}

/// Every name that a client can see, page by page.
async fn names(caller: &mut Caller) -> Vec<String> {
    let mut names = Vec::new();
    let mut params = "{}".to_owned();
    loop {
        let page = caller.ask("tools/list", &params).await.result().expect("tools");
        let tools = page.get("tools").and_then(|tools| tools.items()).expect("a list");
        names.extend(tools.iter().filter_map(|tool| tool.get_text("name")));
        match page.get("nextCursor") {
            Some(cursor) => params = format!(r#"{{"cursor":{cursor}}}"#),
            None => return names,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_servers_with_a_thousand_tools_each() {
    let gateway = Served::start(&toolwright(), &configuration()).await;
    let mut caller = Caller::modern(&gateway.url("/mcp/all")).await;
    let first = names(&mut caller).await;
    // Each server has two tools besides.
    assert_eq!(first.len(), SERVERS * (TOOLS + 2));
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len(), "a name stands twice");
    let is_flat = |name: &&String| {
        name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    assert!(first.iter().all(|name| is_flat(&name)));
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        assert_eq!(names(&mut caller).await, first, "the order has changed");
        times.push(started.elapsed().as_millis());
    }
    table::say("R14 all pages of the list, ms, p99", table::share(&mut times, 0.99));

    let mut meta = Caller::modern(&gateway.url("/mcp")).await;
    let mut times = Vec::new();
    for at in 0..50 {
        let query = format!(r#"{{"query":"rename invoice number {}"}}"#, at * 17);
        let started = Instant::now();
        let found = meta.says("search_tools", &query).await;
        times.push(started.elapsed().as_micros());
        assert!(found.contains("invoice"), "{found}");
    }
    table::say("R14 search, us, p99", table::share(&mut times, 0.99));

    let own = meta
        .says("use_tool", r#"{"tool":{"toolbox":"many","server":"server7","name":"who"},"arguments":{}}"#)
        .await;
    assert_eq!(own, "server7");
    let usage = Usage::of(gateway.pid());
    table::say("R14 RSS, MiB", usage.rss_kib / 1024);
    table::say("R14 most RSS, MiB", usage.peak_kib / 1024);
    assert!(usage.rss_kib <= MEMORY_KIB, "{} KiB", usage.rss_kib);
    drop(raw("{}"));
}
