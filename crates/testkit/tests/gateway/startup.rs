//! R27: servers start beside each other, and one that is broken delays nobody.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_testkit::served::Served;
use toolwright_testkit::wire::{Caller, Line, parts};

use crate::{one_each, server, table, toolwright};

const SERVERS: usize = 20;
/// How long each takes to start. One after the other they would take ten seconds.
const START_MS: &str = "500";
const TOGETHER: Duration = Duration::from_secs(8);

async fn get(gateway: &Served, path: &str) -> (u16, String) {
    let (host, _) = parts(&gateway.address);
    let mut line = Line::open(&host).await.expect("a connection");
    let reply = line.send("GET", path, &[], "").await.expect("an answer");
    (reply.status, reply.body)
}

#[tokio::test]
async fn it_is_ready_without_servers() {
    let started = Instant::now();
    let gateway = Served::start(&toolwright(), &json!({"toolboxes": {}})).await;
    table::say("R27 address said after, ms", started.elapsed().as_millis());
    assert_eq!(get(&gateway, "/healthz").await.0, 200);
    assert_eq!(get(&gateway, "/readyz").await.0, 200);
    assert_eq!(get(&gateway, "/metrics").await.0, 200);
    let mut caller = Caller::legacy(&gateway.url("/mcp")).await;
    let tools = caller.ask("tools/list", "{}").await.result().expect("tools");
    assert!(tools.as_str().contains("open_toolbox"), "{tools}");
    let instructions = caller.about.get_text("instructions").expect("instructions");
    assert!(instructions.contains("No toolboxes configured."), "{instructions}");
    assert!(gateway.end().await.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_servers_start_beside_each_other_and_a_broken_one_delays_nobody() {
    let mut servers: serde_json::Map<String, Value> = (0..SERVERS)
        .map(|at| {
            let name = format!("slow{at}");
            (name.clone(), server("echo-server", &["--start-ms", START_MS, "--name", &name]))
        })
        .collect();
    servers.insert("missing".into(), json!({"command": "/no/such/program"}));
    servers.insert("silent".into(), json!({"command": "sleep", "args": ["600"]}));
    let all = json!({"toolboxes": {"all": {"description": "All of them", "mcpServers": servers}}});
    let gateway = Served::start(&toolwright(), &all).await;
    assert_eq!(get(&gateway, "/readyz").await.0, 200);
    let started = Instant::now();
    let mut callers = tokio::task::JoinSet::new();
    for at in 0..SERVERS {
        let url = gateway.url("/mcp");
        callers.spawn(async move {
            let mut caller = Caller::modern(&url).await;
            let tool = format!(r#"{{"toolbox":"all","server":"slow{at}","name":"who"}}"#);
            (at, caller.says("use_tool", &format!(r#"{{"tool":{tool}}}"#)).await)
        });
    }
    for (at, said) in callers.join_all().await {
        assert_eq!(said, format!("slow{at}"));
    }
    let took = started.elapsed();
    table::say("R27 twenty servers of 500 ms, all called after, ms", took.as_millis());
    assert!(took < TOGETHER, "{took:?}");
    let mut caller = Caller::modern(&gateway.url("/mcp")).await;
    let tool = r#"{"toolbox":"all","server":"missing","name":"who"}"#;
    let said = caller.says("use_tool", &format!(r#"{{"tool":{tool}}}"#)).await;
    assert!(said.contains("/no/such/program"), "{said}");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_so_to_its_own_clients() {
    let servers = [("missing", json!({"command": "/no/such/program"})), ("echo", server("echo-server", &[]))];
    let gateway = Served::start(&toolwright(), &one_each(&servers)).await;
    let mut good = Caller::legacy(&gateway.url("/mcp/t/echo")).await;
    assert_eq!(good.says("echo", r#"{"text":"here"}"#).await, "here");
    let speech = toolwright_testkit::wire::Speech::Modern;
    let mut caller = Caller::silent(&gateway.url("/mcp/t/missing"), speech).await;
    // No silent empty list, ever.
    let listed = caller.ask("tools/list", "{}").await;
    let error = listed.error().unwrap_or_else(|| panic!("{}", listed.body));
    assert!(error.as_str().contains("/no/such/program"), "{error}");
}
