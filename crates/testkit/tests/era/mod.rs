//! The server of both eras as a child of the test, and a host that remembers what it hears.

#![allow(dead_code, reason = "every test file uses its part of it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification, Request};
use toolwright_mcp::stdio::{ChildCommand, StartedChild, StderrRing, start};
use toolwright_mcp::{Answer, Connection, Era, Host, Identity, Peer, PeerOptions, RequestOptions};

/// Longer than anything here takes, so that a hang is a failure and not a wait.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What must arrive as it was sent.
pub const ODD: &str =
    r#"{"z":1.0,"a":12345678901234567890,"m":1e2,"\u00e9":"\u00e9\/","deep":[[ ],{ "b":-0 }]}"#;

pub const BOTH: [(&str, Era); 2] = [("--legacy", Era::Legacy), ("--modern", Era::Modern)];

/// Remembers what it hears and gives one answer to everything.
#[derive(Default)]
pub struct Listener {
    pub answer: Option<&'static str>,
    pub asked: Mutex<Vec<Request>>,
    pub told: Mutex<Vec<Notification>>,
}

impl Host for Listener {
    fn request(&self, request: Request) -> Answer<'_> {
        self.asked.lock().expect("no panic before").push(request);
        let answer = self.answer.map(json);
        Box::pin(async move { answer.ok_or_else(|| ErrorObject::new(METHOD_NOT_FOUND, "not here")) })
    }

    fn notified(&self, notification: Notification) {
        self.told.lock().expect("no panic before").push(notification);
    }
}

impl Listener {
    pub fn answering(answer: &'static str) -> Arc<Listener> {
        Arc::new(Listener { answer: Some(answer), ..Listener::default() })
    }

    /// Waits for a notification and gives its params.
    pub async fn heard(&self, method: &str) -> Json {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.told.lock().expect("no panic before").iter().find_map(|told| {
                (told.method == method).then(|| told.params.clone().unwrap_or_else(Json::empty_object))
            });
            if let Some(params) = found {
                return params;
            }
            assert!(Instant::now() < deadline, "nothing was heard of {method}");
            sleep(Duration::from_millis(5)).await;
        }
    }

    pub fn count(&self, method: &str) -> usize {
        self.told.lock().expect("no panic before").iter().filter(|told| told.method == method).count()
    }
}

pub fn json(text: &str) -> Json {
    Json::parse(text).expect("JSON")
}

pub fn options() -> RequestOptions {
    RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() }
}

pub fn command(args: &[&str]) -> ChildCommand {
    ChildCommand {
        program: env!("CARGO_BIN_EXE_era-server").into(),
        args: args.iter().map(Into::into).collect(),
        ..ChildCommand::default()
    }
}

pub fn identity() -> Identity {
    Identity { client: json(r#"{"name":"toolwright","version":"0"}"#), capabilities: json(r#"{"roots":{}}"#) }
}

/// A server that was met, and what it writes to stderr.
pub async fn met(args: &[&str], host: Arc<dyn Host>) -> (Peer, Arc<StderrRing>) {
    let StartedChild { link, stderr, .. } = start(&command(args)).expect("the server starts");
    let connection = Connection::open(link, host);
    let wait = PeerOptions { start: PATIENCE, ..PeerOptions::default() };
    (Peer::connect(connection, identity(), &wait).await.expect("met"), stderr)
}

/// Calls a tool.
pub async fn call(peer: &Peer, name: &str, arguments: &str) -> Json {
    let params = json(&format!(r#"{{"name":"{name}","arguments":{arguments}}}"#));
    peer.request("tools/call", Some(params), &options()).await.expect("an answer")
}
