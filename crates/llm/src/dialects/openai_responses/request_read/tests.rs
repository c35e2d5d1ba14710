//! Requests of clients, read.

use super::*;
use crate::form::{Arguments, Message, Role};

fn read(input: &str) -> Request {
    read_request(&format!(r#"{{"model":"m","input":{input}}}"#)).unwrap()
}

fn kinds(message: &Message) -> Vec<&'static str> {
    let kind = |block: &Block| match block {
        Block::Text(_) => "text",
        Block::Media(_) => "media",
        Block::Thinking(_) => "thinking",
        Block::Call(_) => "call",
        Block::Result(_) => "result",
        Block::Refusal(_) => "refusal",
        Block::Other { .. } => "other",
    };
    message.blocks.iter().map(kind).collect()
}

#[test]
fn items_of_the_model_that_follow_each_other_are_one_turn_in_order() {
    let request = read(
        r#"[{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1","summary":[]},
            {"role":"assistant","content":"b"},{"type":"function_call","call_id":"1","name":"x","arguments":"{}"},
            {"role":"assistant","content":[{"type":"output_text","text":"c"},{"type":"refusal","refusal":"d"}]},
            {"type":"web_search_call","id":"ws_1"},
            {"type":"function_call_output","call_id":"1","output":"e"},
            {"type":"function_call_output","call_id":"2","output":"f"},{"role":"user","content":"g"}]"#,
    );
    let turns: Vec<_> = request.messages.iter().map(|message| (message.role, kinds(message))).collect();
    assert_eq!(
        turns,
        [
            (Role::User, vec!["text"]),
            (Role::Assistant, vec!["thinking", "text", "call", "text", "refusal", "other"]),
            (Role::User, vec!["result", "result"]),
            (Role::User, vec!["text"]),
        ]
    );
}

#[test]
fn instructions_at_the_beginning_are_system_and_later_ones_stay() {
    let request = read_request(
        r#"{"model":"m","instructions":"a","input":[{"role":"developer","content":"b"},
            {"role":"system","content":[{"type":"input_text","text":"c"}]},{"role":"user","content":"d"},
            {"role":"developer","content":"e"}]}"#,
    )
    .unwrap();
    let system: Vec<&str> = request.system.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(system, ["a", "b", "c"]);
    assert_eq!(request.messages.len(), 2);
    assert_eq!(request.messages[1].role, Role::System);
}

#[test]
fn arguments_of_the_history_are_objects_or_the_text_that_they_are() {
    for (arguments, expected) in [
        (r#""{\"a\": 1.0}""#, Arguments::Object(Json::parse(r#"{"a": 1.0}"#).unwrap())),
        (r#""""#, Arguments::Object(Json::empty_object())),
        ("null", Arguments::Object(Json::empty_object())),
        (r#"{"a":1}"#, Arguments::Object(Json::parse(r#"{"a":1}"#).unwrap())),
        (r#""{'a': 1,}""#, Arguments::Text("{'a': 1,}".to_owned())),
    ] {
        let request = read(&format!(
            r#"[{{"type":"function_call","call_id":"1","name":"x","arguments":{arguments}}}]"#
        ));
        let Block::Call(call) = &request.messages[0].blocks[0] else { panic!("no call") };
        assert_eq!(call.arguments, expected, "{arguments}");
    }
}

#[test]
fn a_word_that_is_new_is_carried_and_no_error() {
    let request = read_request(
        r#"{"model":"m","input":"a","reasoning":{"effort":"ultra"},"text":{"format":{"type":"new"}},
            "tool_choice":{"type":"mcp"}}"#,
    )
    .unwrap();
    let reasoning = request.reasoning.unwrap();
    assert_eq!((reasoning.is_on, reasoning.effort), (Some(true), None));
    assert_eq!(carried(&request.extra, "text").unwrap().as_str(), r#"{"format":{"type":"new"}}"#);
    assert_eq!(carried(&request.extra, "tool_choice").unwrap().as_str(), r#"{"type":"mcp"}"#);
}

#[test]
fn what_only_openai_has_stored_is_refused_elsewhere_with_the_fix() {
    for (body, param) in [
        (r#"{"model":"m","input":"a","previous_response_id":"resp_1"}"#, "previous_response_id"),
        (r#"{"model":"m","input":"a","conversation":{"id":"conv_1"}}"#, "conversation"),
        (r#"{"model":"m","prompt":{"id":"pmpt_1"}}"#, "prompt"),
        (r#"{"model":"m","input":[{"id":"msg_1"}]}"#, "input"),
    ] {
        let failure = refuse_elsewhere(&read_request(body).unwrap()).unwrap_err();
        assert_eq!((failure.status, failure.param.as_deref()), (400, Some(param)), "{}", failure.message);
        assert!(failure.message.contains("instead") || failure.message.contains("set store to false"));
    }
    let plain = read_request(r#"{"model":"m","input":"a","previous_response_id":null}"#).unwrap();
    assert_eq!(refuse_elsewhere(&plain), Ok(()));
}
