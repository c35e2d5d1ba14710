//! Real processes that stop answering: a stopped one is degraded and then restarted, one that only leaves calls
//! unanswered is not, and neither is felt by another server.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use toolwright_endpoints::Endpoint;
use toolwright_mcp::Era;
use toolwright_toolbox::{Policy, State};

use crate::stage::{
    HOSTILE_SERVER, PATIENCE, RMCP_SERVER, Script, Stage, entry, is_error, staged_by, text, until,
};

/// As the usual policy, in less time.
fn policy() -> Policy {
    let moment = Duration::from_millis(200);
    Policy { base_delay: moment / 10, ping_timeout: moment, ..Policy::default() }
}

/// A server that answers `plain` and not `hang`, and another one, each in a toolbox of its own. Calls have 200 ms.
fn two() -> Stage {
    let silent = entry(HOSTILE_SERVER, &["--lists-habits", "--quiet"]);
    let silent = silent.replacen('{', r#"{"timeoutMs": 200, "#, 1);
    let other = entry(RMCP_SERVER, &[]);
    let text = format!(
        r#"{{"toolboxes": {{
            "silent": {{"description": "It stops answering.", "mcpServers": {{"silent": {silent}}}}},
            "other": {{"description": "It does not.", "mcpServers": {{"other": {other}}}}}}}}}"#
    );
    staged_by(&text, policy())
}

fn pid(stage: &Stage) -> Option<u32> {
    stage.servers.get("silent").expect("it is there").supervisor.snapshot().pid
}

fn state(stage: &Stage) -> State {
    stage.servers.get("silent").expect("it is there").supervisor.snapshot().state
}

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
    kill_process(pid, signal).expect("it is there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_is_degraded_after_three_timeouts_and_then_restarted() {
    let stage = two();
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let silent = stage.service(&Endpoint::Toolbox("silent".into()));
    let other = stage.service(&Endpoint::Toolbox("other".into()));
    let client = Script::new(Era::Modern, 1);
    let hello = r#"{"text":"hello"}"#;
    assert_eq!(text(&client.call(&silent, "plain", hello).await), "hello");
    let first = pid(&stage).expect("a process");
    signal(first, Signal::STOP);
    for number in 1..=3 {
        assert_eq!(state(&stage), State::Ready, "before timeout {number}");
        let result = client.call(&silent, "plain", hello).await;
        assert!(is_error(&result) && text(&result).contains("timed out"), "{result}");
    }
    until("degraded", || matches!(state(&stage), State::Degraded { .. })).await;
    let before = Instant::now();
    assert!(!client.tools(&other).await.is_empty(), "another server answers");
    assert!(before.elapsed() < PATIENCE / 2);
    until("another process", || pid(&stage).is_some_and(|now| now != first)).await;
    until("ready", || state(&stage) == State::Ready).await;
    assert_eq!(text(&client.call(&silent, "plain", hello).await), "hello");
    let snapshot = stage.servers.get("silent").expect("it is there").supervisor.snapshot();
    assert_eq!(snapshot.restarts, 1);
    let reason = snapshot.last_failure.expect("it says why").to_string();
    assert_eq!(reason, "it left 3 requests and 3 pings unanswered");
    let gone = format!("/proc/{first}/stat");
    let is_gone = || std::fs::read_to_string(&gone).map_or(true, |stat| stat.contains(") Z "));
    until("the end of the first process", is_gone).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_goes_on_in_time_is_ready_again_and_not_restarted() {
    let stage = two();
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let silent = stage.service(&Endpoint::Toolbox("silent".into()));
    let client = Script::new(Era::Modern, 1);
    let first = pid(&stage).expect("a process");
    signal(first, Signal::STOP);
    for _ in 0..3 {
        assert!(is_error(&client.call(&silent, "plain", "{}").await));
    }
    until("degraded", || matches!(state(&stage), State::Degraded { .. })).await;
    signal(first, Signal::CONT);
    until("ready", || state(&stage) == State::Ready).await;
    assert_eq!(
        (pid(&stage), text(&client.call(&silent, "plain", r#"{"text":"back"}"#).await)),
        (Some(first), "back".into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_leaves_calls_unanswered_and_answers_pings_is_not_restarted() {
    let stage = two();
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let silent = stage.service(&Endpoint::Toolbox("silent".into()));
    let client = Script::new(Era::Modern, 1);
    let first = pid(&stage).expect("a process");
    let mut seen = stage.servers.get("silent").expect("it is there").supervisor.subscribe();
    for _ in 0..3 {
        let result = client.call(&silent, "hang", "{}").await;
        assert!(is_error(&result) && text(&result).contains("timed out"), "{result}");
    }
    let degraded = seen.wait_for(|seen| matches!(seen.snapshot.state, State::Degraded { .. }));
    drop(tokio::time::timeout(PATIENCE, degraded).await.expect("degraded in time"));
    until("ready", || state(&stage) == State::Ready).await;
    assert_eq!(text(&client.call(&silent, "plain", r#"{"text":"here"}"#).await), "here");
    assert_eq!(pid(&stage), Some(first));
}
