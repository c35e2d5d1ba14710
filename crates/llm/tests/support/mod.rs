//! What the tests of calls share.
#![allow(dead_code, unreachable_pub)]

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use toolwright_jsonrpc::Json;
use toolwright_llm::calls::{CallReport, CallStage, Mender, ToolCache, builtin_rules};
use toolwright_llm::exchange::{Asked, Fresh, Mending, Prepared, Report};
use toolwright_llm::form::{Event, Stop, Tool};
use toolwright_llm::{Dialect, Target};
use toolwright_normalizer::Normalizer;

/// A tool of a request.
pub fn tool(name: &str, schema: &str) -> Tool {
    let schema = Some(Json::parse(schema).expect("the schema is JSON"));
    Tool { name: name.into(), description: None, schema, strict: None, extra: Vec::new() }
}

/// Tools as a coding client brings them.
pub fn usual_tools() -> Vec<Tool> {
    vec![
        tool(
            "read_note",
            r#"{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},
                "mode":{"enum":["plain","full"]}},"required":["path"],"additionalProperties":false}"#,
        ),
        tool(
            "write_note",
            r#"{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},
                "required":["path","content"],"additionalProperties":false}"#,
        ),
        tool(
            "delete_note",
            r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#,
        ),
        tool("list_notes", r#"{"type":"object","properties":{"folder":{"type":"string"}}}"#),
    ]
}

pub fn mender(tools: &[Tool], needs_objects: bool) -> Mender {
    static NORMALIZER: LazyLock<Arc<Normalizer>> =
        LazyLock::new(|| Arc::new(Normalizer::new(builtin_rules())));
    Mender::new(NORMALIZER.clone(), ToolCache::default().toolset(tools), needs_objects)
}

/// The events of one call, its arguments in these pieces.
pub fn call(number: usize, name: &str, pieces: &[&str]) -> Vec<Event> {
    let mut events = vec![Event::CallStart { call: number, id: format!("call_{number}"), name: name.into() }];
    events.extend(pieces.iter().map(|piece| Event::CallArguments { call: number, text: (*piece).into() }));
    events.push(Event::CallEnd { call: number });
    events
}

pub fn finish(stop: Stop) -> Event {
    Event::Finish { stop, stop_sequence: None }
}

/// What comes out of a stage, one list for each event that went in.
pub fn staged(mender: Mender, events: Vec<Event>) -> (Vec<Vec<Event>>, Vec<CallReport>) {
    let mut stage = CallStage::new(Arc::new(mender));
    let out = events
        .into_iter()
        .map(|event| {
            let mut out = Vec::new();
            stage.push(event, &mut out);
            out
        })
        .collect();
    (out, stage.reports())
}

/// All that comes out of a stage.
pub fn all_staged(mender: Mender, events: Vec<Event>) -> Vec<Event> {
    staged(mender, events).0.concat()
}

/// The calls of a stream: name and arguments, and whether each was closed.
pub fn calls_of(events: &[Event]) -> Vec<(String, String, bool)> {
    let mut calls: Vec<(String, String, bool)> = Vec::new();
    let mut open = None;
    for event in events {
        match event {
            Event::CallStart { call, name, .. } => {
                assert_eq!(open, None, "calls one after the other");
                open = Some(*call);
                calls.push((name.clone(), String::new(), false));
            }
            Event::CallArguments { call, text } => {
                assert_eq!(open, Some(*call), "arguments of the open call");
                assert!(!text.is_empty(), "empty pieces are no events");
                calls.last_mut().expect("a call").1.push_str(text);
            }
            Event::CallEnd { call } => {
                assert_eq!(open.take(), Some(*call), "the end of the open call");
                calls.last_mut().expect("a call").2 = true;
            }
            Event::Usage(_) => {}
            _ => assert_eq!(open, None, "nothing comes between the pieces of a call"),
        }
    }
    calls
}

/// Why a stream ended.
pub fn stop_of(events: &[Event]) -> Option<Stop> {
    let mut stops = events.iter().filter_map(|event| match event {
        Event::Finish { stop, .. } => Some(stop.clone()),
        _ => None,
    });
    let stop = stops.next();
    assert_eq!(stops.next(), None, "it ends once");
    stop
}

/// Repairs by the built-in rules.
pub fn mending() -> Mending {
    Mending { normalizer: Arc::new(Normalizer::new(builtin_rules())), cache: Arc::default() }
}

pub fn fresh() -> Fresh {
    Fresh { id: "0123456789abcdefghijABCD".to_owned(), created: 1 }
}

/// A request as it is sent to an upstream that is known by its dialect alone.
pub fn prepared(front: Dialect, upstream: Dialect, body: &str) -> Prepared {
    prepared_for(front, &Target::new(upstream, "m"), body)
}

/// The same for an upstream of which more is known.
pub fn prepared_for(front: Dialect, target: &Target, body: &str) -> Prepared {
    let asked = Asked::read(front, body.as_bytes()).expect("a request");
    asked.prepare(target, &mending(), &fresh()).expect("prepared")
}

/// The stream that a client gets for an upstream's, which comes in pieces of so many bytes.
pub fn streamed(prepared: &Prepared, sent: &str, step: usize) -> (String, Report) {
    let mut stream = prepared.stream();
    let mut out = Vec::new();
    for piece in sent.as_bytes().chunks(step) {
        stream.push(piece, &mut out);
    }
    stream.end(None, &mut out);
    (String::from_utf8(out).expect("UTF-8"), stream.report().clone())
}

/// A whole answer.
pub fn whole(prepared: &Prepared, sent: &str) -> (String, Report) {
    let answer = prepared.whole(200, sent.as_bytes());
    (String::from_utf8(answer.body).expect("UTF-8"), answer.report)
}

/// The data of a stream's events, as JSON.
pub fn data(stream: &str) -> Vec<Value> {
    let lines = stream.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
    lines.filter_map(|line| serde_json::from_str(line.trim()).ok()).collect()
}

/// Whether arguments take back a part that had left: a member of them holds all that was sent, as unreadable.
pub fn is_marked(arguments: &str, sent: &str) -> bool {
    let members = serde_json::from_str::<serde_json::Map<String, Value>>(arguments).unwrap_or_default();
    members.values().any(|value| value["unreadable_arguments"] == sent)
}
