//! What the tests over HTTP share.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolwright_jsonrpc::{Json, Notification, Request};
use toolwright_mcp::http::{HttpKind, HttpTarget, open};
use toolwright_mcp::{
    Answer, ConnectError, Connection, Era, Host, Identity, NoHost, Peer, PeerOptions, RequestError,
    RequestOptions,
};

/// Longer than anything should take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub fn target(url: &str) -> HttpTarget {
    HttpTarget {
        url: url.into(),
        headers: Vec::new(),
        kind: HttpKind::Auto,
        authorizer: None,
        max_response_bytes: None,
    }
}

pub fn identity() -> Identity {
    Identity {
        client: Json::parse(r#"{"name":"toolwright","version":"0"}"#).expect("JSON"),
        capabilities: Json::empty_object(),
    }
}

/// Remembers the methods of what it is told.
#[derive(Default)]
pub struct Listener(Mutex<Vec<String>>);

impl Host for Listener {
    fn request(&self, request: Request) -> Answer<'_> {
        NoHost.request(request)
    }

    fn notified(&self, notification: Notification) {
        self.0.lock().expect("no panic").push(notification.method);
    }
}

impl Listener {
    pub fn heard(&self, method: &str) -> usize {
        self.0.lock().expect("no panic").iter().filter(|known| *known == method).count()
    }
}

pub fn options() -> RequestOptions {
    RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() }
}

pub async fn connect(target: HttpTarget, host: Arc<dyn Host>) -> Result<Peer, ConnectError> {
    connect_as(target, host, None).await
}

pub async fn connect_as(
    target: HttpTarget,
    host: Arc<dyn Host>,
    known: Option<Era>,
) -> Result<Peer, ConnectError> {
    let connection = Connection::open(open(target), host);
    let options = PeerOptions { probe: PATIENCE, start: PATIENCE, known, ..PeerOptions::default() };
    Peer::connect(connection, identity(), &options).await
}

pub async fn met(url: &str) -> Peer {
    connect(target(url), Arc::new(NoHost)).await.expect("met")
}

pub async fn call(peer: &Peer, tool: &str) -> Result<String, RequestError> {
    let params =
        Json::empty_object().with("name", &Json::text(tool)).with("arguments", &Json::empty_object());
    let result = peer.request("tools/call", Some(params), &options()).await?;
    let content = result.get("content").and_then(|content| content.items()).unwrap_or_default();
    Ok(content.first().and_then(|part| part.get_text("text")).unwrap_or_else(|| result.to_string()))
}

/// Waits until something is so.
pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        sleep(Duration::from_millis(5)).await;
    }
}
