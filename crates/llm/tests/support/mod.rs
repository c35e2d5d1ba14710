//! What the tests of calls share.
#![allow(dead_code, unreachable_pub)]

use std::sync::{Arc, LazyLock};

use toolwright_jsonrpc::Json;
use toolwright_llm::calls::{CallReport, CallStage, Mender, ToolCache, builtin_rules};
use toolwright_llm::form::{Event, Stop, Tool};
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
