//! Real child processes under supervision: what ends comes back, and what cannot start says why.

use crate::child;

use std::sync::Arc;
use std::time::Duration;

use child::{PATIENCE, options};
use tokio::time::{Instant, sleep};
use toolwright_jsonrpc::Json;
use toolwright_mcp::stdio::ChildCommand;
use toolwright_mcp::{Era, Identity, NoHost, Peer, PeerOptions, RequestError};
use toolwright_toolbox::{Policy, State, StdioConnector, Supervisor};

fn supervised(program: &str, args: &[&str]) -> Supervisor {
    let command = ChildCommand {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        ..ChildCommand::default()
    };
    let identity = Identity { client: Json::empty_object(), capabilities: Json::empty_object() };
    let options =
        PeerOptions { probe: Duration::from_millis(500), start: PATIENCE, ..PeerOptions::default() };
    let connector = StdioConnector::new("hostile", command, identity, options, Arc::new(NoHost));
    let policy = Policy { base_delay: Duration::from_millis(20), crashes: 1000, ..Policy::default() };
    Supervisor::start(Arc::new(connector), policy)
}

fn hostile(args: &[&str]) -> Supervisor {
    supervised(env!("CARGO_BIN_EXE_hostile-server"), args)
}

async fn call(peer: &Peer, habit: &str) -> Result<Json, RequestError> {
    let params = format!(r#"{{"name":"{habit}","arguments":{{"text":"x","code":4}}}}"#);
    peer.request("tools/call", Some(Json::parse(&params).expect("JSON")), &options()).await
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_fails_it_and_comes_back() {
    let server = hostile(&[]);
    for round in 1..=20 {
        let peer = server.peer(PATIENCE).await.expect("ready");
        let error = call(&peer, "die").await.unwrap_err().to_string();
        assert!(error.contains("exit code 4") && error.contains("cannot go on: x"), "{error}");
        let peer = server.peer(PATIENCE).await.expect("ready again");
        call(&peer, "plain").await.expect("an answer");
        assert_eq!(server.snapshot().restarts, round);
    }
    assert!(server.snapshot().last_failure.expect("an error").to_string().contains("exit code 4"));
}

#[tokio::test]
async fn a_server_that_ends_at_the_first_question_is_met_as_a_legacy_one() {
    let server = hostile(&["--dies-on-probe"]);
    assert_eq!(server.peer(PATIENCE).await.expect("ready").era(), Era::Legacy);
    assert_eq!(server.snapshot().state, State::Ready);
}

#[tokio::test]
async fn mcp_server_stderr_captured_in_errors() {
    let server = supervised("sh", &["-c", "echo 'Error: Cannot find module zwave' >&2; exit 1"]);
    let error = server.peer(Duration::from_secs(2)).await.unwrap_err().to_string();
    assert!(error.contains("ended with exit code 1 before it was ready"), "{error}");
    assert!(error.contains("Cannot find module zwave"), "{error}");
    let missing = supervised("no-such-program-anywhere", &[]);
    let error = missing.peer(Duration::from_millis(500)).await.unwrap_err().to_string();
    assert!(error.contains("\"no-such-program-anywhere\" was not found"), "{error}");
}

#[tokio::test]
async fn a_server_ends_with_its_supervisor() {
    let server = hostile(&["--ignore-end"]);
    server.peer(PATIENCE).await.expect("ready");
    let pid = server.snapshot().pid.expect("a child");
    drop(server);
    let deadline = Instant::now() + PATIENCE;
    let folder = format!("/proc/{pid}");
    while std::path::Path::new(&folder).exists() {
        assert!(Instant::now() < deadline, "process {pid} still runs");
        sleep(Duration::from_millis(10)).await;
    }
}
