//! A legacy server over Streamable HTTP with bad habits: what is well-formed arrives, and what is not
//! breaks nothing but its own call.

use crate::web;

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use toolwright_jsonrpc::Json;
use toolwright_mcp::http::HttpTarget;
use toolwright_mcp::{Era, NoHost, RequestError, RequestOptions};
use toolwright_testkit::http::{Asked, Caller, HttpServer};
use toolwright_testkit::http_habits::{HabitServer, answer, error};
use web::{Listener, PATIENCE, call, connect, met, options, target, until};

async fn server() -> HabitServer {
    HabitServer::start(404, "").await
}

#[tokio::test]
async fn every_well_formed_answer_arrives_however_it_is_sent() {
    let server = server().await;
    let peer = met(&server.url()).await;
    assert_eq!((peer.era(), peer.revision()), (Era::Legacy, "2025-06-18"));
    for habit in [
        "plain",
        "typeless",
        "with-charset",
        "batch",
        "spread-out",
        "byte-order-mark",
        "stream",
        "stream-stays-open",
        "split-at-every-byte",
        "noise",
        "asks",
        "polled",
        "cut-with-id",
    ] {
        let said = timeout(PATIENCE, call(&peer, habit)).await.expect("in time");
        assert_eq!(said.expect("an answer"), "done", "{habit}");
    }
    assert_eq!(peer.connection().in_flight(), 0);
    let noise = peer.connection().counts().last_noise;
    assert!(noise.iter().any(|noise| noise.shown.contains("this is no message")), "{noise:?}");
}

#[tokio::test]
async fn what_is_no_answer_fails_its_own_call_and_says_why() {
    let server = server().await;
    let peer = met(&server.url()).await;
    for (habit, said) in [
        ("cut", "ended its stream before the answer"),
        ("ended-early", "ended its stream before the answer"),
        ("cut-without-end", "could not be taken up again"),
        ("huge-stream", "larger than 16 MiB"),
        ("huge-body", "larger than 16 MiB"),
        ("deep", "nests deeper than 128 levels"),
        ("empty", "HTTP 200: nothing instead of an answer"),
        ("accepted", "HTTP 202: nothing instead of an answer"),
        ("page", "a web page, \"Bad gateway\" instead of an answer"),
        ("bad-gateway", "HTTP 502: a web page, \"Bad gateway\""),
        ("too-many", "HTTP 429: slow down"),
        ("wrong-id", "does not answer this request"),
        ("error-without-id", "bad things"),
        ("error-status", "broken inside"),
        ("drops-connection", "the connection broke"),
        ("half-body", "the connection broke"),
    ] {
        let error = timeout(PATIENCE, call(&peer, habit)).await.expect("in time").unwrap_err();
        assert!(error.to_string().contains(said), "{habit}: {error}");
        assert_eq!(call(&peer, "plain").await.expect("an answer"), "done", "after {habit}");
    }
    assert_eq!(call(&peer, "large-body").await.expect("an answer").len(), 8 << 20);
    // None of it was taken for a lost session.
    assert_eq!(server.begun(), 1);
    let error = call(&peer, "error-without-id").await.unwrap_err();
    assert!(matches!(&error, RequestError::Server(error) if error.number() == Some(-32602)), "{error:?}");
}

#[tokio::test]
async fn the_largest_answer_is_a_setting() {
    let server = server().await;
    let limited = async |bytes| {
        let target = HttpTarget { max_response_bytes: Some(bytes), ..target(&server.url()) };
        connect(target, Arc::new(NoHost)).await.expect("met")
    };
    let (small, large) = (limited(1 << 20).await, limited(20 << 20).await);
    for habit in ["huge-stream", "huge-body"] {
        let error = call(&small, habit).await.unwrap_err().to_string();
        assert!(error.contains("larger than 1 MiB"), "{habit}: {error}");
    }
    assert_eq!(call(&large, "huge-body").await.expect("an answer").len(), 17 << 20);
}

#[tokio::test]
async fn messages_say_their_session_and_revision_once_they_are_known() {
    let server = server().await;
    let peer = met(&server.url()).await;
    call(&peer, "plain").await.expect("an answer");
    let first = &server.http.messages("initialize")[0];
    assert_eq!(first.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!((first.header("mcp-session-id"), first.header("mcp-protocol-version")), (None, None));
    until("the stream is asked for", || server.http.seen().iter().any(|asked| asked.method == "GET")).await;
    for asked in server.http.seen() {
        if matches!(asked.message().as_str(), "initialize" | "server/discover") {
            continue;
        }
        assert_eq!(asked.header("mcp-session-id"), Some("session-1"), "{asked:?}");
        assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"), "{asked:?}");
        assert_eq!(asked.header("mcp-method"), None, "{asked:?}");
    }
    let order: Vec<String> = server.http.seen().iter().map(|asked| asked.message()).collect();
    let place = |method: &str| order.iter().position(|known| known == method);
    assert!(place("notifications/initialized") < place("tools/call"), "{order:?}");
}

#[tokio::test]
async fn a_cut_stream_is_taken_up_where_it_was_cut() {
    let server = server().await;
    let peer = met(&server.url()).await;
    assert_eq!(call(&peer, "polled").await.expect("an answer"), "done");
    let taken_up: Vec<String> = server
        .http
        .seen()
        .iter()
        .filter_map(|asked| asked.header("last-event-id").map(str::to_owned))
        .collect();
    let parts: Vec<&str> = taken_up.iter().filter_map(|id| Some(id.split_once('-')?.1)).collect();
    assert_eq!(parts, ["1", "2"]);
    assert_eq!(server.http.messages("tools/call").len(), 1, "it is not called again");
}

#[tokio::test]
async fn progress_in_a_stream_is_told_before_the_answer() {
    let server = server().await;
    let peer = met(&server.url()).await;
    let heard = Arc::new(Mutex::new(0));
    let listener = Arc::clone(&heard);
    let options =
        RequestOptions { on_progress: Some(Arc::new(move |_| *listener.lock().unwrap() += 1)), ..options() };
    let params = Json::parse(r#"{"name":"stream"}"#).expect("JSON");
    peer.request("tools/call", Some(params), &options).await.expect("an answer");
    assert_eq!(*heard.lock().unwrap(), 1);
}

#[tokio::test]
async fn what_the_server_says_by_itself_is_heard() {
    let server = server().await;
    let host = Arc::new(Listener::default());
    let _peer = connect(target(&server.url()), host.clone()).await.expect("met");
    until("it is heard", || host.heard("notifications/tools/list_changed") == 1).await;
}

#[tokio::test]
async fn a_lost_session_is_begun_anew_in_place_whatever_the_server_says_of_it() {
    for (status, said) in [
        (404, ""),
        (404, "Not Found"),
        (404, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#),
        (400, "Bad Request: No valid session ID provided"),
        (400, "Unknown session"),
        (
            400,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Missing session ID"}}"#,
        ),
        (
            400,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#,
        ),
        (401, "invalid session"),
        (410, "session expired"),
        (422, "Unexpected message, expect initialize request; no session"),
        (0, "Session not found"),
        (0, "Server not initialized"),
    ] {
        let server = HabitServer::start(status, said).await;
        let peer = met(&server.url()).await;
        for round in 1..=3 {
            assert_eq!(call(&peer, "plain").await.expect("an answer"), "done", "{status} {said}");
            assert_eq!(server.begun(), round, "{status} {said}");
            server.forget();
        }
        assert!(peer.connection().closed().is_none());
        let confirmed = server.http.messages("notifications/initialized");
        assert_eq!(confirmed.len(), 3);
        assert_eq!(confirmed[2].header("mcp-session-id"), Some("session-3"));
    }
}

#[tokio::test]
async fn requests_that_meet_the_same_loss_begin_one_session() {
    let server = server().await;
    let host = Arc::new(Listener::default());
    let peer = connect(target(&server.url()), host.clone()).await.expect("met");
    until("it is heard", || host.heard("notifications/tools/list_changed") == 1).await;
    server.forget();
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let peer = peer.clone();
            tokio::spawn(async move { call(&peer, "plain").await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.expect("done").expect("an answer"), "done");
    }
    assert_eq!(server.begun(), 2);
    // Its lists may have changed, and it is listened to again.
    until("it is heard", || host.heard("notifications/tools/list_changed") == 3).await;
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server_and_its_connection_closed() {
    let server = server().await;
    let peer = met(&server.url()).await;
    let short = RequestOptions { timeout: Some(Duration::from_millis(200)), ..RequestOptions::default() };
    let params = Json::parse(r#"{"name":"hang"}"#).expect("JSON");
    let error = peer.request("tools/call", Some(params), &short).await.unwrap_err();
    assert!(matches!(error, RequestError::TimedOut(_)), "{error}");
    until("it is told", || server.http.messages("notifications/cancelled").len() == 1).await;
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
}

#[tokio::test]
async fn a_session_ends_with_its_last_user() {
    let server = server().await;
    let peer = met(&server.url()).await;
    assert_eq!(server.sessions(), 1);
    drop(peer);
    until("the session is ended", || server.sessions() == 0).await;
}

#[tokio::test]
async fn a_request_that_loses_every_session_is_tried_once_more_and_no_other_suffers() {
    let server = server().await;
    let peer = met(&server.url()).await;
    let error = call(&peer, "forgets").await.unwrap_err();
    assert!(matches!(error, RequestError::Http { status: 404, .. }), "{error:?}");
    assert_eq!(server.begun(), 2);
    assert_eq!(server.http.messages("tools/call").len(), 2);
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
}

/// A server that was begun with; `then` answers everything that follows.
async fn begun<F>(then: impl Fn(Asked, Caller) -> F + Send + Sync + Copy + 'static) -> HttpServer
where
    F: Future<Output = ()> + Send + 'static,
{
    HttpServer::start(move |asked, caller| async move {
        match (asked.message().as_str(), asked.json("/id")) {
            ("initialize", id) => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}});
                let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
                caller.json(200, &[("mcp-session-id", "one")], &body).await;
            }
            ("server/discover", id) => caller.json(200, &[], &error(&id, -32601, "no")).await,
            _ => then(asked, caller).await,
        }
    })
    .await
}

#[tokio::test]
async fn the_servers_own_stream_is_taken_up_where_it_was_cut() {
    let server = begun(|asked, caller| async move {
        match (asked.method.as_str(), asked.header("last-event-id")) {
            ("GET", None) => {
                let mut stream = caller.events(&[]).await;
                stream.write(b"id: a\nretry: 20\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x/one\"}\n\n").await;
            }
            ("GET", Some("a")) => {
                let mut stream = caller.events(&[]).await;
                stream.write(b"id: b\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x/two\"}\n\n").await;
                stream.gone().await;
            }
            _ => caller.answer(202, &[], "").await,
        }
    })
    .await;
    let host = Arc::new(Listener::default());
    let _peer = connect(target(&server.url), host.clone()).await.expect("met");
    until("both are heard", || host.heard("x/one") == 1 && host.heard("x/two") == 1).await;
}

#[tokio::test]
async fn a_server_that_answers_what_nobody_asked_holds_nothing_back() {
    let server = begun(|asked, caller| async move {
        match asked.message().as_str() {
            "notifications/initialized" => {
                let mut stream = caller.events(&[]).await;
                stream.message(r#"{"jsonrpc":"2.0","method":"x/heard"}"#).await;
                stream.gone().await;
            }
            "tools/call" => caller.json(200, &[], &answer(&asked.json("/id"), "done")).await,
            _ => caller.answer(405, &[], "").await,
        }
    })
    .await;
    let host = Arc::new(Listener::default());
    let peer = connect(target(&server.url), host.clone()).await.expect("met");
    let said = timeout(Duration::from_secs(8), call(&peer, "plain")).await.expect("not held back");
    assert_eq!(said.expect("an answer"), "done");
    until("it is heard", || host.heard("x/heard") == 1).await;
}

#[tokio::test]
async fn a_session_that_cannot_be_begun_anew_is_the_end() {
    static SHUT: AtomicBool = AtomicBool::new(false);
    let server = HttpServer::start(|asked, caller| async move {
        match asked.message().as_str() {
            "initialize" if !SHUT.swap(true, Ordering::Relaxed) => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {}});
                let body = json!({"jsonrpc": "2.0", "id": asked.json("/id"), "result": result}).to_string();
                caller.json(200, &[("mcp-session-id", "one")], &body).await;
            }
            "notifications/initialized" => caller.answer(202, &[], "").await,
            "tools/call" => caller.answer(404, &[], "").await,
            _ => caller.answer(503, &[], "closing down").await,
        }
    })
    .await;
    let peer = met(&server.url).await;
    let error = call(&peer, "plain").await.unwrap_err();
    assert!(matches!(error, RequestError::Closed(_)), "{error:?}");
    assert!(
        error.to_string().contains("could not be begun anew: the server answered with HTTP 503"),
        "{error}"
    );
}
