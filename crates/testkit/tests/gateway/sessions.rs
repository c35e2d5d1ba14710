//! R06, small: sessions that begin and are left alone leave nothing behind.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::wire::{Caller, Line, Speech, call_params, parts};

use crate::{serve, server, table};

const SESSIONS: u32 = 500;
const PATIENCE: Duration = Duration::from_secs(30);
/// Generous: the goal is 5 MiB for 10,000.
const GROWTH_KIB: u64 = 32 * 1024;

/// Opens a session: half of them end with a goodbye, one of ten in the middle of a call.
async fn visit(address: String, at: u32) {
    let url = format!("{address}/mcp/t/room");
    let mut caller = Caller::legacy(&url).await;
    if at % 10 == 0 {
        let Speech::Legacy { session: Some(session) } = &caller.speech else { panic!("no session") };
        let (host, path) = parts(&url);
        let mut line = Line::open(&host).await.expect("a connection");
        let (body, _) = caller.message("1", "tools/call", &call_params("wait_long", "{}"));
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Mcp-Session-Id", session.as_str()),
        ];
        line.write("POST", &path, &headers, &body).await.expect("sent");
        sleep(Duration::from_millis(20)).await;
        return;
    }
    let said = caller.says("count_steps", r#"{"steps":1}"#).await;
    assert_eq!(said, "1 steps");
    if at % 2 == 0 {
        let Speech::Legacy { session: Some(session) } = &caller.speech else { panic!("no session") };
        let (host, path) = parts(&url);
        let mut line = Line::open(&host).await.expect("a connection");
        let headers = [("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Session-Id", session.as_str())];
        let reply = line.send("DELETE", &path, &headers, "").await.expect("an answer");
        assert!(matches!(reply.status, 200 | 204), "HTTP {}", reply.status);
        let gone = caller.call("count_steps", r#"{"steps":1}"#).await;
        assert_eq!(gone.status, 404, "{}", gone.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_are_left_alone_leave_nothing_behind() {
    let gateway = serve(&[("room", server("rmcp-server", &["--era", "legacy"]))]).await;
    visit(gateway.address.clone(), 1).await;
    let before = Usage::of(gateway.pid());
    let mut visits = JoinSet::new();
    for at in 0..SESSIONS {
        visits.spawn(visit(gateway.address.clone(), at));
        if visits.len() >= 16 {
            visits.join_next().await.expect("a visit").expect("no panic");
        }
    }
    visits.join_all().await;
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = Usage::of(gateway.pid());
        if now.children <= before.children && now.files <= before.files + 8 {
            table::say("R06 growth of RSS, KiB", now.rss_kib.saturating_sub(before.rss_kib));
            assert!(now.rss_kib <= before.rss_kib + GROWTH_KIB, "{before:?} {now:?}");
            return;
        }
        assert!(Instant::now() < deadline, "{before:?} {now:?}");
        sleep(Duration::from_millis(50)).await;
    }
}
