//! How servers of both eras are met, whatever they say to the first question.

use crate::child;

use std::time::Duration;

use child::{Child, PATIENCE};
use toolwright_jsonrpc::Json;
use toolwright_mcp::{ConnectError, Era, Identity, Peer, PeerOptions, RequestOptions};

fn identity() -> Identity {
    Identity {
        client: Json::parse(r#"{"name":"toolwright","version":"0"}"#).expect("JSON"),
        capabilities: Json::parse(r#"{"roots":{}}"#).expect("JSON"),
    }
}

async fn met(child: &Child, known: Option<Era>) -> Result<Peer, ConnectError> {
    let probe = Duration::from_millis(300);
    let options = PeerOptions { probe, start: PATIENCE, known, ..PeerOptions::default() };
    Peer::connect(child.connection.clone(), identity(), &options).await
}

#[tokio::test]
async fn a_modern_server_is_asked_once_and_every_request_says_everything() {
    let child = Child::start(&["--modern"]);
    let peer = met(&child, None).await.expect("met");
    assert_eq!((peer.era(), peer.revision()), (Era::Modern, "2026-07-28"));
    assert_eq!(peer.instructions(), Some("be careful"));
    assert_eq!(peer.server().and_then(|server| server.get_text("name")).as_deref(), Some("hostile"));
    let params =
        Json::parse(r#"{"name":"plain","arguments":{"text":"x"},"_meta":{"x/own":1.0}}"#).expect("JSON");
    peer.request("tools/call", Some(params), &child::options()).await.expect("an answer");
    let asked = child.stderr.text();
    let call = asked.lines().find(|line| line.contains("tools/call")).expect("the call").to_owned();
    for said in [
        r#""x/own":1.0"#,
        r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#,
        r#""io.modelcontextprotocol/clientCapabilities":{"roots":{}}"#,
        r#""io.modelcontextprotocol/clientInfo":{"name":"toolwright","version":"0"}"#,
    ] {
        assert!(call.contains(said), "{call}");
    }
    assert!(!asked.contains("initialize"), "{asked}");
}

#[tokio::test]
async fn any_other_answer_means_a_legacy_server() {
    for flags in [&[][..], &["--silent-probe"], &["--answers-anything"]] {
        let child = Child::start(flags);
        let peer = met(&child, None).await.expect("met");
        assert_eq!((peer.era(), peer.revision()), (Era::Legacy, "2025-06-18"), "{flags:?}");
        assert_eq!(peer.instructions(), Some("be careful"));
        let params = Json::parse(r#"{"name":"plain","arguments":{"text":"x"}}"#).expect("JSON");
        peer.request("tools/call", Some(params), &child::options()).await.expect("an answer");
        let told = child.stderr.text();
        assert!(told.contains("notified: notifications/initialized"), "{told}");
        let call = told.lines().find(|line| line.contains("tools/call")).expect("the call");
        assert!(!call.contains("io.modelcontextprotocol"), "{call}");
    }
}

#[tokio::test]
async fn a_server_whose_era_is_known_is_not_asked_again() {
    let child = Child::start(&["--dies-on-probe"]);
    let error = met(&child, None).await.unwrap_err().to_string();
    assert!(error.contains("exit code 3") && error.contains("I only know initialize"), "{error}");
    let again = Child::start(&["--dies-on-probe"]);
    assert_eq!(met(&again, Some(Era::Legacy)).await.expect("met").era(), Era::Legacy);
}

#[tokio::test]
async fn revisions_that_nobody_here_knows_are_named() {
    for (flag, theirs) in [("--newer", "2031-01-01"), ("--unknown-revision", "1999-01-01")] {
        let error = met(&Child::start(&[flag]), None).await.unwrap_err();
        assert!(matches!(error, ConnectError::NoCommonRevision { .. }), "{error}");
        let said = error.to_string();
        assert!(
            said.contains(theirs) && said.contains("2026-07-28") && said.contains("2024-11-05"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn every_page_of_a_list_arrives_and_a_cursor_that_comes_again_ends_it() {
    let child = Child::start(&[]);
    let peer = met(&child, None).await.expect("met");
    let tools = peer.list("tools/list", "tools", &RequestOptions::default()).await.expect("tools");
    let names: Vec<String> = tools.iter().filter_map(|tool| tool.get_text("name")).collect();
    assert_eq!(names[..6], ["tool-0", "tool-1", "tool-2", "tool-3", "tool-4", "tool-5"]);
    // What the protocol does not know is kept to the byte.
    assert!(tools[3].as_str().ends_with(r#""x-vendor":{"n":3.0}}"#), "{}", tools[3]);
}
