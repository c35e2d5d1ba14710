//! A service that does what a test says, and a client over HTTP without a network.
#![allow(dead_code)]

use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use tokio::sync::mpsc;
use tokio::time::timeout;
use toolwright_jsonrpc::{ErrorObject, Json, METHOD_NOT_FOUND, Notification};
use toolwright_mcp::Filter;
use toolwright_mcp::front::{
    About, Asked, Client, FrontBody, FrontLimits, FrontOptions, Fronts, Listening, SealKey, Service, Serving,
    Visitor,
};

/// Longer than anything takes that works.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn json(text: &str) -> Json {
    Json::parse(text).expect("a test writes JSON")
}

pub fn notification(method: &str, params: &str) -> Notification {
    Notification { method: method.into(), params: Some(json(params)), extra: Vec::new() }
}

/// What a service saw of a request.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub params: Option<Json>,
    pub log_level: Option<String>,
    pub client: Arc<Client>,
}

/// A service whose tools are scripts.
#[derive(Default)]
pub struct Scripted {
    pub seen: Mutex<Vec<Seen>>,
    pub notified: Mutex<Vec<Notification>>,
    pub listeners: Mutex<Vec<(Filter, mpsc::Sender<Notification>)>>,
    pub ended: AtomicUsize,
    /// Calls that were dropped before their end.
    pub dropped: Arc<AtomicUsize>,
    /// Calls that came to their end.
    pub finished: Arc<AtomicUsize>,
    pub results: Mutex<HashMap<String, Result<Json, ErrorObject>>>,
    pub schemas: Mutex<HashMap<String, Json>>,
    pub go: Arc<tokio::sync::Notify>,
    /// How many milliseconds it takes to say what it is.
    pub about_ms: AtomicUsize,
}

struct Counted {
    dropped: Arc<AtomicUsize>,
    is_over: bool,
}

impl Counted {
    fn end(&mut self) {
        self.is_over = true;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if !self.is_over {
            self.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Scripted {
    pub fn new() -> Arc<Scripted> {
        Arc::default()
    }

    pub fn result(&self, method: &str, outcome: Result<Json, ErrorObject>) {
        self.results.lock().expect("lock").insert(method.into(), outcome);
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("lock").clone()
    }

    pub fn last(&self) -> Seen {
        self.seen().pop().expect("a request was seen")
    }

    /// Tells something to everybody who listens for it.
    pub async fn tell(&self, told: Notification) {
        let listeners: Vec<_> =
            self.listeners.lock().expect("lock").iter().map(|(_, tell)| tell.clone()).collect();
        for listener in listeners {
            let _ = listener.send(told.clone()).await;
        }
    }

    pub fn listening(&self) -> usize {
        let mut listeners = self.listeners.lock().expect("lock");
        listeners.retain(|(_, tell)| !tell.is_closed());
        listeners.len()
    }
}

fn text(text: &str) -> Json {
    json(r#"{"content":[]}"#)
        .with("content", &json(&format!("[{}]", json(r#"{"type":"text"}"#).with("text", &Json::text(text)))))
}

impl Service for Scripted {
    fn about<'s>(&'s self, _: &'s Arc<Client>) -> Serving<'s, Result<About, ErrorObject>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(self.about_ms.load(Ordering::SeqCst) as u64)).await;
            Ok(About {
                server: json(r#"{"name":"scripted","version":"1"}"#),
                capabilities: json(r#"{"tools":{"listChanged":true}}"#),
                instructions: Some("Use it.".into()),
                extra: vec![("vendor".into(), json("1.0"))],
            })
        })
    }

    fn request(&self, asked: Asked) -> Serving<'static, Result<Json, ErrorObject>> {
        self.seen.lock().expect("lock").push(Seen {
            method: asked.method.clone(),
            params: asked.params.clone(),
            log_level: asked.log_level.clone(),
            client: Arc::clone(&asked.client),
        });
        let known = self.results.lock().expect("lock").get(&asked.method).cloned();
        let mut counted = Counted { dropped: Arc::clone(&self.dropped), is_over: false };
        let finished = Arc::clone(&self.finished);
        let go = Arc::clone(&self.go);
        Box::pin(async move {
            let outcome = match known {
                Some(outcome) => outcome,
                None => run(asked, go).await,
            };
            counted.end();
            finished.fetch_add(1, Ordering::SeqCst);
            outcome
        })
    }

    fn notified(&self, _: &Arc<Client>, notification: Notification) {
        self.notified.lock().expect("lock").push(notification);
    }

    fn listen(&self, _: Arc<Client>, filter: Filter, _: bool) -> Serving<'_, Result<Listening, ErrorObject>> {
        Box::pin(async move {
            if filter.uris.iter().any(|uri| uri == "test:none") {
                return Err(ErrorObject::new(-32002, "no such resource"));
            }
            let (tell, notifications) = mpsc::channel(64);
            self.listeners.lock().expect("lock").push((filter.clone(), tell));
            Ok(Listening { granted: filter, notifications, hold: Box::new(()) })
        })
    }

    fn schema_with_headers(&self, _: &Client, tool: &str) -> Option<Json> {
        self.schemas.lock().expect("lock").get(tool).cloned()
    }

    fn ended(&self, _: &Client) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// The script of a tool is its name.
async fn run(asked: Asked, go: Arc<tokio::sync::Notify>) -> Result<Json, ErrorObject> {
    let params = asked.params.unwrap_or_else(Json::empty_object);
    let name = params.get_text("name").or_else(|| params.get_text("uri")).unwrap_or_default();
    let progress = |at: u32| {
        let token =
            params.get("_meta").and_then(|meta| meta.get("progressToken")).unwrap_or_else(|| json("0"));
        let told = json("{}").with("progressToken", &token).with("progress", &json(&at.to_string()));
        Notification { method: "notifications/progress".into(), params: Some(told), extra: Vec::new() }
    };
    let back = &asked.back;
    let question = |said: &str| {
        Some(json(r#"{"requestedSchema":{"type":"object"}}"#).with("message", &Json::text(said)))
    };
    match name.as_str() {
        "echo" => Ok(text(params.get("arguments").map_or("", |_| "echo"))),
        "hang" => std::future::pending().await,
        "wait" => {
            go.notified().await;
            Ok(text("waited"))
        }
        "progress" => {
            back.notify(progress(1));
            tokio::task::yield_now().await;
            back.notify(progress(2));
            Ok(text("done"))
        }
        "progress-then-wait" => {
            back.notify(progress(1));
            go.notified().await;
            back.notify(progress(2));
            Ok(text("waited"))
        }
        "logs" => {
            for level in ["debug", "warning", "error"] {
                let told = json(r#"{"data":"x"}"#).with("level", &Json::text(level));
                back.notify(Notification {
                    method: "notifications/message".into(),
                    params: Some(told),
                    extra: Vec::new(),
                });
            }
            Ok(text("logged"))
        }
        "flood" => {
            for at in 0..10_000 {
                back.notify(progress(at));
            }
            go.notified().await;
            Ok(text("flooded"))
        }
        "ask" | "test:ask" => {
            let answer = back.ask("elicitation/create", question("name?")).await?;
            Ok(text(answer.as_str()))
        }
        "ask-twice" => {
            let first = back.ask("elicitation/create", question("first?")).await?;
            let second = back.ask("elicitation/create", question("second?")).await?;
            Ok(text(&format!("{first} {second}")))
        }
        "ask-both" => {
            let (first, second) = tokio::join!(
                back.ask("elicitation/create", question("left?")),
                back.ask("elicitation/create", question("right?"))
            );
            Ok(text(&format!("{} {}", first?, second?)))
        }
        "ask-after-progress" => {
            back.notify(progress(1));
            let answer = back.ask("elicitation/create", question("name?")).await?;
            back.notify(progress(2));
            Ok(text(answer.as_str()))
        }
        "ask-and-leave" => {
            {
                let mut asking = pin!(back.ask("elicitation/create", question("name?")));
                tokio::select! {
                    _ = &mut asking => {}
                    () = go.notified() => {}
                }
            }
            Ok(text("left"))
        }
        "ask-sampling" => {
            let answer = back.ask("sampling/createMessage", Some(json("{}"))).await?;
            Ok(text(answer.as_str()))
        }
        _ => Err(ErrorObject::new(METHOD_NOT_FOUND, "no such thing")),
    }
}

/// A front, a service behind it and an endpoint.
pub struct House {
    pub fronts: Arc<Fronts>,
    pub service: Arc<Scripted>,
    pub endpoint: String,
    pub visitor: Visitor,
}

pub fn fronts(limits: FrontLimits) -> Arc<Fronts> {
    Fronts::new(FrontOptions { key: SealKey::from_bytes([9; 32]), limits })
}

impl House {
    pub fn new() -> House {
        House::with(FrontLimits::default())
    }

    pub fn with(limits: FrontLimits) -> House {
        House {
            fronts: fronts(limits),
            service: Scripted::new(),
            endpoint: "/mcp".into(),
            visitor: Visitor::everywhere("desk"),
        }
    }

    pub async fn send(&self, request: Request<Bytes>) -> Response<FrontBody> {
        let service = Arc::clone(&self.service) as Arc<dyn Service>;
        let answer = self.fronts.answer_http(&self.endpoint, service, request, self.visitor.clone());
        timeout(PATIENCE, answer).await.expect("an answer in time")
    }

    /// Posts a body with headers beside the usual ones.
    pub async fn post(&self, headers: &[(&str, &str)], body: &str) -> Response<FrontBody> {
        let mut request = Request::post("/mcp");
        let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
        for (name, value) in usual {
            if !headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
                request = request.header(name, value);
            }
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Bytes::from(body.to_owned())).expect("a request")).await
    }

    pub async fn get(&self, headers: &[(&str, &str)]) -> Response<FrontBody> {
        let mut request = Request::get("/mcp").header("accept", "text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Bytes::new()).expect("a request")).await
    }

    pub async fn delete(&self, headers: &[(&str, &str)]) -> Response<FrontBody> {
        let mut request = Request::delete("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Bytes::new()).expect("a request")).await
    }

    /// Begins a legacy session; gives its token.
    pub async fn initialize(&self, revision: &str, capabilities: &str) -> String {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"t","version":"1"}}}}}}"#
        );
        let response = self.post(&[], &body).await;
        assert_eq!(response.status(), StatusCode::OK);
        let token = response.headers().get("mcp-session-id").expect("a token");
        token.to_str().expect("text").to_owned()
    }

    /// Posts a message in a legacy session.
    pub async fn legacy(&self, token: &str, body: &str) -> Response<FrontBody> {
        self.post(&[("mcp-session-id", token)], body).await
    }

    /// Posts a modern request with the headers that it wants; `params` without braces and `_meta`.
    pub async fn modern(&self, method: &str, params: &str) -> Response<FrontBody> {
        self.modern_with(1, method, params, r#"{"elicitation":{}}"#, "").await
    }

    pub async fn modern_with(
        &self,
        id: u32,
        method: &str,
        params: &str,
        capabilities: &str,
        meta: &str,
    ) -> Response<FrontBody> {
        let body = modern_body(&id.to_string(), method, params, capabilities, meta);
        let params = json(&format!("{{{params}}}"));
        let name = params.get_text("name").or_else(|| params.get_text("uri"));
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if let Some(name) = &name {
            headers.push(("mcp-name", name));
        }
        self.post(&headers, &body).await
    }
}

pub fn modern_body(id: &str, method: &str, params: &str, capabilities: &str, meta: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    let more = if meta.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{capabilities}{more}{meta}}}}}}}"#
    )
}

pub fn call(id: impl std::fmt::Display, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}},"_meta":{{"progressToken":"p"}}}}}}"#
    )
}

/// The whole body as text.
pub async fn body(response: Response<FrontBody>) -> String {
    let collected = timeout(PATIENCE, response.into_body().collect()).await.expect("a body in time");
    String::from_utf8(collected.expect("a body").to_bytes().to_vec()).expect("text")
}

/// The whole body as JSON.
pub async fn body_json(response: Response<FrontBody>) -> Json {
    json(&body(response).await)
}

pub fn error_code(message: &Json) -> Option<i64> {
    message.get("error")?.get("code")?.as_str().parse().ok()
}

pub fn is_stream(response: &Response<FrontBody>) -> bool {
    response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream")
}

/// A stream that is read event by event.
pub struct Stream {
    body: FrontBody,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub id: Option<String>,
    pub data: String,
}

impl Event {
    pub fn json(&self) -> Json {
        json(&self.data)
    }
}

impl Stream {
    pub fn of(response: Response<FrontBody>) -> Stream {
        assert!(is_stream(&response), "{:?}", response.headers());
        Stream { body: response.into_body(), text: String::new() }
    }

    /// The next event; comments are left out.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let field = |name: &str| {
                    let line = event.lines().find(|line| line.starts_with(name));
                    line.map(|line| line[name.len()..].trim().to_owned())
                };
                match field("data:") {
                    Some(data) => return Some(Event { id: field("id:"), data }),
                    None => continue,
                }
            }
            let frame = timeout(PATIENCE, self.body.frame()).await.expect("an event in time");
            let data = frame?.expect("no error").into_data().expect("data");
            self.text.push_str(str::from_utf8(&data).expect("text"));
        }
    }

    pub async fn rest(mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }

    /// Whether nothing comes for a moment.
    pub async fn is_quiet(&mut self) -> bool {
        timeout(Duration::from_millis(80), self.next()).await.is_err()
    }
}

/// Waits until something holds.
pub async fn until(what: &str, holds: impl Fn() -> bool) {
    let waited = timeout(PATIENCE, async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("{what} did not come true"));
}
