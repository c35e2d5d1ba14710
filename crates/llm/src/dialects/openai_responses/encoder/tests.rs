//! Streams for clients, written. What holds for every stream is in the suite of streams.

use std::sync::Arc;

use super::*;
use crate::FailureKind;
use crate::dialects::openai_responses::read_request;

fn stream(request: &str, events: &[Event]) -> Vec<Json> {
    let request = Arc::new(read_request(request).unwrap());
    let mut encoder = Encoder::new(Reply { request, id: "ID".to_owned(), created: 7, estimated_input: 1 });
    let mut out = Vec::new();
    events.iter().for_each(|event| encoder.event(event, &mut out));
    let text = String::from_utf8(out).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| Json::parse(data).unwrap())
        .collect()
}

fn types(events: &[Json]) -> Vec<String> {
    events.iter().map(|event| event.get_text("type").unwrap().replace("response.", "")).collect()
}

const PLAIN: &str = r#"{"model":"m","input":"a"}"#;

#[test]
fn a_call_without_arguments_has_an_empty_object() {
    let events = stream(
        PLAIN,
        &[
            Event::CallStart { call: 0, id: "c".to_owned(), name: "x".to_owned() },
            Event::CallEnd { call: 0 },
            Event::Done,
        ],
    );
    assert_eq!(
        types(&events),
        [
            "created",
            "in_progress",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed"
        ]
    );
    assert_eq!(events[4].get_text("arguments").as_deref(), Some("{}"));
}

#[test]
fn text_after_a_call_is_an_item_of_its_own() {
    let events = stream(
        PLAIN,
        &[
            Event::Text("a".to_owned()),
            Event::CallStart { call: 0, id: "c".to_owned(), name: "x".to_owned() },
            Event::CallArguments { call: 0, text: "{}".to_owned() },
            Event::CallEnd { call: 0 },
            Event::Text("b".to_owned()),
            Event::Refusal("no".to_owned()),
            Event::Done,
        ],
    );
    let last = events.last().unwrap().get("response").unwrap();
    let items = last.get("output").unwrap().items().unwrap();
    let kinds: Vec<String> = items.iter().map(|item| item.get_text("type").unwrap()).collect();
    assert_eq!(kinds, ["message", "function_call", "message"]);
    assert_eq!(items[2].get("content").unwrap().items().unwrap().len(), 2);
    let refusal =
        events.iter().find(|event| event.get_text("type").unwrap() == "response.refusal.done").unwrap();
    assert_eq!(refusal.get("content_index").unwrap().as_str(), "1");
    assert_eq!(refusal.get("output_index").unwrap().as_str(), "2");
}

#[test]
fn text_for_a_tool_leaves_when_it_is_whole() {
    let events = stream(
        r#"{"model":"m","input":"a","tools":[{"type":"custom","name":"p"}]}"#,
        &[
            Event::CallStart { call: 0, id: "c".to_owned(), name: "p".to_owned() },
            Event::CallArguments { call: 0, text: "{\"input\":\"a".to_owned() },
            Event::CallArguments { call: 0, text: "\\n\"}".to_owned() },
            Event::CallEnd { call: 0 },
            Event::Done,
        ],
    );
    assert_eq!(
        types(&events)[3..6],
        ["custom_tool_call_input.delta", "custom_tool_call_input.done", "output_item.done"]
    );
    assert_eq!(events[4].get_text("input").as_deref(), Some("a\n"));
}

#[test]
fn an_error_is_told_twice_and_ends_the_stream() {
    let failure = Failure::new(FailureKind::RateLimit, "Slow down.");
    let events = stream(PLAIN, &[Event::Text("a".to_owned()), Event::Error(failure), Event::Done]);
    let names = types(&events);
    assert_eq!(names[names.len() - 2..], ["error", "failed"]);
    let error = &events[events.len() - 2];
    assert_eq!(error.get_text("message").as_deref(), Some("Slow down."));
    assert_eq!(error.get("error").unwrap().get_text("type").as_deref(), Some("rate_limit_error"));
    let failed = events.last().unwrap().get("response").unwrap();
    assert_eq!(
        failed.get("error").unwrap().as_str(),
        r#"{"code":"rate_limit_exceeded","message":"Slow down."}"#
    );
}

#[test]
fn an_answer_without_anything_is_an_empty_text() {
    let events = stream(PLAIN, &[Event::Done]);
    let last = events.last().unwrap().get("response").unwrap();
    assert_eq!(last.get("output").unwrap().items().unwrap().len(), 1);
    assert_eq!(last.get("usage").unwrap().as_str(), "null");
}
