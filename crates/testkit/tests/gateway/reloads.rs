//! R24: the configuration changes under load, and no call suffers from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::served::Served;
use toolwright_testkit::wire::Caller;

use crate::{server, table, toolwright};

const RELOADS: u32 = 50;
const CALLERS: u32 = 8;
/// Longer than a change takes to be seen.
const PATIENCE: Duration = Duration::from_secs(30);

/// `work` is always there; `extra` comes, goes and changes.
fn configuration(round: u32) -> Value {
    let mut toolboxes = json!({
        "work": {
            "description": format!("Round {round}"),
            "mcpServers": {"echo": server("echo-server", &["--name", "steady"])},
        },
    });
    if round % 3 != 0 {
        let name = format!("extra{round}");
        let extra = server("echo-server", &["--name", &name]);
        toolboxes["extra"] = json!({"description": "Comes and goes", "mcpServers": {"extra": extra}});
    }
    json!({"toolboxes": toolboxes})
}

async fn hammer(url: String, is_over: Arc<AtomicBool>, calls: Arc<AtomicU64>) -> Vec<String> {
    let mut caller = Caller::legacy(&url).await;
    let mut failed = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let text = format!("call {}", calls.fetch_add(1, Ordering::Relaxed));
        let said = caller.says("echo", &format!(r#"{{"text":"{text}"}}"#)).await;
        if said != text {
            failed.push(said);
        }
    }
    failed
}

/// What `who` says at the endpoint of `extra`; nothing where there is none.
async fn extra(gateway: &Served) -> Option<String> {
    let speech = toolwright_testkit::wire::Speech::Modern;
    let mut caller = Caller::silent(&gateway.url("/mcp/t/extra"), speech).await;
    let reply = caller.call("who", "{}").await;
    reply.result().ok().map(|result| toolwright_testkit::wire::text_of(&result))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_reloads_under_load_lose_no_call_and_leave_no_child() {
    let gateway = Served::start(&toolwright(), &configuration(0)).await;
    let (is_over, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        callers.spawn(hammer(gateway.url("/mcp/t/work"), Arc::clone(&is_over), Arc::clone(&calls)));
    }
    for round in 1..=RELOADS {
        gateway.configure(&configuration(round).to_string());
        let wanted = (round % 3 != 0).then(|| format!("extra{round}"));
        let deadline = Instant::now() + PATIENCE;
        while extra(&gateway).await != wanted {
            assert!(Instant::now() < deadline, "round {round} was not taken up: {}", gateway.said());
            sleep(Duration::from_millis(20)).await;
        }
    }
    is_over.store(true, Ordering::Relaxed);
    let failed: Vec<String> = callers.join_all().await.into_iter().flatten().collect();
    table::say("R24 calls during 50 reloads", calls.load(Ordering::Relaxed));
    assert!(failed.is_empty(), "{failed:?}");

    // A file with a fault leaves everything as it was and says where the fault is.
    gateway.configure("{\n  \"toolboxes\": {\n    \"work\": {]\n");
    let deadline = Instant::now() + PATIENCE;
    while !gateway.said().contains("toolwright.json:3") {
        assert!(Instant::now() < deadline, "no word of the fault: {}", gateway.said());
        sleep(Duration::from_millis(20)).await;
    }
    let mut caller = Caller::legacy(&gateway.url("/mcp/t/work")).await;
    assert_eq!(caller.says("who", "{}").await, "steady");

    // Only what is configured is left: `work`, `extra` of the last round, and the guardian.
    let deadline = Instant::now() + PATIENCE;
    loop {
        let children = Usage::of(gateway.pid()).children;
        if children <= 3 {
            break;
        }
        assert!(Instant::now() < deadline, "{children} children are left");
        sleep(Duration::from_millis(50)).await;
    }
}
