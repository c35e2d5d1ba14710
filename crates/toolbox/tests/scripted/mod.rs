//! A server that does as it is told, without a process and without a clock.

#![allow(dead_code, reason = "every test file uses its part of it")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::Found;
use toolwright_jsonrpc::{Json, Message, Notification, Response};
use toolwright_mcp::{
    Closed, Connection, Ending, Event, Identity, Link, NoHost, Outgoing, Peer, PeerOptions, RequestOptions,
};
use toolwright_toolbox::{
    ConnectFailure, Connected, Connecting, Connector, FailureCause, ServerFailure, Supervisor, TransportKind,
};

pub const LONG: Duration = Duration::from_secs(3600);

/// A server that fails as often as it is told to and then answers, until it is ended.
#[derive(Default)]
pub struct Scripted {
    pub failures: AtomicU32,
    pub is_lasting: bool,
    /// When each attempt began.
    pub attempts: Mutex<Vec<Instant>>,
    /// Ends the server that runs.
    pub running: Mutex<Option<CancellationToken>>,
    pub habits: Arc<Habits>,
}

/// What the server does besides answering.
#[derive(Default)]
pub struct Habits {
    /// How many requests it does not answer.
    pub silent: AtomicU32,
    /// Its tools, by name; `null` instead of a list when it has lost them.
    pub has_lost_tools: AtomicBool,
    pub tools: AtomicU32,
    /// Every method that was asked.
    pub asked: Mutex<Vec<String>>,
    /// Says that the tools changed.
    pub change: Notify,
}

impl Habits {
    pub fn count(&self, method: &str) -> usize {
        self.asked.lock().expect("no panic before").iter().filter(|asked| *asked == method).count()
    }

    fn answer(&self, method: &str) -> Option<Json> {
        self.asked.lock().expect("no panic before").push(method.to_owned());
        let left = self.silent.load(Ordering::SeqCst);
        if left > 0 {
            self.silent.store(left - 1, Ordering::SeqCst);
            return None;
        }
        let names: Vec<String> = (0..self.tools.load(Ordering::SeqCst))
            .map(|number| format!(r#"{{"name":"t{number}"}}"#))
            .collect();
        let tools = match self.has_lost_tools.load(Ordering::SeqCst) {
            true => "null".to_owned(),
            false => format!("[{}]", names.join(",")),
        };
        let result = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"asked":"{method}","tools":{tools}}}"#
        );
        Some(Json::parse(&result).expect("JSON"))
    }
}

impl Scripted {
    pub fn failing(failures: u32) -> Arc<Scripted> {
        Arc::new(Scripted { failures: AtomicU32::new(failures), ..Scripted::default() })
    }

    pub fn waits(&self) -> Vec<u64> {
        let attempts = self.attempts.lock().expect("no panic before");
        attempts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect()
    }

    pub fn crash(&self) {
        self.running.lock().expect("no panic before").take().expect("a server runs").cancel();
    }
}

impl Connector for Scripted {
    fn connect(&self, _: Option<toolwright_mcp::Era>) -> Connecting<'_> {
        Box::pin(async move {
            self.attempts.lock().expect("no panic before").push(Instant::now());
            let left = self.failures.load(Ordering::SeqCst);
            if left > 0 {
                self.failures.store(left - 1, Ordering::SeqCst);
                let (message, stderr) = ("broker unreachable".to_owned(), "ECONNREFUSED".to_owned());
                let failure = ServerFailure { cause: FailureCause::Unreachable, message, stderr };
                return Err(ConnectFailure { failure, is_lasting: self.is_lasting });
            }
            let (link, crash) = answering_server(Arc::clone(&self.habits));
            *self.running.lock().expect("no panic before") = Some(crash);
            let connection = Connection::open(link, Arc::new(NoHost));
            let identity = Identity { client: Json::empty_object(), capabilities: Json::empty_object() };
            let peer = Peer::connect(connection, identity, &PeerOptions::default()).await;
            Ok(Connected { peer: peer.expect("it answers"), pid: Some(7) })
        })
    }

    fn name(&self) -> &str {
        "scripted"
    }

    fn transport(&self) -> TransportKind {
        TransportKind::Stdio
    }
}

/// Answers every request with a revision, its own method and its tools, until it is ended.
fn answering_server(habits: Arc<Habits>) -> (Link, CancellationToken) {
    let (outgoing, mut asked) = mpsc::channel::<Outgoing>(8);
    let (events, incoming) = mpsc::channel(8);
    let (stop, crash) = (CancellationToken::new(), CancellationToken::new());
    let (stopped, crashed) = (stop.clone(), crash.clone());
    tokio::spawn(async move {
        let ending = loop {
            let message = tokio::select! {
                () = stopped.cancelled() => break Ending::Stopped,
                () = crashed.cancelled() => break Ending::Exited(9),
                () = habits.change.notified() => {
                    let method = "notifications/tools/list_changed".to_owned();
                    Message::Notification(Notification { method, params: None, extra: Vec::new() })
                }
                asked = asked.recv() => {
                    let Some(asked) = asked else { break Ending::Stopped };
                    let Message::Request(request) = asked.message else { continue };
                    let Some(result) = habits.answer(&request.method) else { continue };
                    Message::Response(Response { id: Some(request.id), outcome: Ok(result), extra: Vec::new() })
                }
            };
            if events
                .send(Event::Message { found: Found { message, is_behind_text: false }, of: None })
                .await
                .is_err()
            {
                break Ending::Stopped;
            }
        };
        let closed = Closed { ending, stderr: "last words".into(), is_unread: false };
        let _ = events.send(Event::Closed(Arc::new(closed))).await;
    });
    (Link { outgoing, events: incoming, stop }, crash)
}

/// Asks the server for its tools, as somebody who uses it.
pub async fn asked(supervisor: &Supervisor) -> String {
    let peer = supervisor.peer(LONG).await.expect("ready");
    let result = peer.request("tools/list", None, &RequestOptions::default()).await.expect("an answer");
    result.get_text("asked").expect("the method")
}
