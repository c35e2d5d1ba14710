//! A client that decides about every byte: HTTP/1.1 over one connection, and MCP of either era on it.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_jsonrpc::{Json, raw};

/// Longer than any answer takes that is still to come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What a modern client says of itself with each request.
pub const MODERN: &str = "2026-07-28";
/// What a legacy client asks for.
pub const LEGACY: &str = "2025-11-25";

/// One connection.
pub struct Line {
    stream: BufReader<TcpStream>,
    host: String,
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Its status.
    pub status: u16,
    /// Its headers; the names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body, without what HTTP puts around it.
    pub body: String,
}

impl Reply {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Every JSON-RPC message in it: the body, or the data of its events.
    pub fn messages(&self) -> Vec<Json> {
        let is_stream = self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let texts: Vec<String> = match is_stream {
            true => self.body.split("\n\n").map(data).collect(),
            false => vec![self.body.clone()],
        };
        texts
            .iter()
            .filter_map(|text| Json::parse(text).ok())
            .filter(|json| json.get("jsonrpc").is_some())
            .collect()
    }

    /// The response among them.
    pub fn response(&self) -> Option<Json> {
        let is_response = |json: &Json| json.get("result").is_some() || json.get("error").is_some();
        self.messages().into_iter().find(is_response)
    }

    /// The result; what else came instead is told.
    pub fn result(&self) -> Result<Json, String> {
        let told = || format!("HTTP {}: {}", self.status, self.body);
        self.response().and_then(|response| response.get("result")).ok_or_else(told)
    }

    /// The error of the response.
    pub fn error(&self) -> Option<Json> {
        self.response()?.get("error")
    }
}

fn data(event: &str) -> String {
    let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<&str>>().join("\n")
}

impl Line {
    /// Connects to `127.0.0.1:PORT`, as it stands in an address.
    pub async fn open(host: &str) -> io::Result<Line> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Line { stream: BufReader::new(stream), host: host.to_owned() })
    }

    /// Sends a request and reads its answer to the end.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Reply> {
        self.write(method, path, headers, body).await?;
        timeout(PATIENCE, self.read()).await.map_err(|_| io::ErrorKind::TimedOut)?
    }

    /// Sends a request only.
    pub async fn write(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<()> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.stream.get_mut().write_all(request.as_bytes()).await
    }

    /// Sends these bytes as they are.
    pub async fn write_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes).await
    }

    /// Reads one answer to its end.
    pub async fn read(&mut self) -> io::Result<Reply> {
        let (status, headers) = self.read_head().await?;
        let mut reply = Reply { status, headers, body: String::new() };
        let mut body = Vec::new();
        if reply.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
            while let Some(chunk) = self.read_chunk().await? {
                body.extend_from_slice(&chunk);
            }
        } else if let Some(length) = reply.header("content-length").and_then(|value| value.parse().ok()) {
            body.resize(length, 0);
            self.stream.read_exact(&mut body).await?;
        }
        reply.body = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(reply)
    }

    /// Reads status and headers.
    pub async fn read_head(&mut self) -> io::Result<(u16, Vec<(String, String)>)> {
        let first = self.read_line().await?;
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no HTTP answer: {first:?}")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.read_line().await?;
            if line.is_empty() {
                return Ok((status, headers));
            }
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
    }

    /// Reads a part of a stream; nothing at its end.
    pub async fn read_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let line = self.read_line().await?;
        let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.map_err(|_| io::Error::other(format!("no chunk: {line:?}")))?;
        let mut chunk = vec![0; size];
        self.stream.read_exact(&mut chunk).await?;
        self.read_line().await?;
        Ok(Some(chunk).filter(|_| size > 0))
    }

    async fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// How a client speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speech {
    /// With `initialize`, and the session that came of it.
    Legacy {
        /// What the gateway calls it.
        session: Option<String>,
    },
    /// With everything in each request.
    Modern,
}

/// A client of an endpoint.
pub struct Caller {
    line: Line,
    path: String,
    /// How it speaks.
    pub speech: Speech,
    /// What it can do for a server.
    pub capabilities: &'static str,
    /// What came of the start: of `initialize`, or of `server/discover`.
    pub about: Json,
    next: u64,
}

/// The two parts of `http://HOST/PATH`.
pub fn parts(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    (host.to_owned(), format!("/{path}"))
}

impl Caller {
    /// A legacy client, initialized.
    pub async fn legacy(url: &str) -> Caller {
        let mut caller = Caller::silent(url, Speech::Legacy { session: None }).await;
        caller.initialize().await.expect("it is initialized");
        caller
    }

    /// Begins a session, as a legacy client does.
    pub async fn initialize(&mut self) -> io::Result<()> {
        let params = format!(
            r#"{{"protocolVersion":"{LEGACY}","capabilities":{},"clientInfo":{{"name":"wire","version":"1"}}}}"#,
            self.capabilities
        );
        let reply = self.ask_as("\"start\"", "initialize", &params).await?;
        self.about = reply.result().map_err(io::Error::other)?;
        self.speech = Speech::Legacy { session: reply.header("mcp-session-id").map(str::to_owned) };
        let told = self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, &[]).await?;
        match told.status {
            202 => Ok(()),
            status => Err(io::Error::other(format!("HTTP {status}: {}", told.body))),
        }
    }

    /// A modern client that has asked what there is.
    pub async fn modern(url: &str) -> Caller {
        let mut caller = Caller::silent(url, Speech::Modern).await;
        caller.about = caller.ask("server/discover", "{}").await.result().expect("it is discovered");
        caller
    }

    /// A client that has not said anything yet.
    pub async fn silent(url: &str, speech: Speech) -> Caller {
        Caller::try_silent(url, speech).await.expect("the gateway takes connections")
    }

    /// The same, where it may be that nobody is there.
    pub async fn try_silent(url: &str, speech: Speech) -> io::Result<Caller> {
        let (host, path) = parts(url);
        let line = Line::open(&host).await?;
        Ok(Caller { line, path, speech, capabilities: "{}", about: Json::empty_object(), next: 0 })
    }

    /// Asks, with the next id.
    pub async fn ask(&mut self, method: &str, params: &str) -> Reply {
        let id = self.next.to_string();
        self.next += 1;
        self.ask_as(&id, method, params).await.expect("an answer")
    }

    /// Asks, with this id.
    pub async fn ask_as(&mut self, id: &str, method: &str, params: &str) -> io::Result<Reply> {
        let (body, headers) = self.message(id, method, params);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.post(&body, &headers).await
    }

    /// A request as it goes out, and the headers that belong to it.
    pub fn message(&self, id: &str, method: &str, params: &str) -> (String, Vec<(&'static str, String)>) {
        let mut headers = Vec::new();
        let mut params = Json::parse(params).expect("params are JSON");
        if self.speech == Speech::Modern {
            let meta = params.get("_meta").unwrap_or_else(Json::empty_object);
            let meta = meta
                .with("io.modelcontextprotocol/protocolVersion", &Json::text(MODERN))
                .with("io.modelcontextprotocol/clientInfo", &json(r#"{"name":"wire","version":"1"}"#))
                .with("io.modelcontextprotocol/clientCapabilities", &json(self.capabilities));
            headers.push(("Mcp-Method", method.to_owned()));
            let name = params.get_text("name").or_else(|| params.get_text("uri"));
            if let Some(name) =
                name.filter(|_| matches!(method, "tools/call" | "resources/read" | "prompts/get"))
            {
                headers.push(("Mcp-Name", name));
            }
            params = params.with("_meta", &meta);
        }
        let method = raw::quote(method);
        (format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#), headers)
    }

    /// Posts a message with the headers of its era and these.
    pub async fn post(&mut self, body: &str, more: &[(&str, &str)]) -> io::Result<Reply> {
        let mut headers =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let session = match &self.speech {
            Speech::Modern => {
                headers.push(("MCP-Protocol-Version", MODERN));
                None
            }
            Speech::Legacy { session } => session.clone(),
        };
        if let Some(session) = &session {
            headers.push(("MCP-Protocol-Version", LEGACY));
            headers.push(("Mcp-Session-Id", session));
        }
        headers.extend_from_slice(more);
        let path = self.path.clone();
        self.line.send("POST", &path, &headers, body).await
    }

    /// Calls a tool.
    pub async fn call(&mut self, tool: &str, arguments: &str) -> Reply {
        self.ask("tools/call", &call_params(tool, arguments)).await
    }

    /// Calls a tool and gives the first text of its result.
    pub async fn says(&mut self, tool: &str, arguments: &str) -> String {
        let reply = self.call(tool, arguments).await;
        match reply.result() {
            Ok(result) => text_of(&result),
            Err(told) => told,
        }
    }
}

/// `{"name", "arguments"}`
pub fn call_params(tool: &str, arguments: &str) -> String {
    format!(r#"{{"name":{},"arguments":{arguments}}}"#, raw::quote(tool))
}

/// The text of a result; empty when it has none.
pub fn text_of(result: &Json) -> String {
    let content = result.get("content").and_then(|content| content.items()).unwrap_or_default();
    content.first().and_then(|first| first.get_text("text")).unwrap_or_default()
}

/// JSON that is known to be JSON.
pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_in_a_body_and_in_events() {
        let reply = |kind: &str, body: &str| Reply {
            status: 200,
            headers: vec![("content-type".into(), kind.into())],
            body: body.into(),
        };
        let plain = reply("application/json", r#"{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}"#);
        assert_eq!(plain.result().expect("a result").as_str(), r#"{"a":1.0}"#);
        let body = "id: 1\ndata: \n\n: alive\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n\n\
                    data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}\n\n";
        let stream = reply("text/event-stream", body);
        assert_eq!(stream.messages().len(), 2);
        assert_eq!(stream.error().expect("an error").as_str(), r#"{"code":-1}"#);
    }

    #[test]
    fn an_address_has_a_host_and_a_path() {
        assert_eq!(parts("http://127.0.0.1:8484/mcp/t/x"), ("127.0.0.1:8484".into(), "/mcp/t/x".into()));
    }
}
