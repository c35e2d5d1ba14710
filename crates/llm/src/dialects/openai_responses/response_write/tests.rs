//! Answers for clients, written.

use std::sync::Arc;

use super::*;
use crate::dialects::openai_responses::read_request;
use crate::form::Text;

fn reply(request: &str) -> Reply {
    let request = Arc::new(read_request(request).unwrap());
    Reply { request, id: "ID".to_owned(), created: 7, estimated_input: 1 }
}

fn written(response: &Response, request: &str) -> Json {
    Json::parse(&write_response(response, &reply(request))).unwrap()
}

fn call(name: &str, arguments: Arguments) -> Block {
    Block::Call(Call { id: None, name: name.to_owned(), arguments, extra: Vec::new() })
}

#[test]
fn the_request_is_said_again() {
    let request = r#"{"model":"m","input":"a","instructions":"b","temperature":0.50,"max_output_tokens":9,"metadata":{"k":"v"},"tools":[{"type":"function","name":"x","parameters":{},"strict":true},{"type":"web_search"}],"tool_choice":"required","parallel_tool_calls":false,"text":{"format":{"type":"json_object"},"verbosity":"low"},"reasoning":{"effort":"low"},"truncation":"auto","user":"u"}"#;
    let body = written(&Response::default(), request);
    for (key, value) in [
        ("model", r#""m""#),
        ("instructions", r#""b""#),
        ("temperature", "0.50"),
        ("top_p", "null"),
        ("max_output_tokens", "9"),
        ("metadata", r#"{"k":"v"}"#),
        ("tools", r#"[{"type":"function","name":"x","parameters":{},"strict":true},{"type":"web_search"}]"#),
        ("tool_choice", r#""required""#),
        ("parallel_tool_calls", "false"),
        ("text", r#"{"format":{"type":"json_object"},"verbosity":"low"}"#),
        ("reasoning", r#"{"effort":"low"}"#),
        ("truncation", r#""auto""#),
        ("user", r#""u""#),
        ("id", r#""resp_ID""#),
        ("created_at", "7"),
    ] {
        assert_eq!(body.get(key).unwrap().as_str(), value, "{key}");
    }
}

#[test]
fn a_tool_that_takes_text_is_called_with_text() {
    let object = Arguments::Object(Json::parse(r#"{"input":"*** x\n"}"#).unwrap());
    let response = Response { blocks: vec![call("p", object)], ..Response::default() };
    let body = written(&response, r#"{"model":"m","input":"a","tools":[{"type":"custom","name":"p"}]}"#);
    let item = &body.get("output").unwrap().items().unwrap()[0];
    assert_eq!(item.get_text("type").as_deref(), Some("custom_tool_call"));
    assert_eq!(item.get_text("input").as_deref(), Some("*** x\n"));
}

#[test]
fn texts_and_calls_keep_their_order_and_a_cut_call_is_not_complete() {
    let text = |text: &str| Block::Text(Text { text: text.to_owned(), extra: Vec::new() });
    let whole = Arguments::Object(Json::empty_object());
    let blocks =
        vec![text("a"), text("b"), call("x", whole), text("c"), call("y", Arguments::Text("{\"".to_owned()))];
    let response = Response { blocks, stop: Some(Stop::MaxTokens), ..Response::default() };
    let body = written(&response, r#"{"model":"m","input":"a"}"#);
    let items: Vec<_> = body
        .get("output")
        .unwrap()
        .items()
        .unwrap()
        .iter()
        .map(|item| (item.get_text("type").unwrap(), item.get_text("status").unwrap()))
        .collect();
    let pair = |kind: &str, status: &str| (kind.to_owned(), status.to_owned());
    assert_eq!(
        items,
        [
            pair("message", "completed"),
            pair("function_call", "completed"),
            pair("message", "completed"),
            pair("function_call", "incomplete"),
        ]
    );
    assert_eq!(body.get_text("status").as_deref(), Some("incomplete"));
    assert_eq!(body.get("incomplete_details").unwrap().as_str(), r#"{"reason":"max_output_tokens"}"#);
}

#[test]
fn a_signature_of_another_provider_comes_back_with_the_next_request() {
    let thinking =
        Thinking { text: "Hm.".to_owned(), signature: Some("EqQB".to_owned()), ..Thinking::default() };
    let response = Response { blocks: vec![Block::Thinking(thinking.clone())], ..Response::default() };
    let body = written(&response, r#"{"model":"m","input":"a"}"#);
    let next = format!(r#"{{"model":"m","input":{}}}"#, body.get("output").unwrap());
    let request = read_request(&next).unwrap();
    assert_eq!(request.messages[0].blocks, [Block::Thinking(thinking)]);
}
