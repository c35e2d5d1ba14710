//! A client of either era over one connection, with ids that its caller chooses.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::wire::{Answer, Wire};

/// The revision of modern requests.
pub const REVISION: &str = "2026-07-28";
/// The revision of legacy sessions.
const LEGACY_REVISION: &str = "2025-11-25";
const ACCEPT: &str = "application/json, text/event-stream";

/// How it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A session that begins with `initialize`.
    Legacy,
    /// Every request for itself.
    Modern,
}

/// A client.
pub struct Client {
    wire: Wire,
    address: SocketAddr,
    path: String,
    era: Era,
    session: Option<String>,
    /// Headers that every request has besides, each with its line end.
    extra: String,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The id as it was written.
    pub id: String,
    /// The result, or the error object.
    pub outcome: Result<Value, Value>,
}

impl Reply {
    /// The text of the first content of a result that is no error.
    pub fn text(&self) -> Option<&str> {
        let result = self.outcome.as_ref().ok()?;
        if result.get("isError").and_then(Value::as_bool) == Some(true) {
            return None;
        }
        result.pointer("/content/0/text")?.as_str()
    }

    /// Whether it says that something went wrong, in either way.
    pub fn is_error(&self) -> bool {
        match &self.outcome {
            Ok(result) => result.get("isError").and_then(Value::as_bool) == Some(true),
            Err(_) => true,
        }
    }
}

/// Why there is no reply.
#[derive(Debug)]
pub enum Trouble {
    /// The connection failed.
    Broken(io::Error),
    /// Something came that is no answer to the request.
    Odd(u16, String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Broken(error) => write!(f, "{error}"),
            Trouble::Odd(status, body) => {
                write!(f, "{status}: {}", &body[..body.floor_char_boundary(300)])
            }
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Trouble::Broken(error)
    }
}

/// An answer without its payloads: those are read when somebody wants them.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Client {
    /// Connects, and begins a session where the era has sessions.
    pub async fn open(address: SocketAddr, path: &str, era: Era) -> Result<Client, Trouble> {
        Client::open_with(address, path, era, &[]).await
    }

    /// The same with headers that every request has besides.
    pub async fn open_with(
        address: SocketAddr,
        path: &str,
        era: Era,
        headers: &[(&str, &str)],
    ) -> Result<Client, Trouble> {
        let extra = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let wire = Wire::connect(address).await?;
        let mut client = Client { wire, address, path: path.to_owned(), era, session: None, extra };
        if era == Era::Legacy {
            client.begin().await?;
        }
        Ok(client)
    }

    /// A second connection in the same session.
    pub async fn again(&self) -> Result<Client, Trouble> {
        Ok(Client {
            wire: Wire::connect(self.address).await?,
            address: self.address,
            path: self.path.clone(),
            era: self.era,
            session: self.session.clone(),
            extra: self.extra.clone(),
        })
    }

    async fn begin(&mut self) -> Result<(), Trouble> {
        let params = json!({"protocolVersion": LEGACY_REVISION, "capabilities": {},
            "clientInfo": {"name": "load", "version": "1"}});
        let body = format!(r#"{{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{params}}}"#);
        let answer = self.raw(body.as_bytes()).await?;
        let session = answer.header("mcp-session-id").map(str::to_owned);
        let reply = reply(&answer)?;
        if let Err(error) = reply.outcome {
            return Err(Trouble::Odd(answer.status, error.to_string()));
        }
        self.session = session;
        let answer = self.raw(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await?;
        if answer.status >= 300 {
            return Err(Trouble::Odd(answer.status, answer.text()));
        }
        Ok(())
    }

    /// The session.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Sends a request with this id, written as JSON, and waits for its answer.
    pub async fn ask(&mut self, id: &str, method: &str, params: &str) -> Result<Reply, Trouble> {
        let request = self.request(id, method, params);
        let answer = self.wire.ask(&request).await?;
        reply(&answer)
    }

    /// Sends a request and does not wait.
    pub async fn send(&mut self, id: &str, method: &str, params: &str) -> Result<(), Trouble> {
        let request = self.request(id, method, params);
        Ok(self.wire.send(&request).await?)
    }

    /// Waits for the answer to what was sent.
    pub async fn receive(&mut self) -> Result<Reply, Trouble> {
        reply(&self.wire.receive().await?)
    }

    /// Calls a tool.
    pub async fn call(&mut self, id: &str, tool: &str, arguments: &str) -> Result<Reply, Trouble> {
        self.ask(id, "tools/call", &call_params(tool, arguments)).await
    }

    /// Sends a body as it is, with the headers of its era but for those that repeat parts of the body.
    pub async fn raw(&mut self, body: &[u8]) -> Result<Answer, Trouble> {
        self.raw_with(body, "").await
    }

    /// The same with further headers, each with its line end.
    pub async fn raw_with(&mut self, body: &[u8], headers: &str) -> Result<Answer, Trouble> {
        let request = self.post(body, headers);
        Ok(self.wire.ask(&request).await?)
    }

    /// The headers that a modern call of this tool has.
    pub fn modern_headers(method: &str, name: Option<&str>) -> String {
        let name = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
        format!("mcp-protocol-version: {REVISION}\r\nmcp-method: {method}\r\n{name}")
    }

    /// Says goodbye.
    pub async fn close(mut self) -> Result<u16, Trouble> {
        let Some(session) = self.session.take() else { return Ok(200) };
        let (path, address, extra) = (&self.path, self.address, &self.extra);
        let request = format!(
            "DELETE {path} HTTP/1.1\r\nhost: {address}\r\nmcp-session-id: {session}\r\n\
             mcp-protocol-version: {LEGACY_REVISION}\r\n{extra}\r\n"
        );
        Ok(self.wire.ask(request.as_bytes()).await?.status)
    }

    fn request(&self, id: &str, method: &str, params: &str) -> Vec<u8> {
        match self.era {
            Era::Legacy => {
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
                self.post(body.as_bytes(), "")
            }
            Era::Modern => {
                let params = modern_params(params);
                let named: Value = if method == "tools/call" {
                    serde_json::from_str(&params).unwrap_or_default()
                } else {
                    Value::Null
                };
                let headers = Client::modern_headers(method, named["name"].as_str());
                let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
                self.post(body.as_bytes(), &headers)
            }
        }
    }

    fn post(&self, body: &[u8], headers: &str) -> Vec<u8> {
        let (path, address, extra, length) = (&self.path, self.address, &self.extra, body.len());
        let session = match &self.session {
            Some(session) => {
                format!("mcp-session-id: {session}\r\nmcp-protocol-version: {LEGACY_REVISION}\r\n")
            }
            None => String::new(),
        };
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\naccept: {ACCEPT}\r\n\
             content-type: application/json\r\n{session}{headers}{extra}content-length: {length}\r\n\r\n"
        )
        .into_bytes();
        request.extend_from_slice(body);
        request
    }
}

/// The params of a call.
pub(crate) fn call_params(tool: &str, arguments: &str) -> String {
    format!(r#"{{"name":{},"arguments":{arguments}}}"#, Value::from(tool))
}

/// Params with what a modern request says of itself, in front.
fn modern_params(params: &str) -> String {
    let rest = params.trim_start().strip_prefix('{').unwrap_or("}");
    let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
    format!(
        r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{REVISION}","io.modelcontextprotocol/clientCapabilities":{{}},"io.modelcontextprotocol/clientInfo":{{"name":"load","version":"1"}}}}{comma}{rest}"#
    )
}

/// The answer among whatever else a stream told before it.
fn reply(answer: &Answer) -> Result<Reply, Trouble> {
    let odd = || Trouble::Odd(answer.status, answer.text());
    let text = std::str::from_utf8(&answer.body).map_err(|_| odd())?;
    if !answer.is_stream() {
        return read(answer.status, text).ok_or_else(odd);
    }
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    lines.find_map(|data| read(answer.status, data.trim_start())).ok_or_else(odd)
}

fn read(status: u16, text: &str) -> Option<Reply> {
    let envelope: Envelope<'_> = serde_json::from_str(text).ok()?;
    let id = envelope.id.map(|id| id.get().to_owned()).unwrap_or_default();
    let parsed = |value: &RawValue| serde_json::from_str::<Value>(value.get()).ok();
    let outcome = match (envelope.result, envelope.error) {
        (Some(result), None) => Ok(parsed(result)?),
        (None, Some(error)) => Err(parsed(error)?),
        _ => return None,
    };
    Some(Reply { status, id, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modern_params_say_what_they_are_and_keep_the_rest() {
        let params: Value = serde_json::from_str(&modern_params(r#"{"name":"x"}"#)).expect("JSON");
        assert_eq!(params["name"], "x");
        assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], REVISION);
        assert!(serde_json::from_str::<Value>(&modern_params("{}")).is_ok());
    }

    #[test]
    fn the_answer_is_found_behind_what_a_stream_told_before() {
        let body = "id: 0\ndata:\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n\
            data: {\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"result\":{\"content\":[{\"text\":\"yes\"}]}}\n\n";
        let head = "content-type: text/event-stream".to_owned();
        let answer = Answer { status: 200, head, body: body.as_bytes().to_vec() };
        let reply = reply(&answer).expect("a reply");
        assert_eq!((reply.id.as_str(), reply.text()), ("9007199254740993", Some("yes")));
    }
}
