//! T08: what was judged is what the server got, however a call is spelled; else it is refused.

#![cfg(target_os = "linux")]

use crate::spellings;

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};
use toolwright_testkit::load::{Answer, Client, Era, GatewayPrograms, REVISION, Served};

/// The keys that a message and its params may have on their way to a server.
const ENVELOPE: [&str; 4] = ["jsonrpc", "id", "method", "params"];
const PARAMS: [&str; 3] = ["name", "arguments", "_meta"];

fn meta(era: Era) -> Vec<(&'static str, String, String)> {
    let mut meta = vec![("progressToken", r#""right""#.to_owned(), r#""wrong""#.to_owned())];
    if era == Era::Modern {
        let other = r#""2025-11-25""#.to_owned();
        meta.push(("io.modelcontextprotocol/protocolVersion", format!(r#""{REVISION}""#), other));
        let other = r#"{"sampling":{}}"#.to_owned();
        meta.push(("io.modelcontextprotocol/clientCapabilities", "{}".to_owned(), other));
    }
    meta
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t08_the_server_gets_what_was_judged_or_nothing() {
    let programs = GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")));
    let entry =
        json!({"command": programs.server, "args": ["--tool=forbidden"], "toolFilters": ["*", "!forbidden"]});
    let configuration = json!({"toolboxes": {"one": {"description": "One.", "mcpServers": {"one": entry}}}});
    let log = [("TOOLWRIGHT_LOG", "toolwright::tools=info"), ("NO_COLOR", "1")];
    let served = Served::start_with(&programs, Some(&configuration), &[], &log);
    let mut wrong = Vec::new();
    let (mut cases, mut passed) = (0, 0);
    for era in [Era::Legacy, Era::Modern] {
        for path in ["/mcp/t/one", "/mcp/all"] {
            let spellings = spellings::all(&meta(era));
            assert!(spellings.len() >= 100, "only {}", spellings.len());
            let name = if path == "/mcp/all" { flat_name(&served).await } else { "line".to_owned() };
            let mut client = served.client(path, era).await.expect("a client");
            for spelling in spellings {
                cases += 1;
                let body = replaced(&spelling.body, b"\"line\"", format!("\"{name}\"").as_bytes());
                let headers = match era {
                    Era::Legacy => String::new(),
                    Era::Modern => Client::modern_headers("tools/call", Some(&name)),
                };
                let logged = served.log().len();
                let answer = match client.raw_with(&body, &headers).await {
                    Ok(answer) => answer,
                    // It may close a connection on which something came that is no HTTP any more.
                    Err(trouble) => {
                        wrong.push(format!("{era:?} {path} {}: {trouble}", spelling.about));
                        client = served.client(path, era).await.expect("a client");
                        continue;
                    }
                };
                match reached(&answer) {
                    None => {
                        let is_clear = answer.status < 500 && !answer.body.is_empty();
                        // What has no id is a notification, and those are never answered.
                        if !is_clear && answer.status != 202 {
                            wrong.push(format!("{era:?} {path} {}: {answer:?}", spelling.about));
                        }
                    }
                    Some(line) => {
                        passed += 1;
                        let logged = log_of(&served, logged).await;
                        if let Some(fault) = fault(&line, &logged) {
                            wrong.push(format!("{era:?} {path} {}: {fault}\n    {line}", spelling.about));
                        }
                    }
                }
            }
        }
    }
    // Both ends of the table are there: what is only unusual passes, what is odd does not.
    assert!(passed > 20 && passed < cases, "{passed} of {cases} passed");
    assert!(wrong.is_empty(), "{} of {cases}:\n{}", wrong.len(), wrong.join("\n"));
    let log = served.log();
    assert!(
        !log.contains("tool=\"one/forbidden\"") || !log.contains("outcome=\"ok\" tool=\"one/forbidden\"")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t08_very_many_keys_hold_nobody_up() {
    let programs = GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")));
    let served = Served::start(&programs, &programs.apart(&[("one".to_owned(), programs.entry(&[]))]));
    let keys: Vec<String> = (0..300_000).map(|number| format!(r#""k{number}":0"#)).collect();
    let many = keys.join(",");
    let call = r#""jsonrpc":"2.0","id":7,"method":"tools/call""#;
    for (place, body) in [
        (
            "the message",
            format!(r#"{{{call},"params":{{"name":"echo","arguments":{{"text":"x"}}}},{many}}}"#),
        ),
        ("params", format!(r#"{{{call},"params":{{"name":"echo","arguments":{{"text":"x"}},{many}}}}}"#)),
        (
            "_meta",
            format!(r#"{{{call},"params":{{"name":"echo","arguments":{{"text":"x"}},"_meta":{{{many}}}}}}}"#),
        ),
        ("arguments", format!(r#"{{{call},"params":{{"name":"echo","arguments":{{"text":"x",{many}}}}}}}"#)),
    ] {
        let mut client = served.client("/mcp/t/one", Era::Legacy).await.expect("a client");
        // Longer than it takes on any machine when keys are not all compared with each other.
        let answer = tokio::time::timeout(Duration::from_secs(20), client.raw(body.as_bytes())).await;
        let answer = answer.unwrap_or_else(|_| panic!("{place}: no answer")).expect("an answer");
        assert!(answer.status < 500, "{place}: {answer:?}");
    }
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    result.extend_from_slice(rest);
    result
}

/// The name of `line` among all tools.
async fn flat_name(served: &Served) -> String {
    let mut client = served.client("/mcp/all", Era::Modern).await.expect("a client");
    let reply = client.ask("0", "tools/list", "{}").await.expect("a list");
    let tools = reply.outcome.expect("a list")["tools"].as_array().cloned().unwrap_or_default();
    assert!(!tools.iter().any(|tool| tool["name"].as_str().is_some_and(|name| name.contains("forbidden"))));
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    names.into_iter().find(|name| name.ends_with("line")).expect("the tool").to_owned()
}

/// The line that reached the server, if one did.
fn reached(answer: &Answer) -> Option<String> {
    let text = answer.text();
    let mut messages = if answer.is_stream() {
        text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::to_owned).collect()
    } else {
        vec![text]
    };
    messages.retain(|message| message.contains("\"result\""));
    let message: Value = serde_json::from_str(messages.first()?).ok()?;
    if message.pointer("/result/isError") == Some(&Value::Bool(true)) {
        return None;
    }
    Some(message.pointer("/result/content/0/text")?.as_str()?.to_owned())
}

/// What was logged of this call: it may be written a moment after the answer.
async fn log_of(served: &Served, from: usize) -> String {
    let deadline = Instant::now() + Duration::from_secs(3);
    loop {
        let log = served.log();
        let new = log.get(from..).unwrap_or_default();
        if new.contains("tool call finished") || Instant::now() > deadline {
            return new.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What a reader of some kind could read out of the line that was not judged.
fn fault(line: &str, logged: &str) -> Option<String> {
    let unique: Unique = match serde_json::from_str(line) {
        Ok(unique) => unique,
        // JSON all the same, and the bytes that were sent: what is read here has no room for it.
        Err(_) if ["1e400", r"\ud800"].iter().any(|odd| line.contains(odd)) => return None,
        Err(error) => return Some(format!("the line is not plain JSON: {error}")),
    };
    let Value::Object(envelope) = &unique.0 else { return Some("no object".to_owned()) };
    if let Some(key) = envelope.keys().find(|key| !ENVELOPE.contains(&key.as_str())) {
        return Some(format!("the message has the key {key:?}"));
    }
    let params = &unique.0["params"];
    let keys = params.as_object().into_iter().flat_map(serde_json::Map::keys);
    if let Some(key) = keys.into_iter().find(|key| !PARAMS.contains(&key.as_str()) && is_alike(key)) {
        return Some(format!("the params have the key {key:?}"));
    }
    if params["name"] != "line" || unique.0["method"] != "tools/call" {
        return Some("it calls something else".to_owned());
    }
    let finished = logged.lines().find(|line| line.contains("tool call finished"));
    let Some(finished) = finished else { return Some(format!("nothing was logged of it: {logged}")) };
    if !finished.contains("one/line") {
        return Some(format!("another tool was logged: {finished}"));
    }
    let text = params.pointer("/arguments/text").and_then(Value::as_str).unwrap_or_default();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric());
    (is_plain && !finished.contains(text)).then(|| format!("other arguments were logged: {finished}"))
}

/// Whether a careless reader takes this key for one of the protocol's.
fn is_alike(key: &str) -> bool {
    let folded = key.replace('ſ', "s").replace('\u{212a}', "k").to_lowercase();
    // A text of C ends at its first NUL.
    PARAMS.contains(&folded.split('\0').next().unwrap_or_default())
}

/// JSON in which no key stands twice, at any depth.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Unique)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let (mut seen, mut object) = (HashSet::new(), serde_json::Map::new());
        while let Some((key, value)) = map.next_entry::<String, Unique>()? {
            if !seen.insert(key.clone()) {
                return Err(serde::de::Error::custom(format!("the key {key:?} stands twice")));
            }
            object.insert(key, value.0);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Unique>()? {
            items.push(item.0);
        }
        Ok(Value::Array(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
