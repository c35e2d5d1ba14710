//! How a server is found, what stands in the way, and what becomes of it.

use crate::web;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::timeout;
use toolwright_mcp::http::{Authorizer, BoxFuture, HttpKind, HttpTarget};
use toolwright_mcp::{ConnectError, Era, NoHost, RequestError};
use toolwright_testkit::http::HttpServer;
use toolwright_testkit::{http_habits, http_sse};
use toolwright_toolbox::{HttpConnector, Policy, Supervisor};
use web::{PATIENCE, call, connect, connect_as, identity, met, target, until};

async fn refused(target: HttpTarget) -> RequestError {
    match timeout(PATIENCE, connect(target, Arc::new(NoHost))).await.expect("in time") {
        Err(ConnectError::Failed(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_with_sse_is_found_by_its_refusal() {
    let server = http_sse::start("/messages?session=1").await;
    for kind in [HttpKind::Auto, HttpKind::Sse] {
        let target = HttpTarget { kind, ..target(&format!("{}/sse", server.url)) };
        let peer = connect(target, Arc::new(NoHost)).await.expect("met");
        assert_eq!((peer.era(), peer.revision()), (Era::Legacy, "2024-11-05"));
        assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
        let error = call(&peer, "huge").await.unwrap_err();
        assert!(error.to_string().contains("larger than 16 MiB"), "{error}");
        assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
        let error = call(&peer, "ends-stream").await.unwrap_err();
        assert!(error.to_string().contains("ended its stream"), "{error}");
        assert!(peer.connection().closed().is_some());
    }
    assert!(server.seen().iter().any(|asked| asked.path == "/messages?session=1"));
}

#[tokio::test]
async fn messages_go_nowhere_but_to_the_server_itself() {
    let server = http_sse::start("http://192.0.2.1/messages").await;
    let target = HttpTarget { kind: HttpKind::Sse, ..target(&format!("{}/sse", server.url)) };
    let error = refused(target).await.to_string();
    assert!(error.contains("another place") && error.contains("192.0.2.1"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_no_server_of_the_protocol_says_so() {
    let server = HttpServer::start(|_, caller| async move {
        caller.answer(404, &[("content-type", "text/html")], "<html><title>Not here</title></html>").await;
    })
    .await;
    for kind in [HttpKind::Auto, HttpKind::Streamable, HttpKind::Sse] {
        let error = refused(HttpTarget { kind, ..target(&server.url) }).await.to_string();
        assert!(error.contains("HTTP 404: a web page, \"Not here\""), "{error}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_gone_for_a_reason() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let plain = HttpServer::start(|_, caller| async move { caller.answer(200, &[], "").await }).await;
    for (url, said) in [
        (format!("http://{address}/mcp"), format!("nothing listens on port {} of 127.0.0.1", address.port())),
        ("http://no-such-host.invalid/mcp".to_owned(), "no-such-host.invalid".to_owned()),
        (plain.url.replace("http:", "https:"), "no safe connection to 127.0.0.1".to_owned()),
        ("not an address".to_owned(), "\"not an address\" is no address".to_owned()),
        ("file:///etc/passwd".to_owned(), "is no address".to_owned()),
    ] {
        let error = refused(target(&url)).await;
        assert!(matches!(error, RequestError::Closed(_)), "{url}: {error:?}");
        assert!(error.to_string().contains(&said), "{url}: {error}");
    }
    let headers = vec![("bad name".to_owned(), "x".to_owned())];
    let error = refused(HttpTarget { headers, ..target(&plain.url) }).await.to_string();
    assert!(error.contains("\"bad name\" is no valid header"), "{error}");
}

/// Wants this token.
async fn guarded(token: &'static str) -> HttpServer {
    HttpServer::start(move |asked, caller| async move {
        if asked.header("authorization") != Some(&format!("Bearer {token}")) {
            let challenge = r#"Bearer resource_metadata="https://example.com/meta""#;
            return caller.answer(401, &[("WWW-Authenticate", challenge)], "token please").await;
        }
        let id = asked.json("/id");
        match asked.message().as_str() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {}});
                let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
                caller.json(200, &[], &body).await;
            }
            "tools/call" => caller.json(200, &[], &http_habits::answer(&id, "done")).await,
            "notifications/initialized" => caller.answer(202, &[], "").await,
            _ => caller.answer(405, &[], "").await,
        }
    })
    .await
}

#[derive(Default)]
struct Login {
    token: Mutex<Option<String>>,
    challenges: Mutex<Vec<(u16, Option<String>)>>,
    gives: Option<String>,
}

impl Authorizer for Login {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, RequestError>> {
        Box::pin(async { Ok(self.token.lock().expect("no panic").clone()) })
    }

    fn challenged(&self, status: u16, told: Option<String>) -> BoxFuture<'_, Result<bool, RequestError>> {
        Box::pin(async move {
            self.challenges.lock().expect("no panic").push((status, told));
            *self.token.lock().expect("no panic") = self.gives.clone();
            Ok(true)
        })
    }
}

#[tokio::test]
async fn a_login_is_asked_for_when_the_server_wants_one() {
    let server = guarded("right").await;
    let login = Arc::new(Login { gives: Some("right".into()), ..Login::default() });
    let with_login = HttpTarget { authorizer: Some(login.clone()), ..target(&server.url) };
    let peer = connect(with_login, Arc::new(NoHost)).await.expect("met");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    let challenges = login.challenges.lock().unwrap().clone();
    assert_eq!(challenges.len(), 1, "{challenges:?}");
    assert_eq!(challenges[0].0, 401);
    assert!(challenges[0].1.as_ref().is_some_and(|told| told.contains("resource_metadata")));
}

#[tokio::test]
async fn a_server_that_takes_no_login_is_not_asked_for_ever() {
    let server = guarded("right").await;
    let login = Arc::new(Login { gives: Some("wrong".into()), ..Login::default() });
    let with_login = HttpTarget { authorizer: Some(login.clone()), ..target(&server.url) };
    let error = refused(with_login).await;
    assert!(matches!(error, RequestError::Unauthorized(_)), "{error:?}");
    assert!(server.seen().len() <= 4, "{}", server.seen().len());
    // A server with SSE wants one before its stream.
    let kind = HttpKind::Sse;
    let error = refused(HttpTarget { kind, ..target(&server.url) }).await;
    assert!(matches!(error, RequestError::Unauthorized(_)), "{error:?}");
    // Without anybody who knows the login it is asked once.
    let error = refused(target(&format!("{}/x?key=secret", server.url))).await.to_string();
    assert!(error.contains(&format!("{}/x refuses", server.url)), "{error}");
    assert!(error.contains("HTTP 401 (token please)") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn headers_of_the_configuration_are_on_every_request() {
    let server = guarded("static").await;
    let headers = vec![("Authorization".to_owned(), "Bearer static".to_owned())];
    let peer = connect(HttpTarget { headers, ..target(&server.url) }, Arc::new(NoHost)).await.expect("met");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
}

#[tokio::test]
async fn a_redirect_is_followed_on_the_same_server_only() {
    let elsewhere = guarded("static").await;
    let other = elsewhere.url.clone();
    let server = HttpServer::start(move |asked, caller| {
        let other = other.clone();
        async move {
            match asked.path.as_str() {
                "/away" => caller.answer(307, &[("Location", &format!("{other}/mcp"))], "").await,
                "/round" => caller.answer(308, &[("Location", "/round")], "").await,
                "/mcp" => caller.answer(307, &[("Location", "/mcp/")], "").await,
                _ => {
                    let body = http_habits::error(&asked.json("/id"), -32601, &asked.message());
                    caller.json(200, &[], &body).await;
                }
            }
        }
    })
    .await;
    let headers = vec![("Authorization".to_owned(), "Bearer static".to_owned())];
    let at = |path: &str| HttpTarget { headers: headers.clone(), ..target(&format!("{}{path}", server.url)) };
    let error = refused(at("/away")).await.to_string();
    assert!(error.contains(&format!("points to {}/mcp", elsewhere.url)), "{error}");
    assert!(elsewhere.seen().is_empty());
    assert!(refused(at("/round")).await.to_string().contains("without end"));
    // The message arrives with its body.
    assert!(
        matches!(refused(at("/mcp")).await, RequestError::Server(error) if error.message == "initialize")
    );
}

#[tokio::test]
async fn a_server_that_is_silent_to_the_first_question_is_asked_the_second() {
    let asked_twice = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked_twice);
    let server = HttpServer::start(move |asked, mut caller| {
        let count = Arc::clone(&count);
        async move {
            match asked.message().as_str() {
                "server/discover" => caller.gone().await,
                _ => {
                    count.fetch_add(1, Ordering::Relaxed);
                    let body = http_habits::error(&asked.json("/id"), -32601, "no");
                    caller.json(200, &[], &body).await;
                }
            }
        }
    })
    .await;
    let connection =
        toolwright_mcp::Connection::open(toolwright_mcp::http::open(target(&server.url)), Arc::new(NoHost));
    let probe = std::time::Duration::from_millis(300);
    let options =
        toolwright_mcp::PeerOptions { probe, start: PATIENCE, ..toolwright_mcp::PeerOptions::default() };
    let met = toolwright_mcp::Peer::connect(connection, identity(), &options).await;
    assert!(matches!(met, Err(ConnectError::Failed(RequestError::Server(_)))), "{met:?}");
    assert_eq!(asked_twice.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_server_whose_era_is_known_is_initialized_at_once() {
    let server = http_habits::HabitServer::start(404, "").await;
    let peer = connect_as(target(&server.url()), Arc::new(NoHost), Some(Era::Legacy)).await.expect("met");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    assert!(server.http.messages("server/discover").is_empty());
}

#[tokio::test]
async fn a_server_that_comes_back_is_found_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let serve = |listener| {
        HttpServer::start_on(listener, |asked, caller| async move {
            let id = asked.json("/id");
            match asked.message().as_str() {
                "server/discover" => {
                    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
                    caller
                        .json(200, &[], &json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
                        .await;
                }
                _ => caller.json(200, &[], &http_habits::answer(&id, "done")).await,
            }
        })
    };
    let server = serve(listener);
    let connector = HttpConnector {
        name: "remote".into(),
        target: target(&format!("http://{address}/mcp")),
        identity: identity(),
        options: toolwright_mcp::PeerOptions::default(),
        host: Arc::new(NoHost),
        secrets: Vec::new(),
    };
    let policy = Policy { base_delay: std::time::Duration::from_millis(20), ..Policy::default() };
    let supervisor = Supervisor::start(Arc::new(connector), policy);
    let peer = supervisor.peer(PATIENCE).await.expect("ready");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    drop(server);
    until("its port is free", || std::net::TcpListener::bind(address).is_ok()).await;
    let error = call(&peer, "plain").await.unwrap_err();
    assert!(matches!(error, RequestError::Closed(_)), "{error:?}");
    assert!(error.to_string().contains("nothing listens on port"), "{error}");
    let _server = serve(TcpListener::bind(address).await.expect("the same port"));
    let peer = supervisor.peer(PATIENCE).await.expect("ready again");
    assert_eq!(call(&peer, "plain").await.expect("an answer"), "done");
    assert_eq!(supervisor.snapshot().restarts, 1);
}

#[tokio::test]
async fn calls_at_once_get_their_own_answers() {
    let server = http_habits::HabitServer::start(404, "").await;
    let peer = met(&server.url()).await;
    let calls: Vec<_> = (0..100)
        .map(|number| {
            let peer = peer.clone();
            tokio::spawn(async move {
                let habit = format!("nobody-{number}");
                (call(&peer, &habit).await.unwrap_err().to_string(), habit)
            })
        })
        .collect();
    for call in calls {
        let (error, habit) = call.await.expect("done");
        assert_eq!(error, format!("no tool {habit}"));
    }
}
