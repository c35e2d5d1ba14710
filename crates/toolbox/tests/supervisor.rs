//! A supervised server in paused time: every wait is exact, and no test waits.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::Found;
use toolwright_jsonrpc::{Json, Message, Response};
use toolwright_mcp::{
    Closed, Connection, Ending, Event, Identity, Link, NoHost, Outgoing, Peer, PeerOptions, RequestOptions,
};
use toolwright_toolbox::{ConnectFailure, Connected, Connecting, Connector, Policy, State, Supervisor};

const LONG: Duration = Duration::from_secs(3600);

/// A server that fails as often as it is told to and then answers, until it is ended.
#[derive(Default)]
struct Scripted {
    failures: AtomicU32,
    is_lasting: bool,
    /// When each attempt began.
    attempts: Mutex<Vec<Instant>>,
    /// Ends the server that runs.
    running: Mutex<Option<CancellationToken>>,
}

impl Scripted {
    fn failing(failures: u32) -> Arc<Scripted> {
        Arc::new(Scripted { failures: AtomicU32::new(failures), ..Scripted::default() })
    }

    fn waits(&self) -> Vec<u64> {
        let attempts = self.attempts.lock().expect("no panic before");
        attempts.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect()
    }

    fn crash(&self) {
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
                let (reason, stderr) = ("broker unreachable".to_owned(), "ECONNREFUSED".to_owned());
                return Err(ConnectFailure { reason, stderr, is_lasting: self.is_lasting });
            }
            let (link, crash) = answering_server();
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

    fn transport(&self) -> &'static str {
        "stdio"
    }
}

/// Answers every request with a revision and its own method, until it is ended.
fn answering_server() -> (Link, CancellationToken) {
    let (outgoing, mut asked) = mpsc::channel::<Outgoing>(8);
    let (events, incoming) = mpsc::channel(8);
    let (stop, crash) = (CancellationToken::new(), CancellationToken::new());
    let (stopped, crashed) = (stop.clone(), crash.clone());
    tokio::spawn(async move {
        let ending = loop {
            tokio::select! {
                () = stopped.cancelled() => break Ending::Stopped,
                () = crashed.cancelled() => break Ending::Exited(9),
                asked = asked.recv() => {
                    let Some(asked) = asked else { break Ending::Stopped };
                    let Message::Request(request) = asked.message else { continue };
                    let result = Json::parse(r#"{"protocolVersion":"2025-11-25","tools":[{"name":"a"}]}"#).expect("JSON");
                    let result = result.with("asked", &Json::text(&request.method));
                    let response = Response { id: Some(request.id), outcome: Ok(result), extra: Vec::new() };
                    let message = Found { message: Message::Response(response), is_behind_text: false };
                    if events.send(Event::Message(message)).await.is_err() {
                        break Ending::Stopped;
                    }
                }
            }
        };
        let closed = Closed { ending, stderr: "last words".into() };
        let _ = events.send(Event::Closed(Arc::new(closed))).await;
    });
    (Link { outgoing, events: incoming, stop }, crash)
}

async fn asked(supervisor: &Supervisor) -> String {
    let peer = supervisor.peer(LONG).await.expect("ready");
    let result = peer.request("tools/list", None, &RequestOptions::default()).await.expect("an answer");
    result.get_text("asked").expect("the method")
}

#[tokio::test(start_paused = true)]
async fn successful_connection_on_first_attempt() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let begin = Instant::now();
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(begin.elapsed(), Duration::ZERO);
    let seen = supervisor.snapshot();
    assert_eq!((seen.state, seen.pid, seen.restarts, seen.last_error), (State::Ready, Some(7), 0, None));
}

#[tokio::test(start_paused = true)]
async fn successful_connection_after_retry() {
    let server = Scripted::failing(1);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(server.waits(), [2]);
}

#[tokio::test(start_paused = true)]
async fn exponential_backoff_delays() {
    let server = Scripted::failing(9);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    assert_eq!(supervisor.peer(Duration::from_secs(5)).await.unwrap_err().state, "backoff");
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(server.waits(), [2, 4, 8, 16, 32, 60, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn connection_fails_after_all_retries() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let error = supervisor.peer(Duration::from_secs(7)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server is not ready (backoff): broker unreachable; its stderr ends with: ECONNREFUSED"
    );
    assert_eq!(server.waits(), [2, 4]);
    // The next use does not wait for the backoff.
    let before = server.attempts.lock().expect("no panic before").len();
    assert!(supervisor.peer(Duration::from_millis(1)).await.is_err());
    assert_eq!(server.attempts.lock().expect("no panic before").len(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn what_will_not_mend_itself_is_not_tried_like_a_blip() {
    let server =
        Arc::new(Scripted { failures: AtomicU32::new(u32::MAX), is_lasting: true, ..Scripted::default() });
    let _supervisor = Supervisor::start(server.clone(), Policy::default());
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(server.waits(), [2, 4, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn retry_logic_is_configurable() {
    let server = Scripted::failing(3);
    let policy =
        Policy { base_delay: Duration::from_secs(1), max_delay: Duration::from_secs(3), ..Policy::default() };
    let supervisor = Supervisor::start(server.clone(), policy);
    tokio::time::sleep(Duration::from_secs(7)).await;
    asked(&supervisor).await;
    assert_eq!(server.waits(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn one_who_asks_for_a_broken_server_is_told_as_soon_as_it_has_failed() {
    let server = Scripted::failing(u32::MAX);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    let begin = Instant::now();
    let error = supervisor.peer(Duration::from_secs(60)).await.unwrap_err();
    assert_eq!((error.state, begin.elapsed().as_secs()), ("backoff", 6), "the first attempts are waited for");
    let error = supervisor.peer(Duration::from_secs(60)).await.unwrap_err();
    assert_eq!((error.state, begin.elapsed().as_secs()), ("backoff", 6), "then it is tried once, at once");
    assert_eq!(server.waits(), [2, 4, 0]);
}

#[tokio::test(start_paused = true)]
async fn retry_does_not_block_startup() {
    let broken = Supervisor::start(Scripted::failing(u32::MAX), Policy::default());
    let begin = Instant::now();
    let sound: Vec<Supervisor> =
        (0..20).map(|_| Supervisor::start(Scripted::failing(0), Policy::default())).collect();
    for supervisor in &sound {
        assert_eq!(asked(supervisor).await, "tools/list");
    }
    assert_eq!(begin.elapsed(), Duration::ZERO);
    assert_ne!(broken.snapshot().state, State::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_is_started_at_once_and_its_counts_begin_anew() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    server.failures.store(1, Ordering::SeqCst);
    server.crash();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let seen = supervisor.snapshot();
    assert_eq!(seen.state, State::Backoff { failures: 1, wait: Duration::from_secs(2) });
    assert_eq!(asked(&supervisor).await, "tools/list");
    assert_eq!(supervisor.snapshot().restarts, 1);
    assert_eq!(server.waits(), [0, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_ending_is_put_aside_and_comes_back() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    for _ in 0..5 {
        asked(&supervisor).await;
        server.crash();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(supervisor.snapshot().state, State::Quarantined);
    let error = supervisor.peer(Duration::from_secs(1)).await.unwrap_err();
    assert!(
        error.to_string().contains("quarantined") && error.to_string().contains("exit code 9"),
        "{error}"
    );
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn crashes_that_are_far_apart_put_nothing_aside() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    for _ in 0..20 {
        asked(&supervisor).await;
        server.crash();
        tokio::time::sleep(Duration::from_secs(30)).await;
    }
    assert_eq!(asked(&supervisor).await, "tools/list");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_disabled_enabled_and_restarted() {
    let server = Scripted::failing(0);
    let supervisor = Supervisor::start(server.clone(), Policy::default());
    asked(&supervisor).await;
    supervisor.disable();
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert_eq!(supervisor.snapshot().state, State::Disabled);
    assert_eq!(supervisor.peer(Duration::from_secs(1)).await.unwrap_err().state, "disabled");
    supervisor.enable();
    asked(&supervisor).await;
    let attempts = server.attempts.lock().expect("no panic before").len();
    supervisor.restart();
    tokio::time::sleep(Duration::from_millis(1)).await;
    asked(&supervisor).await;
    assert_eq!(server.attempts.lock().expect("no panic before").len(), attempts + 1);
    // A restart also ends a quarantine or a wait.
    server.failures.store(u32::MAX, Ordering::SeqCst);
    server.crash();
    tokio::time::sleep(Duration::from_secs(100)).await;
    server.failures.store(0, Ordering::SeqCst);
    supervisor.restart();
    assert_eq!(asked(&supervisor).await, "tools/list");
}
