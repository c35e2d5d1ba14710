//! A server of revision 2024-11-05: HTTP with SSE.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolwright_base::IgnorePoison;

use crate::http::{Asked, Caller, HttpServer};
use crate::http_habits::answer;

/// Where the events of the one stream go.
type Stream = Arc<Mutex<Option<mpsc::UnboundedSender<String>>>>;

/// Starts a server whose stream is at `/sse` and which wants its messages at this address.
pub async fn start(endpoint: &'static str) -> HttpServer {
    let stream = Stream::default();
    HttpServer::start(move |asked, caller| {
        let stream = Arc::clone(&stream);
        async move { serve(endpoint, &stream, asked, caller).await }
    })
    .await
}

async fn serve(endpoint: &str, stream: &Stream, asked: Asked, caller: Caller) {
    match (asked.method.as_str(), asked.path.split('?').next().unwrap_or_default()) {
        ("GET", "/sse") => {
            let (sender, mut events) = mpsc::unbounded_channel();
            *stream.lock().ignore_poison() = Some(sender);
            let mut caller = caller.events(&[]).await;
            caller.write(format!("event: endpoint\ndata: {endpoint}\n\n").as_bytes()).await;
            loop {
                tokio::select! {
                    event = events.recv() => match event {
                        Some(event) => caller.message(&event).await,
                        None => return caller.end().await,
                    },
                    () = caller.gone() => return,
                }
            }
        }
        ("POST", "/messages") => {
            caller.answer(202, &[], "Accepted").await;
            let message = reply(&asked);
            let mut stream = stream.lock().ignore_poison();
            match message {
                Some(message) => drop(stream.as_ref().map(|stream| stream.send(message))),
                None if asked.json("/params/name") == "ends-stream" => *stream = None,
                None => {}
            }
        }
        _ => caller.answer(405, &[("content-type", "text/plain")], "Method Not Allowed").await,
    }
}

fn reply(asked: &Asked) -> Option<String> {
    let id = asked.json("/id");
    match asked.message().as_str() {
        "initialize" => {
            let result =
                json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {}});
            Some(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
        }
        "tools/call" => match asked.json("/params/name").as_str().unwrap_or_default() {
            "plain" => Some(answer(&id, "done")),
            "huge" => Some(answer(&id, &"x".repeat(17 << 20))),
            _ => None,
        },
        _ if id == Value::Null => None,
        _ => Some(
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})
                .to_string(),
        ),
    }
}
