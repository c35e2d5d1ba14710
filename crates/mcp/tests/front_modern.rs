//! Modern clients over HTTP.

mod front_support;

use std::sync::atomic::Ordering;

use front_support::*;
use http::StatusCode;

#[tokio::test]
async fn a_plain_call_is_answered_with_json() {
    let house = House::new();
    let response = house.modern("tools/call", r#""name":"echo","arguments":{"a":1.0}"#).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert!(!response.headers().contains_key("mcp-session-id"));
    assert_eq!(
        body(response).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"echo"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}},"resultType":"complete"}}"#
    );
    let seen = house.service.last();
    assert_eq!(seen.params.unwrap().as_str(), r#"{"name":"echo","arguments":{"a":1.0}}"#);
    assert_eq!(seen.client.capabilities.as_str(), r#"{"elicitation":{}}"#);
    assert_eq!((seen.client.session, seen.client.revision.as_str()), (None, "2026-07-28"));
    until("nothing is in flight", || house.fronts.counts().requests_in_flight == 0).await;
}

#[tokio::test]
async fn discover_says_what_there_is() {
    let house = House::new();
    let said = body_json(house.modern("server/discover", "").await).await.get("result").unwrap();
    assert_eq!(
        said.get("supportedVersions").unwrap().as_str(),
        r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#
    );
    assert_eq!(said.get("capabilities").unwrap().as_str(), r#"{"tools":{"listChanged":true}}"#);
    assert_eq!(said.get_text("resultType").as_deref(), Some("complete"));
    assert_eq!(said.get_text("cacheScope").as_deref(), Some("private"));
    assert_eq!(said.get_text("instructions").as_deref(), Some("Use it."));
    assert!(said.get("ttlMs").is_some());
    assert_eq!(said.get("vendor").unwrap().as_str(), "1.0");
    let server = said.get("_meta").unwrap().get("io.modelcontextprotocol/serverInfo").unwrap();
    assert_eq!(server.as_str(), r#"{"name":"scripted","version":"1"}"#);
}

#[tokio::test]
async fn progress_makes_the_answer_a_stream() {
    let house = House::new();
    let params = r#""name":"progress","arguments":{}"#;
    let response = house.modern_with(5, "tools/call", params, "{}", r#""progressToken":"t""#).await;
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert!(response.headers()["cache-control"].to_str().unwrap().contains("no-cache"));
    let events = Stream::of(response).rest().await;
    assert!(events.iter().all(|event| event.id.is_none()), "modern streams are not taken up again");
    let told: Vec<_> = events.iter().map(|event| event.json()).collect();
    assert_eq!(told.len(), 3);
    assert_eq!(told[0].get("params").unwrap().as_str(), r#"{"progressToken":"t","progress":1}"#);
    assert_eq!(told[2].get("id").unwrap().as_str(), "5");
    assert!(told[2].get("result").is_some());
}

#[tokio::test]
async fn who_wants_no_progress_hears_none() {
    let house = House::new();
    let response = house.modern("tools/call", r#""name":"progress","arguments":{}"#).await;
    assert!(!is_stream(&response));
}

#[tokio::test]
async fn closing_the_stream_ends_the_work() {
    let house = House::new();
    let params = r#""name":"progress-then-wait","arguments":{}"#;
    let response = house.modern_with(5, "tools/call", params, "{}", r#""progressToken":1"#).await;
    let mut stream = Stream::of(response);
    assert!(stream.next().await.is_some());
    assert_eq!(house.fronts.counts().requests_in_flight, 1);
    drop(stream);
    until("the call is dropped", || house.service.dropped.load(Ordering::SeqCst) == 1).await;
    until("nothing is in flight", || house.fronts.counts().requests_in_flight == 0).await;
}
