//! What it answers, however the message came.

use std::collections::BTreeMap;
use std::sync::Once;
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
        };
        let (mut count, mut prefix, mut named) = (0, "tool".to_owned(), Vec::new());
        for argument in arguments {
            let (name, value) = argument.split_once('=').unwrap_or((&argument, ""));
            let number = || value.parse().unwrap_or(0);
            match name {
                "--modern" => server.is_modern = true,
                "--hangs" => server.is_silent = true,
                "--label" => server.label = Some(value.to_owned()),
                "--delay" => server.delay = Duration::from_millis(number()),
                "--tools" => count = number() as usize,
                "--prefix" => prefix = value.to_owned(),
                "--tool" => named.push(value.to_owned()),
                _ => {}
            }
        }
        server.tools = tools::listed(count, &prefix, &named);
        server
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
                format!(r#"{{{}{}{cache}}}"#, self.kind(), self.tools)
            }
            "ping" => "{}".to_owned(),
            "initialize" => {
                let about = r#""capabilities":{"tools":{}},"serverInfo":{"name":"load","version":"1"}"#;
                format!(r#"{{"protocolVersion":"2025-11-25",{about}}}"#)
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
            // The others say who they are.
            other => Said::Now(self.says(id, &self.labelled(other))),
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
