//! A server that speaks both families of the protocol is met in the family of each client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use tokio::net::TcpListener;
use toolwright_endpoints::{Endpoint, GatewayOptions};
use toolwright_jsonrpc::{Json, Message};
use toolwright_mcp::front::Service;
use toolwright_mcp::{Era, Filter};

use crate::stage::*;

const ANSWER: &str = r#"{"action":"accept","content":{"username":"ada","email":"a@b.c"}}"#;
const ELICITED: &str = r#"User response: action=accept, content={"username":"ada","email":"a@b.c"}"#;

/// The stage over one server, ready, and its service.
async fn one_entry(entry: &str) -> (Stage, Arc<dyn Service>) {
    let text = format!(r#"{{"mcpServers": {{"one": {entry}}}}}"#);
    let stage = staged(&text, GatewayOptions::default()).await;
    assert!(stage.servers.settled(PATIENCE).await, "{:?}", stage.servers.views());
    let service = stage.service(&Endpoint::Toolbox("default".into()));
    (stage, service)
}

fn family(stage: &Stage) -> Option<String> {
    stage.servers.views().remove(0).era
}

async fn elicits(service: &Arc<dyn Service>, era: Era) -> Json {
    let script = Script::new(era, 1).answering(ANSWER);
    script.call(service, "test_elicitation", r#"{"message":"Who?"}"#).await
}

#[tokio::test]
async fn over_http_each_client_meets_it_in_its_own_family() {
    let (_child, url) = over_http(CONFORMANCE_SERVER, &[]).await;
    let (stage, service) = one_entry(&format!(r#"{{"url": "{url}"}}"#)).await;
    assert_eq!(family(&stage).as_deref(), Some("modern"));
    assert_eq!(text(&elicits(&service, Era::Legacy).await), ELICITED);
    let all = stage.service(&Endpoint::All);
    let script = Script::new(Era::Legacy, 2).answering(ANSWER);
    let result = script.call(&all, "one__test_elicitation", r#"{"message":"Who?"}"#).await;
    assert_eq!(text(&result), ELICITED);
    // A log message comes without being asked for, as it does without a gateway.
    script.call(&service, "test_tool_with_logging", "{}").await;
    assert_eq!(script.told("notifications/message").len(), 3);
    // What a legacy server says of itself is what a legacy client gets.
    let about = service.about(&script.client).await.expect("it says");
    assert!(about.extra.iter().any(|(key, _)| key == "protocolVersion"), "{:?}", about.extra);
    // A modern client has the modern family at the same time.
    let modern = Script::new(Era::Modern, 3);
    let asked = modern.call(&service, "test_input_required_result_elicitation", "{}").await;
    assert_eq!(asked.get_text("resultType").as_deref(), Some("input_required"), "{asked}");
    assert_eq!(text(&elicits(&service, Era::Legacy).await), ELICITED, "and both go on");
    // Each hears of a resource as its own family does.
    let filter = Filter { uris: vec!["test://watched-resource".into()], ..Filter::default() };
    for script in [script, modern] {
        assert_eq!(script.listen(&service, filter.clone()).await.granted.uris, filter.uris);
    }
}

#[tokio::test]
async fn a_server_of_one_family_is_met_in_it_by_all() {
    for (flag, expected) in [("--legacy", "legacy"), ("--modern", "modern")] {
        let (_child, url) = over_http(CONFORMANCE_SERVER, &[flag]).await;
        for entry in [format!(r#"{{"url": "{url}"}}"#), entry(CONFORMANCE_SERVER, &[flag])] {
            let (stage, service) = one_entry(&entry).await;
            assert_eq!(family(&stage).as_deref(), Some(expected), "{entry}");
            for era in [Era::Legacy, Era::Modern] {
                if flag == "--modern" && era == Era::Modern {
                    // A modern client gets the question itself.
                    continue;
                }
                assert_eq!(text(&elicits(&service, era).await), ELICITED, "{entry} {era:?}");
            }
        }
    }
}

#[tokio::test]
async fn one_process_serves_both_families_however_slowly_it_starts() {
    for wait in ["0", "3"] {
        let script = format!("sleep {wait}; exec {CONFORMANCE_SERVER}");
        // The probe of the stage is shorter than the wait.
        let (stage, service) = one_entry(&entry("/bin/sh", &["-c", &script])).await;
        assert_eq!(family(&stage).as_deref(), Some("legacy"), "after {wait} s");
        for era in [Era::Legacy, Era::Modern] {
            assert_eq!(text(&elicits(&service, era).await), ELICITED, "after {wait} s, {era:?}");
        }
    }
}

#[tokio::test]
async fn the_configuration_pins_the_family() {
    let (_child, url) = over_http(CONFORMANCE_SERVER, &[]).await;
    let command = Json::text(CONFORMANCE_SERVER);
    for pinned in ["legacy", "modern"] {
        for place in [format!(r#""url": "{url}""#), format!(r#""command": {command}"#)] {
            let (stage, service) = one_entry(&format!(r#"{{{place}, "protocol": "{pinned}"}}"#)).await;
            assert_eq!(family(&stage).as_deref(), Some(pinned), "{place}");
            let script = Script::new(Era::Legacy, 1).answering(ANSWER);
            let params = r#"{"name":"test_elicitation","arguments":{"message":"Who?"}}"#;
            let result = script.ask(&service, "tools/call", params).await;
            // Over HTTP the SDK has no way back to the client in the modern family.
            let has_way_back = pinned == "legacy" || place.contains("command");
            assert_eq!(result.is_ok(), has_way_back, "{place}: {result:?}");
        }
    }
    let text = format!(
        r#"{{"mcpServers": {{"one": {{"command": {command}, "args": ["--legacy"], "protocol": "modern"}}}}}}"#
    );
    let stage = staged(&text, GatewayOptions::default()).await;
    until("a reason", || {
        let error = stage.servers.views().remove(0).last_error;
        error.is_some_and(|error| error.contains("does not speak a modern revision"))
    })
    .await;
}

/// Answers `server/discover` and lists after a while, and refuses everything that is not modern.
async fn slow_answer(State(was_initialized): State<Arc<AtomicBool>>, body: String) -> Response {
    let Ok(Message::Request(asked)) = Message::parse(&body) else {
        return Response::builder().status(202).body(Body::empty()).expect("an answer");
    };
    let said = match asked.method.as_str() {
        "server/discover" => {
            tokio::time::sleep(Duration::from_secs(3)).await;
            r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}"#
        }
        "initialize" => {
            was_initialized.store(true, Ordering::SeqCst);
            r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#
        }
        _ => r#""result":{"resultType":"complete","tools":[]}"#,
    };
    let message = format!(r#"{{"jsonrpc":"2.0","id":{},{said}}}"#, asked.id);
    Response::builder()
        .header("content-type", "application/json")
        .body(Body::from(message))
        .expect("an answer")
}

#[tokio::test]
async fn a_server_behind_an_address_is_modern_however_slowly_it_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let was_initialized: Arc<AtomicBool> = Arc::default();
    let app = Router::new().route("/mcp", post(slow_answer)).with_state(Arc::clone(&was_initialized));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let (stage, _service) = one_entry(&format!(r#"{{"url": "{url}"}}"#)).await;
    assert_eq!(family(&stage).as_deref(), Some("modern"));
    assert!(!was_initialized.load(Ordering::SeqCst), "no legacy client has asked yet");
}
