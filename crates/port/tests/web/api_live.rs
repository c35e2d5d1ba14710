//! The stream of calls as they end.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_ledger::Record;
use toolwright_port::NewToken;

use crate::telling::{Index, Telling, telling};

/// A listener, and what it has read.
struct Listener {
    stream: TcpStream,
    text: String,
}

impl Listener {
    async fn new(telling: &Telling, headers: &str) -> Listener {
        let mut stream = TcpStream::connect(telling.port.address).await.expect("connected");
        let request = telling.port.request("GET", "/api/operations/live", headers, "");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut listener = Listener { stream, text: String::new() };
        listener.until("retry: ").await;
        assert!(listener.text.contains("content-type: text/event-stream"), "{}", listener.text);
        listener
    }

    async fn until(&mut self, part: &str) {
        let reading = async {
            while !self.text.contains(part) {
                let mut piece = [0; 4_096];
                let count = self.stream.read(&mut piece).await.expect("read");
                assert!(count > 0, "it ended: {}", self.text);
                self.text.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
        };
        timeout(Duration::from_secs(30), reading).await.unwrap_or_else(|_| panic!("no {part}"));
    }

    /// Whether the stream comes to its end.
    async fn ends(&mut self) -> bool {
        let reading = async {
            // The connection may stay for other requests: the last chunk is the end.
            while !self.text.ends_with("\r\n0\r\n\r\n") {
                let mut piece = [0; 4_096];
                match self.stream.read(&mut piece).await {
                    Ok(0) | Err(_) => return,
                    Ok(count) => self.text.push_str(&String::from_utf8_lossy(&piece[..count])),
                }
            }
        };
        timeout(Duration::from_secs(30), reading).await.is_ok()
    }

    fn calls(&self) -> Vec<&str> {
        let ids = self.text.split("\"req_id\":\"").skip(1);
        ids.filter_map(|rest| rest.split('"').next()).collect()
    }
}

fn write(telling: &Telling, calls: std::ops::Range<u64>) {
    for number in calls {
        telling.call(Record { call: format!("c{number}"), tool: "t".into(), ..Record::default() }, "{}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_hears_every_call_once_and_goes_on_where_it_was() {
    let telling = telling(Index::None).await;
    write(&telling, 0..3);
    let mut listener = Listener::new(&telling, &telling.port.bearer()).await;
    write(&telling, 3..6);
    listener.until("\"c5\"").await;
    assert_eq!(listener.calls(), ["c3", "c4", "c5"], "what was before is not repeated");
    drop(listener);
    write(&telling, 6..9);
    let headers = format!("{}Last-Event-ID: main:5\r\n", telling.port.bearer());
    let mut listener = Listener::new(&telling, &headers).await;
    write(&telling, 9..10);
    listener.until("\"c9\"").await;
    assert_eq!(listener.calls(), ["c5", "c6", "c7", "c8", "c9"], "{}", listener.text);
    assert!(listener.text.contains("id: main:10\ndata: {"), "{}", listener.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_holds_up_nobody() {
    let telling = telling(Index::None).await;
    let slow = Listener::new(&telling, &telling.port.bearer()).await;
    let large = format!(r#"{{"text":"{}"}}"#, "word ".repeat(20_000));
    for number in 0..200 {
        telling.call(Record { call: format!("c{number}"), tool: "t".into(), ..Record::default() }, &large);
    }
    assert_eq!(telling.ledger.journal().last_seq(), 200, "every call was written down");
    let mut quick = Listener::new(&telling, &telling.port.bearer()).await;
    write(&telling, 200..201);
    quick.until("\"c200\"").await;
    let health = telling.told("/api/health").await;
    assert_eq!(health["limits"]["liveListeners"]["current"], serde_json::json!(2), "{health}");
    drop(slow);
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many_listeners_and_that_is_counted() {
    let telling = telling(Index::None).await;
    let mut listeners = Vec::new();
    for _ in 0..64 {
        listeners.push(Listener::new(&telling, &telling.port.bearer()).await);
    }
    let answer = telling.get("/api/operations/live").await;
    assert!(answer.status == 429 && answer.body.contains("liveListeners"), "{}", answer.body);
    let held = telling.told("/api/health").await["limits"]["liveListeners"].clone();
    assert_eq!(held, serde_json::json!({ "current": 64, "limit": 64, "dropped": 1 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_token_and_with_the_gateway() {
    let telling = telling(Index::None).await;
    let new =
        NewToken { name: "board".into(), created: "2026-11-16T10:00:00Z".into(), ..NewToken::default() };
    let token = telling.port.folder.add(new).expect("a token");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for _ in 0..500 {
        if telling.port.ask_as("GET", "/api/health", &bearer, "").await.status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut named = Listener::new(&telling, &bearer).await;
    let mut own = Listener::new(&telling, &telling.port.bearer()).await;
    telling.port.folder.revoke("board").expect("revoked");
    assert!(named.ends().await, "its token is gone");
    telling.port.stop.ask();
    assert!(own.ends().await, "the gateway ends");
}
