//! Supervisors with real children: side by side, of both eras, and without their secrets.

use crate::era;

use std::sync::Arc;
use std::time::Duration;

use era::{BOTH, PATIENCE, call, command, identity};
use tokio::time::timeout;
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{NoHost, PeerOptions};
use toolwright_toolbox::{Policy, Seen, State, StateName, StdioConnector, Supervisor, TransportKind};

fn supervised(command: ChildCommand, policy: Policy) -> Supervisor {
    let options = PeerOptions { start: PATIENCE, ..PeerOptions::default() };
    let connector = StdioConnector::new("one", command, identity(), options, Arc::new(NoHost));
    Supervisor::start(Arc::new(connector), policy)
}

fn shell(script: &str) -> ChildCommand {
    ChildCommand { program: "sh".into(), args: vec!["-c".into(), script.into()], ..ChildCommand::default() }
}

async fn seen(supervisor: &Supervisor, is_it: impl FnMut(&Seen) -> bool) {
    let mut seen = supervisor.subscribe();
    let found = timeout(PATIENCE, seen.wait_for(is_it)).await;
    assert!(found.is_ok(), "{:?}", supervisor.snapshot());
}

fn has_tool(name: &str) -> impl FnMut(&Seen) -> bool {
    move |seen| {
        seen.tools.is_current
            && seen.tools.items.iter().any(|tool| tool.get_text("name").as_deref() == Some(name))
    }
}

#[tokio::test]
async fn nothing_waits_for_a_server_that_hangs_or_is_missing() {
    let hanging = supervised(shell("echo I think >&2; sleep 3600"), Policy::default());
    let missing = ChildCommand { program: "no-such-program-anywhere".into(), ..ChildCommand::default() };
    let missing = supervised(missing, Policy::default());
    let sound: Vec<Supervisor> =
        (0..5).map(|_| supervised(command(&["--modern"]), Policy::default())).collect();
    for supervisor in &sound {
        supervisor.peer(PATIENCE).await.expect("ready");
    }
    assert_eq!(hanging.snapshot().state, State::Starting { attempt: 1 });
    assert_ne!(missing.snapshot().state, State::Ready);
    // What a server says while it starts can be read already.
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while hanging.stderr() != "I think\n" {
        assert!(tokio::time::Instant::now() < deadline, "{}", hanging.stderr());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn tools_follow_the_server_and_stay_while_it_is_away() {
    for (flag, era) in BOTH {
        let supervisor = supervised(command(&[flag]), Policy::default());
        seen(&supervisor, has_tool("v0")).await;
        let before = supervisor.snapshot();
        assert_eq!((before.era, before.tools, before.transport), (Some(era), 1, TransportKind::Stdio));
        let peer = supervisor.peer(PATIENCE).await.expect("ready");
        call(&peer, "change", r#"{"times":100}"#).await;
        seen(&supervisor, has_tool("v1")).await;
        let lists = call(&peer, "listed", "{}").await.get("listed").expect("a count").to_string();
        assert!(lists == "2" || lists == "3", "{lists} lists for one change");
        peer.connection().stop();
        seen(&supervisor, |seen| !seen.tools.is_current).await;
        assert_eq!(supervisor.tools().items.len(), 1);
        seen(&supervisor, has_tool("v0")).await;
        assert_eq!(supervisor.snapshot().restarts, 1);
    }
}

#[tokio::test]
async fn a_server_without_tools_is_ready_and_one_that_lost_them_degraded_for_a_while() {
    for (flag, _) in BOTH {
        let supervisor = supervised(command(&[flag, "--no-tools"]), Policy::default());
        seen(&supervisor, |seen| seen.tools.is_current).await;
        assert_eq!((supervisor.snapshot().state, supervisor.snapshot().tools), (State::Ready, 0));
        let policy = Policy { base_delay: Duration::from_millis(50), ..Policy::default() };
        let supervisor = supervised(command(&[flag, "--list-fails=2"]), policy);
        seen(&supervisor, |seen| seen.snapshot.state.name() == StateName::Degraded).await;
        let error = supervisor.snapshot().last_failure.expect("an error").to_string();
        assert_eq!(error, "its tools cannot be listed: the tools are lost");
        seen(&supervisor, has_tool("v0")).await;
        assert_eq!(supervisor.snapshot().state, State::Ready);
    }
}

#[tokio::test]
async fn a_child_that_nobody_uses_is_stopped_and_started_by_its_next_use() {
    let idle = Some(Duration::from_millis(300));
    for (flag, _) in BOTH {
        let supervisor = supervised(command(&[flag]), Policy { idle, ..Policy::default() });
        supervisor.peer(PATIENCE).await.expect("ready");
        let pid = supervisor.snapshot().pid.expect("a child");
        seen(&supervisor, |seen| seen.snapshot.state == State::Resting).await;
        let peer = supervisor.peer(PATIENCE).await.expect("ready again");
        call(&peer, "listed", "{}").await;
        assert_ne!(supervisor.snapshot().pid, Some(pid));
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
}

#[tokio::test]
async fn who_only_looks_does_not_keep_a_server_alive() {
    let supervisor = supervised(command(&["--modern"]), Policy::default());
    supervisor.peer(PATIENCE).await.expect("ready");
    let pid = supervisor.snapshot().pid.expect("a child");
    let looking = supervisor.subscribe();
    drop(supervisor);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while std::path::Path::new(&format!("/proc/{pid}")).exists() {
        assert!(tokio::time::Instant::now() < deadline, "process {pid} still runs");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(looking.borrow().snapshot.state, State::Disabled);
}

#[tokio::test]
async fn what_a_server_prints_is_shown_without_its_secrets() {
    let script =
        "printf '\\033[31mlogin with %s and %s, password=%s\\033[0m\\n' $API_KEY $PLAIN other >&2; exit 1";
    let secret = ChildCommand {
        env: vec![("API_KEY".into(), "k-123456".into()), ("PLAIN".into(), "given-value".into())],
        secrets: vec!["given-value".into()],
        ..shell(script)
    };
    let policy = Policy { base_delay: Duration::from_millis(20), ..Policy::default() };
    let supervisor = supervised(secret, policy);
    seen(&supervisor, |seen| seen.snapshot.last_failure.is_some()).await;
    let error = supervisor.snapshot().last_failure.expect("an error").to_string();
    let line = "login with [redacted] and [redacted], password=[redacted]";
    assert!(error.ends_with(line), "{error}");
    let not_ready = supervisor.peer(Duration::from_millis(50)).await.unwrap_err().to_string();
    assert!(!not_ready.contains("k-123456") && !not_ready.contains("given-value"), "{not_ready}");
}

#[tokio::test]
async fn a_program_that_ends_without_reading_is_started_once_for_each_attempt() {
    let folder = tempfile::tempdir().expect("a folder");
    let starts = folder.path().join("starts");
    let script = format!("echo started >> {}; exit 1", starts.display());
    let policy = Policy { base_delay: Duration::from_millis(300), ..Policy::default() };
    let supervisor = supervised(shell(&script), policy);
    seen(&supervisor, |seen| matches!(seen.snapshot.state, State::Backoff { failures: 3, .. })).await;
    let counted = std::fs::read_to_string(&starts).expect("it was started").lines().count();
    assert_eq!(counted, 3);
}
