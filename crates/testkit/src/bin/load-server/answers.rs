//! What it answers, however the message came.

use std::collections::BTreeMap;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;
use toolwright_jsonrpc::{Id, Json, Message, Request, raw};

use crate::tools;

/// The answer to a message.
pub enum Said {
    /// There is none.
    Nothing,
    /// At once.
    Now(String),
    /// After so long.
    Later(Duration, String),
}

/// What it is.
pub struct Server {
    is_modern: bool,
    label: Option<String>,
    /// The members of the answer to `tools/list`.
    tools: String,
    delay: Duration,
    is_silent: bool,
    delayed: Once,
    /// How long it waits before it changes its tools the next time.
    pub changes: Option<Duration>,
    /// How often it was asked for its tools, and how often they changed.
    lists: AtomicU64,
    version: AtomicU64,
}

impl Server {
    /// As its arguments say.
    pub fn new(arguments: impl Iterator<Item = String>) -> Server {
        let mut server = Server {
            is_modern: false,
            label: None,
            tools: String::new(),
            delay: Duration::ZERO,
            is_silent: false,
            delayed: Once::new(),
            changes: None,
            lists: AtomicU64::new(0),
            version: AtomicU64::new(0),
        };
        let (mut count, mut bytes) = (0, tools::FILLING_BYTES);
        let (mut prefix, mut named, mut piece) = ("tool".to_owned(), Vec::new(), None);
        for argument in arguments {
            let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
            let number = || value.parse().unwrap_or(0);
            match name {
                "--modern" => server.is_modern = true,
                "--hangs" => server.is_silent = true,
                "--label" => server.label = Some(value.to_owned()),
                "--delay" => server.delay = Duration::from_millis(number()),
                "--changes" => server.changes = Some(Duration::from_millis(number())),
                "--bytes" => bytes = number() as usize,
                "--piece" => piece = Some(value.to_owned()),
                "--tools" => count = number() as usize,
                "--prefix" => prefix = value.to_owned(),
                "--tool" => named.push(value.to_owned()),
                _ => {}
            }
        }
        server.tools = tools::listed((count, bytes), &prefix, &named, piece.as_deref());
        server
    }

    /// Changes its tools, once somebody has asked for them.
    pub fn change(&self) -> bool {
        self.version.fetch_add(1, Ordering::Relaxed);
        self.lists.load(Ordering::Relaxed) > 0
    }

    /// The tool that changes, if there is one.
    fn changing(&self) -> String {
        let version = self.version.load(Ordering::Relaxed);
        let tool = format!(
            r#"{{"name":"version_{version}","description":"The version {version}.","inputSchema":{{"type":"object"}}}},"#
        );
        self.changes.map(|_| tool).unwrap_or_default()
    }

    /// Hears a message and what came beside it.
    pub fn hear(&self, text: &str, headers: &[(String, String)]) -> Said {
        self.delayed.call_once(|| thread::sleep(self.delay));
        match Message::parse(text) {
            Ok(Message::Request(request)) if !self.is_silent => self.answer(&request, text, headers),
            _ => Said::Nothing,
        }
    }

    fn answer(&self, request: &Request, text: &str, headers: &[(String, String)]) -> Said {
        let id = &request.id;
        let result = match request.method.as_str() {
            "tools/call" => return self.call(request, text, headers),
            "tools/list" => {
                let cache = if self.is_modern { r#","ttlMs":0,"cacheScope":"private""# } else { "" };
                self.lists.fetch_add(1, Ordering::Relaxed);
                format!(r#"{{{}"tools":[{}{}]{cache}}}"#, self.kind(), self.changing(), self.tools)
            }
            "ping" => "{}".to_owned(),
            "initialize" => {
                let tools = if self.changes.is_some() { r#"{"listChanged":true}"# } else { "{}" };
                let about = r#""serverInfo":{"name":"load","version":"1"}"#;
                format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{tools}}},{about}}}"#)
            }
            "server/discover" if self.is_modern => {
                let about = r#""ttlMs":0,"cacheScope":"public","capabilities":{"tools":{}}"#;
                let server =
                    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"load","version":"1"}}"#;
                format!(r#"{{{}"supportedVersions":["2026-07-28"],{about},{server}}}"#, self.kind())
            }
            method => {
                let message = raw::quote(&format!("there is no method {method}"));
                return Said::Now(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":{message}}}}}"#
                ));
            }
        };
        Said::Now(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    }

    fn call(&self, request: &Request, line: &str, headers: &[(String, String)]) -> Said {
        let params = request.params.clone().unwrap_or_else(Json::empty_object);
        let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
        let text = || arguments.get_text("text").unwrap_or_default();
        let name = params.get_text("name").unwrap_or_default();
        let id = &request.id;
        match name.as_str() {
            "line" => Said::Now(self.says(id, line)),
            "environment" => {
                let variables: BTreeMap<String, String> = std::env::vars().collect();
                Said::Now(self.says(id, &json!(variables).to_string()))
            }
            "headers" => Said::Now(self.says(id, &json!(headers).to_string())),
            "slow" => {
                let time = arguments.get("ms").and_then(|ms| ms.as_str().parse().ok()).unwrap_or(0);
                Said::Later(Duration::from_millis(time), self.says(id, &self.labelled(&text())))
            }
            "fail" => Said::Now(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"result":{{{}"content":[{{"type":"text","text":{}}}],"isError":true}}}}"#,
                self.kind(),
                raw::quote(&text())
            )),
            "refuse" => {
                let message = raw::quote(&text());
                Said::Now(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":{message}}}}}"#
                ))
            }
            "print" => {
                eprintln!("{}", text());
                Said::Now(self.says(id, &text()))
            }
            "die" => {
                eprintln!("{}", text());
                std::process::exit(3)
            }
            "echo" => Said::Now(self.says(id, &self.labelled(&text()))),
            "repeat" => Said::Now(self.repeats(request, &arguments)),
            // The others say who they are.
            other => Said::Now(self.says(id, &self.labelled(other))),
        }
    }

    /// A text again and again, at the place of an answer that is asked for.
    fn repeats(&self, request: &Request, arguments: &Json) -> String {
        let (id, kind) = (&request.id, self.kind());
        let count = arguments.get("count").and_then(|count| count.as_str().parse().ok()).unwrap_or(0);
        let piece = arguments.get_text("piece").unwrap_or_default();
        let text = raw::quote(&piece.repeat(count));
        let content = |text: &str| format!(r#""content":[{{"type":"text","text":{text}}}]"#);
        let result = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{kind}{members}}}}}"#);
        let notified = |method: &str, params: &str| {
            let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#);
            format!("{line}\n{}", result(&content("\"told\"")))
        };
        match arguments.get_text("as").as_deref() {
            Some("failure") => result(&format!(r#"{},"isError":true"#, content(&text))),
            Some("refusal") => {
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32000,"message":{text}}}}}"#)
            }
            Some("key") => result(&format!(r#"{},"structuredContent":{{{text}:1}}"#, content("\"key\""))),
            // The piece is JSON itself.
            Some("values") => {
                let values = vec![piece; count].join(",");
                result(&format!(r#"{},"structuredContent":{{"values":[{values}]}}"#, content("\"values\"")))
            }
            Some("log") => notified("message", &format!(r#"{{"level":"error","data":{text}}}"#)),
            Some("progress") => {
                let meta = request.params.as_ref().and_then(|params| params.get("_meta"));
                let token = meta.and_then(|meta| meta.get("progressToken"));
                let token = token.map_or("0".to_owned(), |token| token.to_string());
                let params = format!(r#"{{"progressToken":{token},"progress":1,"message":{text}}}"#);
                notified("progress", &params)
            }
            _ => result(&content(&text)),
        }
    }

    fn labelled(&self, text: &str) -> String {
        match &self.label {
            Some(label) => format!("{label}:{text}"),
            None => text.to_owned(),
        }
    }

    fn says(&self, id: &Id, text: &str) -> String {
        let (kind, text) = (self.kind(), raw::quote(text));
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{{kind}"content":[{{"type":"text","text":{text}}}]}}}}"#
        )
    }

    /// What every modern result begins with.
    fn kind(&self) -> &'static str {
        if self.is_modern { r#""resultType":"complete","# } else { "" }
    }
}
