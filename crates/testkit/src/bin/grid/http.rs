//! A gateway over Streamable HTTP, as a legacy client speaks to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::Client;
use toolwright_jsonrpc::{Json, raw};

use crate::way::Said;

/// How long a gateway may take to be ready.
const START: Duration = Duration::from_secs(45);
/// How long one attempt to reach it may take.
const ATTEMPT: Duration = Duration::from_secs(10);
/// How much of an answer is told.
const TOLD_BYTES: usize = 4000;

pub struct Http {
    client: Client,
    url: String,
    session: Option<String>,
    ids: AtomicU64,
    /// The names of its tools: some gateways put something before those of the server.
    tools: Vec<String>,
}

impl Http {
    pub fn new(port: u16) -> Http {
        let url = format!("http://127.0.0.1:{port}/mcp");
        Http { client: Client::new(), url, session: None, ids: AtomicU64::new(1), tools: Vec::new() }
    }

    /// Waits until the gateway answers, and lists its tools.
    pub async fn connect(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + START;
        let params = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"grid","version":"1"}}"#;
        loop {
            let attempt = tokio::time::timeout(ATTEMPT, self.send("initialize", params)).await;
            match attempt {
                Ok(Ok((Said::Result(_), session))) => {
                    self.session = session;
                    break;
                }
                _ if Instant::now() < deadline => tokio::time::sleep(Duration::from_millis(200)).await,
                other => return Err(format!("it was not ready in time: {other:?}")),
            }
        }
        let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let _ = self.post(note.to_owned()).send().await;
        let listed = tokio::time::timeout(ATTEMPT, self.send("tools/list", "{}")).await;
        let Ok(Ok((Said::Result(listed), _))) = listed else { return Err(format!("no tools: {listed:?}")) };
        let tools = Json::parse(&listed).ok().and_then(|said| said.get("result")?.get("tools")?.items());
        self.tools = tools.unwrap_or_default().iter().filter_map(|tool| tool.get_text("name")).collect();
        Ok(())
    }

    pub async fn call(&self, habit: &str, arguments: &str) -> Said {
        let is_meant = |name: &&String| *name == habit || name.ends_with(&format!("_{habit}"));
        let name = self.tools.iter().find(is_meant).map_or(habit, String::as_str);
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, raw::quote(name));
        match self.send("tools/call", &params).await {
            Ok((said, _)) => shortened(said),
            Err(error) => Said::Error(error),
        }
    }

    fn post(&self, body: String) -> reqwest::RequestBuilder {
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-06-18");
        let request = match &self.session {
            Some(session) => request.header("mcp-session-id", session),
            None => request,
        };
        request.body(body)
    }

    /// The answer, whole, and the session that it names.
    async fn send(&self, method: &str, params: &str) -> Result<(Said, Option<String>), String> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let mut response = self.post(body).send().await.map_err(|error| error.to_string())?;
        let status = response.status();
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let session = header("mcp-session-id");
        let is_stream = header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut body = Vec::new();
        let (mut read, mut searched) = (0, 0);
        while let Some(chunk) = response.chunk().await.map_err(|error| error.to_string())? {
            body.extend_from_slice(&chunk);
            // A stream may stay open behind the answer. What was searched is not searched again: a line of
            // many megabytes would cost the gateway our time.
            while let Some(end) = line_end(&body, searched).filter(|_| is_stream) {
                let line = String::from_utf8_lossy(&body[read..end]).into_owned();
                (read, searched) = (end + 1, end + 1);
                if let Some(said) = line.strip_prefix("data:").and_then(|data| answer(data.trim(), id)) {
                    return Ok((said, session));
                }
            }
            searched = body.len();
        }
        let text = String::from_utf8_lossy(&body);
        let said = match answer(&text, id) {
            Some(said) => said,
            None if !status.is_success() => Said::Error(format!("HTTP {}: {}", status.as_u16(), text.trim())),
            None if text.trim().is_empty() => Said::Error("an empty body".to_owned()),
            None => Said::Error(text.into_owned()),
        };
        Ok((said, session))
    }
}

/// Where the first line at or behind this place ends.
fn line_end(body: &[u8], from: usize) -> Option<usize> {
    body[from..].iter().position(|byte| *byte == b'\n').map(|at| from + at)
}

/// What a message says to this id. It may be nested deeper than a parser goes.
fn answer(text: &str, id: u64) -> Option<Said> {
    let is_ours = text.contains(&format!(r#""id":{id}"#)) || text.contains(&format!(r#""id": {id}"#));
    if !is_ours {
        return None;
    }
    let is_error = text.contains(r#""isError":true"#) || text.contains(r#""isError": true"#);
    if text.contains(r#""result""#) && !is_error {
        return Some(Said::Result(text.to_owned()));
    }
    (is_error || text.contains(r#""error""#)).then(|| Said::Error(text.to_owned()))
}

fn shortened(said: Said) -> Said {
    let cut = |text: String| text[..text.floor_char_boundary(TOLD_BYTES)].to_owned();
    match said {
        Said::Result(text) => Said::Result(cut(text)),
        Said::Error(text) => Said::Error(cut(text)),
        Said::Nothing => Said::Nothing,
    }
}
