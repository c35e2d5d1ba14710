//! Modern servers over HTTP: requests that say everything by themselves, without sessions.

use crate::web;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use toolwright_jsonrpc::Json;
use toolwright_mcp::http::params_headers;
use toolwright_mcp::{Era, RequestError, RequestOptions};
use toolwright_testkit::http::HttpServer;
use toolwright_testkit::http_habits::answer;
use toolwright_testkit::http_rmcp::{RmcpKind, RmcpServer};
use web::{call, met, options, until};

/// A server, and how many of its streams were closed by us.
async fn modern() -> (HttpServer, Arc<AtomicUsize>) {
    let closed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&closed);
    let server = HttpServer::start(move |asked, caller| {
        let count = Arc::clone(&count);
        async move {
            let id = asked.json("/id");
            match (asked.message().as_str(), asked.json("/params/name").as_str().unwrap_or_default()) {
                ("server/discover", _) => {
                    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}});
                    let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
                    caller.json(200, &[("Mcp-Session-Id", "unwanted")], &body).await;
                }
                ("tools/call", "hang") => {
                    let mut stream = caller.events(&[]).await;
                    stream.write(b": still here\n\n").await;
                    stream.gone().await;
                    count.fetch_add(1, Ordering::Relaxed);
                }
                ("tools/call", "cut") => {
                    let mut stream = caller.events(&[]).await;
                    stream.write(b"id: 1\nretry: 1\ndata:\n\n").await;
                }
                ("tools/call", _) => caller.json(200, &[], &answer(&id, "done")).await,
                _ => caller.answer(405, &[], "").await,
            }
        }
    })
    .await;
    (server, closed)
}

#[tokio::test]
async fn a_modern_request_says_in_headers_what_it_is_and_knows_no_session() {
    let (server, _) = modern().await;
    let peer = met(&server.url).await;
    assert_eq!((peer.era(), peer.revision()), (Era::Modern, "2026-07-28"));
    assert_eq!(call(&peer, "käse").await.expect("an answer"), "done");
    drop(peer);
    let seen = server.seen();
    assert!(seen.iter().all(|asked| asked.method == "POST"), "{seen:?}");
    for asked in &seen {
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-method"), Some(asked.message().as_str()));
        assert_eq!(asked.header("mcp-session-id"), None);
    }
    assert_eq!(seen[1].header("mcp-name"), Some("=?base64?a8Okc2U=?="));
}

#[tokio::test]
async fn closing_its_stream_is_how_a_modern_call_is_cancelled() {
    let (server, closed) = modern().await;
    let peer = met(&server.url).await;
    let short = RequestOptions { timeout: Some(Duration::from_millis(300)), ..RequestOptions::default() };
    let params = Json::parse(r#"{"name":"hang"}"#).expect("JSON");
    let error = peer.request("tools/call", Some(params), &short).await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    until("the stream is closed", || closed.load(Ordering::Relaxed) == 1).await;
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    assert!(server.messages("notifications/cancelled").is_empty());
}

#[tokio::test]
async fn a_modern_stream_that_is_cut_fails_its_call_alone() {
    let (server, _) = modern().await;
    let peer = met(&server.url).await;
    let error = call(&peer, "cut").await.unwrap_err();
    assert!(error.to_string().contains("ended its stream before the answer"), "{error}");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    assert!(server.seen().iter().all(|asked| asked.method == "POST"));
}

#[tokio::test]
async fn servers_on_the_official_sdk_are_spoken_to_in_every_form() {
    for (is_modern, has_sessions, prefers_json) in [
        (true, true, false),
        (true, false, true),
        (false, true, false),
        (false, false, false),
        (false, false, true),
    ] {
        let kind = RmcpKind { is_modern, has_sessions, prefers_json };
        let server = RmcpServer::start(kind).await;
        let peer = met(&server.url).await;
        let expected = if is_modern { (Era::Modern, "2026-07-28") } else { (Era::Legacy, "2025-11-25") };
        assert_eq!((peer.era(), peer.revision()), expected, "{kind:?}");
        let tools = peer.list("tools/list", "tools", &options()).await.expect("tools");
        assert_eq!(tools[0].get_text("name").as_deref(), Some("echo"), "{kind:?}");
        let schema = tools[0].get("inputSchema").expect("a schema");
        let texts = ["plain", "ä ö", " padded", ""];
        for text in texts {
            let arguments = Json::empty_object().with("text", &Json::text(text));
            let headers = params_headers(&schema, &arguments);
            assert_eq!(headers.len(), 1);
            let params = Json::empty_object().with("name", &Json::text("echo")).with("arguments", &arguments);
            let options = RequestOptions { headers, ..options() };
            let said = peer.request("tools/call", Some(params), &options).await.expect("an answer");
            assert!(said.as_str().contains(Json::text(text).as_str()), "{kind:?}: {said}");
        }
        assert!(peer.connection().closed().is_none());
    }
}
