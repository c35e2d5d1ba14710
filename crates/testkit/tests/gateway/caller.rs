//! A client that reads answers as they are written: what a typed client would lose is there.

use toolwright_jsonrpc::{Json, raw};
use toolwright_testkit::load::{Answer, Era, REVISION, Served, Wire};

const LEGACY: &str = "2025-11-25";

/// A client of one endpoint.
pub struct Caller {
    wire: Wire,
    host: String,
    path: String,
    era: Era,
    session: Option<String>,
    /// Headers that go along with every request, each with the end of its line.
    pub more_headers: String,
    /// What came of `initialize` or `server/discover`.
    pub about: Json,
}

/// One answer.
pub struct Reply {
    pub body: String,
    response: Option<Json>,
}

impl Reply {
    fn read(answer: &Answer) -> Reply {
        let body = answer.text();
        let texts: Vec<&str> = match answer.is_stream() {
            true => body.lines().filter_map(|line| line.strip_prefix("data:")).collect(),
            false => vec![&body],
        };
        let is_response = |json: &Json| json.get("result").is_some() || json.get("error").is_some();
        let response = texts.iter().filter_map(|text| Json::parse(text.trim()).ok()).find(is_response);
        Reply { response, body }
    }

    /// The result; whatever came instead is told.
    pub fn result(&self) -> Result<Json, String> {
        let result = self.response.as_ref().and_then(|response| response.get("result"));
        result.ok_or_else(|| self.body.clone())
    }

    pub fn error(&self) -> Option<Json> {
        self.response.as_ref()?.get("error")
    }
}

impl Caller {
    /// Connects and hears what there is.
    pub async fn meet(gateway: &Served, path: &str, era: Era) -> Caller {
        let mut caller = Caller::silent(gateway, path, era).await;
        caller.about = match era {
            Era::Modern => caller.ask("server/discover", "{}").await.result().expect("discovered"),
            Era::Legacy => caller.begin("caller").await,
        };
        caller
    }

    /// Meets it as a legacy client with a name of its own.
    #[allow(dead_code, reason = "not every suite needs it")]
    pub async fn meet_as(gateway: &Served, path: &str, name: &str) -> Caller {
        let mut caller = Caller::silent(gateway, path, Era::Legacy).await;
        caller.about = caller.begin(name).await;
        caller
    }

    /// Connects and says nothing.
    pub async fn silent(gateway: &Served, path: &str, era: Era) -> Caller {
        let wire = Wire::connect(gateway.address).await.expect("a connection");
        let (host, path) = (gateway.address.to_string(), path.to_owned());
        Caller {
            wire,
            host,
            path,
            era,
            session: None,
            more_headers: String::new(),
            about: Json::empty_object(),
        }
    }

    async fn begin(&mut self, name: &str) -> Json {
        let about = format!(r#""capabilities":{{}},"clientInfo":{{"name":"{name}","version":"1"}}"#);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{LEGACY}",{about}}}}}"#
        );
        let answer = self.post(&body, "").await;
        self.session = answer.header("mcp-session-id").map(str::to_owned);
        let told = self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "").await;
        assert_eq!(told.status, 202);
        Reply::read(&answer).result().expect("initialized")
    }

    async fn post(&mut self, body: &str, headers: &str) -> Answer {
        let (path, host, length) = (&self.path, &self.host, body.len());
        let session = self
            .session
            .as_ref()
            .map(|session| format!("mcp-session-id: {session}\r\nmcp-protocol-version: {LEGACY}\r\n"));
        let session = session.unwrap_or_default();
        let more = &self.more_headers;
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\n{session}{headers}{more}content-length: {length}\r\n\r\n{body}"
        );
        self.wire.ask(request.as_bytes()).await.expect("an answer")
    }

    pub async fn ask(&mut self, method: &str, params: &str) -> Reply {
        let (params, headers) = match self.era {
            Era::Legacy => (json(params), String::new()),
            Era::Modern => modern(method, &json(params)),
        };
        let method = raw::quote(method);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":{method},"params":{params}}}"#);
        Reply::read(&self.post(&body, &headers).await)
    }

    pub async fn call(&mut self, tool: &str, arguments: &str) -> Reply {
        let params = format!(r#"{{"name":{},"arguments":{arguments}}}"#, raw::quote(tool));
        self.ask("tools/call", &params).await
    }
}

/// What a modern request says of itself, in its body and beside it.
fn modern(method: &str, params: &Json) -> (Json, String) {
    let meta = json(&format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{REVISION}","io.modelcontextprotocol/clientCapabilities":{{}}}}"#
    ));
    let mut headers = format!("mcp-protocol-version: {REVISION}\r\nmcp-method: {method}\r\n");
    if matches!(method, "tools/call" | "resources/read" | "prompts/get")
        && let Some(name) = params.get_text("name").or_else(|| params.get_text("uri"))
    {
        headers.push_str(&format!("mcp-name: {name}\r\n"));
    }
    (params.with("_meta", &meta), headers)
}

/// JSON that is known to be JSON.
pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}
