//! A legacy server over Streamable HTTP with one bad habit for each tool.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::sleep;
use toolwright_base::IgnorePoison;

use crate::http::{Asked, Caller, HttpServer};

/// A server and what it knows.
#[derive(Clone)]
pub struct HabitServer {
    /// The server.
    pub http: HttpServer,
    state: Arc<State>,
}

struct State {
    known: Mutex<Known>,
    /// Woken when an answer of ours to a request of its own came.
    answered: Notify,
    /// What it says to a session that it does not know.
    refusal: (u16, String),
}

#[derive(Default)]
struct Known {
    sessions: HashSet<String>,
    begun: usize,
}

impl State {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().ignore_poison()
    }
}

impl HabitServer {
    /// A server that says this to a session that it does not know. Without a status it says it in an
    /// answer like any other.
    pub async fn start(status: u16, said: &str) -> HabitServer {
        let refusal = (status, said.to_owned());
        let state = Arc::new(State { known: Mutex::default(), answered: Notify::new(), refusal });
        let shared = Arc::clone(&state);
        let http = HttpServer::start(move |asked, caller| {
            let state = Arc::clone(&shared);
            async move { serve(&state, asked, caller).await }
        })
        .await;
        HabitServer { http, state }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("{}/mcp", self.http.url)
    }

    /// Forgets every session, as a server does that is started anew.
    pub fn forget(&self) {
        self.state.known().sessions.clear();
    }

    /// How many sessions were begun.
    pub fn begun(&self) -> usize {
        self.state.known().begun
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.state.known().sessions.len()
    }
}

async fn serve(state: &State, asked: Asked, caller: Caller) {
    let session = asked.header("mcp-session-id").unwrap_or_default().to_owned();
    let is_known = state.known().sessions.contains(&session);
    let id = asked.json("/id");
    match (asked.method.as_str(), asked.message().as_str()) {
        ("POST", "initialize") => begin(state, id, caller).await,
        ("POST", "server/discover") => {
            caller.json(400, &[], &error(&Value::Null, -32000, "Bad Request: Missing session ID")).await;
        }
        ("POST", _) if !is_known => {
            let (status, said) = &state.refusal;
            match status {
                0 => caller.json(200, &[], &error(&id, -32001, said)).await,
                404 if said.is_empty() => caller.answer(404, &[], "").await,
                status => caller.answer(*status, &[("content-type", "text/plain")], said).await,
            }
        }
        ("POST", "tools/call") => call(state, &asked, id, caller).await,
        ("POST", "") => {
            state.answered.notify_one();
            caller.answer(202, &[], "").await;
        }
        ("POST", method) if method.starts_with("notifications/") => caller.answer(202, &[], "").await,
        ("POST", method) => {
            caller.json(200, &[], &error(&id, -32601, &format!("no method {method}"))).await;
        }
        ("GET", _) if !is_known => caller.answer(404, &[], "").await,
        ("GET", _) => match asked.header("last-event-id") {
            Some(last) => resume(last.to_owned(), caller).await,
            None => {
                let mut stream = caller.events(&[]).await;
                let told = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                stream.message(&told.to_string()).await;
                stream.gone().await;
            }
        },
        _ => {
            state.known().sessions.remove(&session);
            caller.answer(200, &[], "").await;
        }
    }
}

async fn begin(state: &State, id: Value, caller: Caller) {
    let session = {
        let mut known = state.known();
        known.begun += 1;
        let session = format!("session-{}", known.begun);
        known.sessions.insert(session.clone());
        session
    };
    let result = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {}});
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    caller.json(200, &[("Mcp-Session-Id", &session)], &answer).await;
}

/// An answer with a text.
pub fn answer(id: &Value, text: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}}).to_string()
}

/// An answer with an error.
pub fn error(id: &Value, code: i64, message: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()
}

async fn call(state: &State, asked: &Asked, id: Value, caller: Caller) {
    let habit = asked.json("/params/name");
    let right = answer(&id, "done");
    match habit.as_str().unwrap_or_default() {
        "plain" => caller.json(200, &[], &right).await,
        "typeless" => caller.answer(200, &[], &right).await,
        "with-charset" => {
            caller.answer(200, &[("content-type", "Application/JSON; charset=utf-8")], &right).await;
        }
        "batch" => caller.json(200, &[], &format!("[{right}]")).await,
        "spread-out" => caller.json(200, &[], &right.replace(',', ",\r\n ")).await,
        "byte-order-mark" => caller.json(200, &[], &format!("\u{feff}{right}")).await,
        "stream" => {
            let mut stream = caller.events(&[]).await;
            let token = asked.json("/params/_meta/progressToken");
            let progress = json!({"progressToken": token, "progress": 1});
            let told = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress});
            stream.message(&told.to_string()).await;
            stream.message(&right).await;
            stream.end().await;
        }
        "stream-stays-open" => {
            let mut stream = caller.events(&[]).await;
            stream.message(&right).await;
            stream.gone().await;
        }
        "split-at-every-byte" => {
            let mut stream = caller.events(&[]).await;
            let text = format!(": x\r\n\r\nid: 1\r\ndata:\r\n\r\nevent: message\r\ndata: {right}\r\n\r\n");
            for byte in text.as_bytes() {
                stream.write(&[*byte]).await;
                tokio::task::yield_now().await;
            }
            stream.end().await;
        }
        "noise" => {
            let mut stream = caller.events(&[]).await;
            stream.write(b"data: this is no message\n\ndata: \xff\xfe\n\nevent: ping\ndata: {}\n\n").await;
            stream.message(&right).await;
            stream.end().await;
        }
        "asks" => {
            let mut stream = caller.events(&[]).await;
            stream.message(&json!({"jsonrpc": "2.0", "id": "q1", "method": "ping"}).to_string()).await;
            state.answered.notified().await;
            stream.message(&right).await;
            stream.end().await;
        }
        // The server ends the connection and wants to be asked again: the answer comes in the third part.
        "polled" => {
            let mut stream = caller.events(&[]).await;
            stream.write(format!("id: {id}-1\nretry: 50\ndata:\n\n").as_bytes()).await;
            stream.end().await;
        }
        "cut-with-id" => {
            let mut stream = caller.events(&[]).await;
            stream.write(format!("id: {id}-2\nretry: 20\ndata: {{\"half").as_bytes()).await;
            stream.write(format!("\"}}\n\nid: {id}-3\ndata: {{\"ha").as_bytes()).await;
        }
        "cut-without-end" => {
            let mut stream = caller.events(&[]).await;
            stream.write(b"id: never\nretry: 5\ndata:\n\n").await;
        }
        "cut" => {
            let mut stream = caller.events(&[]).await;
            stream.write(b"data: {\"jsonrpc\":").await;
        }
        "ended-early" => caller.events(&[]).await.end().await,
        "huge-stream" => {
            let mut stream = caller.events(&[]).await;
            stream.message(&answer(&id, &"x".repeat(17 << 20))).await;
            stream.end().await;
        }
        "huge-body" => caller.json(200, &[], &answer(&id, &"x".repeat(17 << 20))).await,
        "large-body" => caller.json(200, &[], &answer(&id, &"x".repeat(8 << 20))).await,
        "deep" => {
            let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
            caller.json(200, &[], &format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{deep}}}"#)).await;
        }
        "empty" => caller.json(200, &[], "").await,
        "accepted" => caller.answer(202, &[], "").await,
        "page" => caller.answer(200, &[("content-type", "text/html")], PAGE).await,
        "bad-gateway" => caller.answer(502, &[("content-type", "text/html")], PAGE).await,
        "too-many" => caller.answer(429, &[], "slow down").await,
        "wrong-id" => caller.json(200, &[], &answer(&json!(999_999), "not yours")).await,
        "error-without-id" => caller.json(400, &[], &error(&Value::Null, -32602, "bad things")).await,
        "error-status" => caller.json(500, &[], &error(&id, -32603, "broken inside")).await,
        "forgets" => caller.answer(404, &[], "").await,
        "drops-connection" => {}
        "half-body" => {
            let mut stream = caller;
            stream.half_body(&right).await;
        }
        "hang" => {
            let mut caller = caller;
            caller.gone().await;
        }
        other => caller.json(200, &[], &error(&id, -32602, &format!("no tool {other}"))).await,
    }
}

const PAGE: &str = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>nginx</body></html>";

async fn resume(last: String, caller: Caller) {
    let Some((id, part)) = last.split_once('-') else {
        return caller.answer(503, &[], "busy").await;
    };
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    match part {
        "1" => {
            let mut stream = caller.events(&[]).await;
            stream.write(format!("id: {id}-2\nretry: 30\ndata:\n\n").as_bytes()).await;
            sleep(Duration::from_millis(5)).await;
            stream.end().await;
        }
        _ => {
            let mut stream = caller.events(&[]).await;
            stream.message(&answer(&id, "done")).await;
            stream.end().await;
        }
    }
}
