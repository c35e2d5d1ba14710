//! A gateway with one upstream behind it, and the clients that ask it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;
use toolwright_testkit::llm_upstream::{Dialect, LlmUpstream};
use toolwright_testkit::load::{Answer, GatewayPrograms, Served, Wire};

use crate::installed;

/// Longer than a client takes for all its cases.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Longer than one exchange takes that does not hang.
pub const SOON: Duration = Duration::from_secs(30);

/// The key of the provider, which nobody may see.
pub const KEY: &str = "sk-upstream-9f2b7c";

/// The dialects of clients, by the names they have in the drivers.
pub const FRONTS: [(&str, Dialect); 4] = [
    ("anthropic", Dialect::Anthropic),
    ("chat", Dialect::Chat),
    ("responses", Dialect::Responses),
    ("ollama", Dialect::Ollama),
];

/// A gateway with the scenarios behind it.
pub struct Stage {
    pub upstream: LlmUpstream,
    pub gateway: Served,
}

/// The entry of an upstream that speaks this dialect.
pub fn entry(dialect: Dialect, url: &str) -> Value {
    let mut entry = match dialect {
        Dialect::Chat => json!({"kind": "openai", "api": "chat", "url": format!("{url}/v1")}),
        Dialect::Responses => json!({"kind": "openai", "api": "responses", "url": format!("{url}/v1")}),
        Dialect::Anthropic => json!({"kind": "anthropic", "url": url}),
        Dialect::Ollama => json!({"kind": "ollama", "url": url}),
    };
    entry["apiKey"] = json!(KEY);
    entry["textToolCalls"] = json!(true);
    entry
}

/// A gateway with this section `llm`.
pub fn serve(llm: &Value) -> Served {
    let beside = Path::new(env!("CARGO_BIN_EXE_llm-upstream"));
    Served::start_guarded(&GatewayPrograms::beside(beside), &json!({"llm": llm}))
}

impl Stage {
    /// Starts both.
    pub async fn set(dialect: Dialect) -> Stage {
        Stage::set_with(dialect, json!({})).await
    }

    /// Starts both, with more in the entry of the upstream.
    pub async fn set_with(dialect: Dialect, more: Value) -> Stage {
        let upstream = LlmUpstream::start().await.expect("a port");
        let mut entry = entry(dialect, &upstream.url);
        if let (Some(entry), Value::Object(more)) = (entry.as_object_mut(), more) {
            entry.extend(more);
        }
        let gateway = serve(&json!({"upstreams": {"up": entry}, "models": {"*": "up/*"}}));
        Stage { upstream, gateway }
    }

    /// Runs the cases with the official SDKs.
    pub async fn ask(&self, cases: &[Value]) -> Vec<Value> {
        sdks(&format!("http://{}", self.gateway.address), &self.gateway.token, cases).await
    }

    /// A client of the gateway that says every byte itself.
    pub async fn post(&self, path: &str, body: &str) -> Answer {
        self.send(path, "", body).await
    }

    /// The same, with more headers, each with the end of its line.
    pub async fn send(&self, path: &str, headers: &str, body: &str) -> Answer {
        let (address, token) = (self.gateway.address, &self.gateway.token);
        let asked = async {
            let mut wire = Wire::connect(address).await.expect("a connection");
            wire.ask(request(address, token, path, headers, body).as_bytes()).await
        };
        timeout(SOON, asked).await.expect("it does not hang").expect("an answer")
    }

    /// Sends a request and reads until the connection ends or the answer does, whichever way that is.
    pub async fn post_to_its_end(&self, path: &str, body: &str) -> (Answer, bool) {
        let (address, token) = (self.gateway.address, &self.gateway.token);
        let asked = async {
            let mut wire = Wire::connect(address).await.expect("a connection");
            wire.send(request(address, token, path, "", body).as_bytes()).await.expect("sent");
            let mut answer = wire.receive_head().await.expect("a head");
            if answer.header("transfer-encoding").is_none() {
                return (wire.receive_body(answer).await.expect("a body"), true);
            }
            loop {
                match wire.receive_chunk().await {
                    Ok(Some(chunk)) => answer.body.extend_from_slice(&chunk),
                    Ok(None) => return (answer, true),
                    Err(_) => return (answer, false),
                }
            }
        };
        timeout(SOON, asked).await.expect("it does not hang")
    }
}

/// A request as bytes.
pub fn request(address: SocketAddr, token: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    )
}

/// The path at which a dialect is spoken.
pub fn path(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Chat => "/v1/chat/completions",
        Dialect::Responses => "/v1/responses",
        Dialect::Anthropic => "/v1/messages",
        Dialect::Ollama => "/api/chat",
    }
}

/// The smallest question in a dialect.
pub fn question(dialect: Dialect, model: &str, is_stream: bool) -> Value {
    let schema = json!({
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city", "days"],
    });
    let function = json!({"name": "get_weather", "description": "The weather.", "parameters": schema});
    let message = json!({"role": "user", "content": "What is the weather in Zürich?"});
    let mut body = json!({"model": model, "stream": is_stream});
    match dialect {
        Dialect::Responses => {
            body["input"] = json!([message]);
            body["tools"] = json!([{
                "type": "function", "name": "get_weather", "description": "The weather.", "parameters": schema, "strict": false,
            }]);
        }
        Dialect::Anthropic => {
            body["max_tokens"] = json!(1024);
            body["messages"] = json!([message]);
            body["tools"] =
                json!([{"name": "get_weather", "description": "The weather.", "input_schema": schema}]);
        }
        Dialect::Chat | Dialect::Ollama => {
            body["messages"] = json!([message]);
            body["tools"] = json!([{"type": "function", "function": function}]);
        }
    }
    body
}

/// Runs cases with the Python driver.
pub async fn sdks(base: &str, token: &str, cases: &[Value]) -> Vec<Value> {
    sdks_with(base, token, cases, json!({})).await
}

/// The same, with more in the order.
pub async fn sdks_with(base: &str, token: &str, cases: &[Value], more: Value) -> Vec<Value> {
    let words = vec![installed::client_script("llm/driver.py")];
    drive(installed::llm_python(), words, base, token, cases, more).await
}

/// Runs cases with the AI SDK.
pub async fn with_ai_sdk(base: &str, token: &str, cases: &[Value]) -> Vec<Value> {
    let words = vec![installed::client_script("llm/ai_sdk.mjs"), installed::llm_node_modules()];
    drive(installed::node(), words, base, token, cases, json!({})).await
}

async fn drive(
    program: PathBuf,
    words: Vec<PathBuf>,
    base: &str,
    token: &str,
    cases: &[Value],
    more: Value,
) -> Vec<Value> {
    let mut order = json!({"base": base, "token": token, "cases": cases});
    if let (Some(order), Value::Object(more)) = (order.as_object_mut(), more) {
        order.extend(more);
    }
    let mut child = Command::new(program)
        .args(words)
        // Scripts lie in the repository, where nothing is to be left behind.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .kill_on_drop(true)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the driver starts");
    let mut stdin = child.stdin.take().expect("its stdin");
    stdin.write_all(order.to_string().as_bytes()).await.expect("read");
    drop(stdin);
    let output =
        timeout(PATIENCE, child.wait_with_output()).await.expect("the driver ends").expect("it runs");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let facts: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(facts.len(), cases.len(), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
    facts
}
