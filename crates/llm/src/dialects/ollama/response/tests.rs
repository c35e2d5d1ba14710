//! Whole answers, read and written.

use std::sync::Arc;

use super::*;
use crate::form::Request;

fn reply() -> Reply {
    let request = Arc::new(Request { model: "asked".to_owned(), ..Request::default() });
    Reply { request, id: "ID".to_owned(), created: 0, estimated_input: 1 }
}

fn call(arguments: Arguments) -> Block {
    Block::Call(Call { id: None, name: "x".to_owned(), arguments, extra: Members::new() })
}

#[test]
fn arguments_are_objects_whatever_the_model_wrote() {
    let blocks =
        vec![call(Arguments::Object(Json::empty_object())), call(Arguments::Text("{'a'".to_owned()))];
    let body = write_response(&Response { blocks, ..Response::default() }, &reply());
    assert!(
        body.contains(r#"{"id":"call_ID_0","function":{"index":0,"name":"x","arguments":{}}}"#),
        "{body}"
    );
    assert!(body.contains(r#""index":1,"name":"x","arguments":{"unreadable_arguments":"{'a'"}"#), "{body}");
}

#[test]
fn a_call_that_the_limit_cut_is_told_and_not_made() {
    let blocks = vec![call(Arguments::Text("{\"a".to_owned()))];
    let response = Response { blocks, stop: Some(Stop::MaxTokens), ..Response::default() };
    let body = write_response(&response, &reply());
    assert!(!body.contains("tool_calls") && body.contains("was cut off"), "{body}");
    assert!(body.contains(r#""done_reason":"length""#), "{body}");
}

#[test]
fn counts_that_nobody_knows_are_not_made_up() {
    let body = write_response(&Response::default(), &reply());
    assert_eq!(
        body,
        r#"{"model":"asked","created_at":"1970-01-01T00:00:00Z","message":{"role":"assistant","content":""},"done_reason":"stop","done":true,"total_duration":0,"load_duration":0,"prompt_eval_duration":0,"eval_duration":0}"#
    );
    let usage = Usage { input: Some(1), cache_read: Some(2), output: Some(3), ..Usage::default() };
    let body = write_response(&Response { usage, ..Response::default() }, &reply());
    assert!(body.contains(r#""prompt_eval_count":3"#) && body.contains(r#""eval_count":3"#), "{body}");
}

#[test]
fn an_answer_that_is_an_error_is_one() {
    for body in [r#"{"error":"out of memory"}"#, "{}", "no JSON", r#"{"model":"m"}"#] {
        assert!(read_response(body).is_err(), "{body}");
    }
    let answer = r#"{"message":{"role":"assistant","content":"a"},"done":true,"done_reason":"load"}"#;
    assert_eq!(read_response(answer).unwrap().stop, Some(Stop::Other("load".to_owned())));
}
