//! An MCP server that says a text again, as fast as it can, beside as many other tools as it is told to have.
//!
//! `echo-server [--modern] [--http PORT] [--tools N] [--pad BYTES] [--name WORD] [--start-ms N]`: by stdio, or by HTTP on
//! the loopback with the address said on stderr. `--pad` is how large the schema of each other tool is. The tool `who`
//! says the name.

#![allow(clippy::print_stdout, reason = "its stdout is what is tested")]

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use toolwright_jsonrpc::{Json, METHOD_NOT_FOUND, Message, raw};

fn main() -> io::Result<()> {
    let server = Server::new();
    std::thread::sleep(Duration::from_millis(number("--start-ms").unwrap_or(0)));
    match number("--http") {
        Some(port) => serve_http(server, u16::try_from(port).unwrap_or(0)),
        None => serve_stdio(&server),
    }
}

fn word(flag: &str) -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != flag);
    words.next()?;
    words.next()
}

fn number(flag: &str) -> Option<u64> {
    word(flag)?.parse().ok()
}

struct Server {
    is_modern: bool,
    name: String,
    tools: String,
}

impl Server {
    fn new() -> Server {
        let name = word("--name").unwrap_or_else(|| "tool".into());
        let pad = usize::try_from(number("--pad").unwrap_or(0)).unwrap_or(0);
        let mut tools = vec![
            r#"{"name":"echo","description":"Says it again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}"#.to_owned(),
            r#"{"name":"who","description":"Says its name.","inputSchema":{"type":"object"}}"#.to_owned(),
        ];
        tools.extend((0..number("--tools").unwrap_or(0)).map(|at| other_tool(&name, at, pad)));
        Server { is_modern: std::env::args().any(|word| word == "--modern"), name, tools: tools.join(",") }
    }

    /// The answer to a line; nothing for what needs none.
    fn answer(&self, line: &str) -> Option<String> {
        let Ok(Message::Request(request)) = Message::parse(line) else { return None };
        let params = request.params.clone().unwrap_or_else(Json::empty_object);
        let outcome = match request.method.as_str() {
            "initialize" if !self.is_modern => Ok(
                r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#
                    .to_owned(),
            ),
            "server/discover" if self.is_modern => Ok(
                r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":60000,"cacheScope":"public"}"#
                    .to_owned(),
            ),
            "ping" => Ok("{}".to_owned()),
            "tools/list" => Ok(format!(r#"{{"tools":[{}]}}"#, self.tools)),
            "tools/call" => {
                let mut arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
                if params.get_text("name").as_deref() == Some("who") {
                    arguments = Json::empty_object().with("text", &Json::text(&self.name));
                }
                let text = arguments.get("text").filter(|text| text.to_text().is_some());
                let text = text.unwrap_or_else(|| Json::text(arguments.as_str()));
                Ok(format!(r#"{{"content":[{{"type":"text","text":{text}}}]}}"#))
            }
            _ => Err(format!(r#"{{"code":{METHOD_NOT_FOUND},"message":"not here"}}"#)),
        };
        let outcome = match outcome {
            Ok(result) if self.is_modern => {
                let inside = result.strip_suffix('}').unwrap_or(&result);
                let comma = if inside.len() > 1 { "," } else { "" };
                format!(r#""result":{inside}{comma}"resultType":"complete"}}"#)
            }
            Ok(result) => format!(r#""result":{result}"#),
            Err(error) => format!(r#""error":{error}"#),
        };
        Some(format!(r#"{{"jsonrpc":"2.0","id":{},{outcome}}}"#, request.id))
    }
}

fn other_tool(name: &str, at: u64, pad: usize) -> String {
    let word =
        ["lamp", "door", "invoice", "ticket", "branch", "contact", "alarm", "photo"][(at % 8) as usize];
    let verb = ["create", "list", "remove", "rename", "open"][(at / 8 % 5) as usize];
    let filler = "detail ".repeat(pad / 7);
    let description = raw::quote(&format!("{verb} a {word}, number {at} of {name}"));
    format!(
        r#"{{"name":"{verb}_{word}_{at}","description":{description},"inputSchema":{{"type":"object","properties":{{"{word}Id":{{"type":"string","description":{}}},"count":{{"type":"integer"}}}},"required":["{word}Id"]}}}}"#,
        raw::quote(&filler)
    )
}

fn serve_stdio(server: &Server) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        if let Some(answer) = server.answer(&line?) {
            writeln!(stdout, "{answer}")?;
            stdout.flush()?;
        }
    }
    Ok(())
}

fn serve_http(server: Server, port: u16) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        eprintln!("http://{}/mcp", listener.local_addr()?);
        let router = axum::Router::new().route("/mcp", post(answer)).with_state(Arc::new(server));
        axum::serve(listener, router).await
    })
}

async fn answer(State(server): State<Arc<Server>>, _: HeaderMap, body: String) -> Response {
    match server.answer(&body) {
        Some(answer) => ([(header::CONTENT_TYPE, "application/json")], answer).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}
