//! Requests for upstreams, written.

use super::*;
use crate::dialects::openai_responses::read_request;
use crate::form::{Block, Message, Role, Text, Thinking, Tool, signature};

fn written(request: &Request) -> (Json, Vec<&'static str>) {
    let mut notes = Notes::default();
    let target = Target::new(Dialect::OpenAiResponses, "up");
    let body = write_request(request, &target, &mut notes).unwrap();
    (Json::parse(&body).unwrap(), notes.as_slice().iter().map(|note| note.code).collect())
}

fn asked() -> Request {
    let text = Text { text: "Hi.".to_owned(), extra: Vec::new() };
    let message = Message { role: Role::User, blocks: vec![Block::Text(text)], extra: Vec::new() };
    Request { dialect: Some(Dialect::AnthropicMessages), messages: vec![message], ..Request::default() }
}

fn get(body: &Json, key: &str) -> String {
    body.get(key).map_or("absent".to_owned(), |value| value.as_str().to_owned())
}

#[test]
fn a_tool_of_others_is_not_held_to_its_schema_unless_they_say_so() {
    let tool = Tool {
        name: "x".to_owned(),
        description: None,
        schema: None,
        strict: None,
        // Anthropic's word for tools of the client.
        extra: vec![("type".to_owned(), Json::text("custom"))],
    };
    let (body, _) = written(&Request { tools: vec![tool], ..asked() });
    assert_eq!(
        get(&body, "tools"),
        r#"[{"type":"function","name":"x","parameters":{"type":"object","properties":{}},"strict":false}]"#
    );
}

#[test]
fn thoughts_go_back_only_to_who_encrypted_them() {
    let item = r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA"}"#;
    let own = (Dialect::OpenAiResponses, Json::parse(item).unwrap());
    let sealed = signature::sealed(&Thinking { raw: Some(own.clone()), ..Thinking::default() });
    let bare =
        (Dialect::OpenAiResponses, Json::parse(r#"{"type":"reasoning","id":"rs_2","summary":[]}"#).unwrap());
    let think = |thinking: Thinking| {
        let blocks = vec![Block::Thinking(thinking)];
        let mut request = asked();
        request.messages.push(Message { role: Role::Assistant, blocks, extra: Vec::new() });
        let (body, notes) = written(&request);
        (body.get("input").unwrap().items().unwrap().get(1).map(|item| item.as_str().to_owned()), notes)
    };
    let sent = (Some(item.to_owned()), vec![]);
    assert_eq!(think(Thinking { raw: Some(own), ..Thinking::default() }), sent);
    assert_eq!(think(Thinking { signature: Some(sealed), ..Thinking::default() }), sent);
    let not_sent = (None, vec!["thinking_not_sent"]);
    assert_eq!(think(Thinking { signature: Some("EqQB".to_owned()), ..Thinking::default() }), not_sent);
    assert_eq!(think(Thinking { text: "Hm.".to_owned(), ..Thinking::default() }), not_sent);
    // Nothing is stored, so what has only an id cannot be found.
    assert_eq!(think(Thinking { raw: Some(bare), ..Thinking::default() }), not_sent);
}

#[test]
fn encrypted_thoughts_are_asked_for_where_there_will_be_thoughts() {
    let thinking = |reasoning: Option<Reasoning>| {
        let (body, _) = written(&Request { reasoning, ..asked() });
        (get(&body, "reasoning"), get(&body, "include"))
    };
    let include = r#"["reasoning.encrypted_content"]"#.to_owned();
    let absent = || "absent".to_owned();
    assert_eq!(thinking(None), (absent(), absent()));
    let budget = Reasoning { is_on: Some(true), budget: Some(2000), ..Reasoning::default() };
    assert_eq!(thinking(Some(budget)), (r#"{"effort":"medium"}"#.to_owned(), include.clone()));
    let on = Reasoning { is_on: Some(true), summary: Some("new".to_owned()), ..Reasoning::default() };
    assert_eq!(thinking(Some(on)), (r#"{"effort":"high","summary":"auto"}"#.to_owned(), include));
    let off = Reasoning { is_on: Some(false), ..Reasoning::default() };
    assert_eq!(thinking(Some(off)), (absent(), absent()));
}

#[test]
fn a_long_name_of_a_user_and_a_small_limit_are_made_to_fit() {
    let (body, notes) = written(&Request { user: Some("u".repeat(65)), max_tokens: Some(1), ..asked() });
    assert_eq!(body.get_text("user").unwrap().len(), 64);
    assert_eq!(get(&body, "max_output_tokens"), "16");
    assert_eq!(notes, ["max_tokens_raised", "user_hashed"]);
}

#[test]
fn a_request_of_this_dialect_keeps_what_others_would_lose() {
    let body = r#"{"model":"m","input":[{"type":"function_call_output","call_id":"stored","output":"x"},{"role":"assistant","content":"a","phase":"commentary"},{"role":"assistant","content":"b"}],"previous_response_id":"resp_1","tools":[{"type":"custom","name":"p","format":{"type":"text"}},{"type":"web_search"}],"tool_choice":{"type":"custom","name":"p"},"text":{"verbosity":"low"},"new":1.0}"#;
    let (body, notes) = written(&read_request(body).unwrap());
    assert_eq!(
        body.as_str(),
        r#"{"model":"up","input":[{"type":"function_call_output","call_id":"stored","output":"x"},{"type":"message","role":"assistant","phase":"commentary","content":"ab"}],"tools":[{"type":"custom","name":"p","format":{"type":"text"}},{"type":"web_search"}],"tool_choice":{"type":"custom","name":"p"},"text":{"verbosity":"low"},"previous_response_id":"resp_1","new":1.0}"#
    );
    assert_eq!(notes, [""; 0]);
}
