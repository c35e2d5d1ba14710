//! There and back again: calls, texts, their order and the usage survive another dialect.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use toolwright_llm::dialects::{anthropic, openai_chat};
use toolwright_llm::form::{Block, Request, Response, Role, Usage};
use toolwright_llm::{Dialect, Notes, Reply, Target};

/// What has to survive of one side's turn.
#[derive(Debug, Default, PartialEq)]
struct Turn {
    is_assistant: bool,
    text: String,
    calls: Vec<(String, String, String)>,
    results: Vec<(String, String)>,
}

fn text_of(blocks: &[Block]) -> String {
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// The turns of a conversation: neighbours of one side are one.
fn turns(request: &Request) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let is_assistant = message.role == Role::Assistant;
        if turns.last().is_none_or(|turn| turn.is_assistant != is_assistant) {
            turns.push(Turn { is_assistant, ..Turn::default() });
        }
        let turn = turns.last_mut().expect("a turn");
        for block in &message.blocks {
            match block {
                Block::Text(text) => turn.text.push_str(&text.text),
                Block::Call(call) => turn.calls.push((
                    call.id.clone().unwrap_or_default(),
                    call.name.clone(),
                    call.arguments.as_str().to_owned(),
                )),
                Block::Result(result) => {
                    turn.results.push((result.call_id.clone().unwrap_or_default(), text_of(&result.blocks)));
                }
                other => panic!("nobody said {other:?}"),
            }
        }
        turn.results.sort();
    }
    turns
}

fn system(request: &Request) -> String {
    let texts: Vec<&str> = request.system.iter().map(|text| text.text.as_str()).collect();
    texts.join("\n\n")
}

fn to_anthropic(request: &Request) -> Request {
    let target = Target::new(Dialect::AnthropicMessages, "claude");
    let body = anthropic::write_request(request, &target, &mut Notes::default()).expect("a request");
    anthropic::read_request(&body).expect("what was written is read")
}

fn to_chat(request: &Request) -> Request {
    let target = Target::new(Dialect::OpenAiChat, "gpt");
    let body = openai_chat::write_request(request, &target, &mut Notes::default()).expect("a request");
    openai_chat::read_request(&body).expect("what was written is read")
}

fn reply() -> Reply {
    Reply { request: Arc::new(Request::default()), id: "x".to_owned(), created: 1, estimated_input: 3 }
}

/// Some words, never only white space.
fn words() -> impl Strategy<Value = String> {
    "[a-zA-Zäß€😀\"\\\\/ \n<>{}]{0,12}x"
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::vec(
        ("[a-z]{1,4}", prop_oneof![words().prop_map(Value::from), any::<i64>().prop_map(Value::from)]),
        0..3,
    )
    .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// What an assistant says and what its calls are answered, the answers turned round or not.
type Exchange = (String, Vec<(Value, String)>, String, bool);

fn exchanges() -> impl Strategy<Value = Vec<Exchange>> {
    let one = (words(), prop::collection::vec((arguments(), words()), 0..4), words(), any::<bool>());
    prop::collection::vec(one, 0..4)
}

fn anthropic_request(instructions: &[String], exchanges: &[Exchange]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Go."})];
    for (at, (text, calls, said, is_turned)) in exchanges.iter().enumerate() {
        let mut blocks = vec![json!({"type": "text", "text": text})];
        let mut results = Vec::new();
        for (number, (input, answer)) in calls.iter().enumerate() {
            let id = format!("toolu_{at}_{number}");
            blocks.push(json!({"type": "tool_use", "id": id, "name": "tool", "input": input}));
            results.push(json!({"type": "tool_result", "tool_use_id": id, "content": answer}));
        }
        if *is_turned {
            results.reverse();
        }
        results.push(json!({"type": "text", "text": said}));
        messages.push(json!({"role": "assistant", "content": blocks}));
        messages.push(json!({"role": "user", "content": results}));
    }
    let system: Vec<Value> = instructions.iter().map(|text| json!({"type": "text", "text": text})).collect();
    json!({"model": "m", "max_tokens": 9, "system": system, "messages": messages})
}

fn chat_request(instructions: &[String], exchanges: &[Exchange]) -> Value {
    let mut messages: Vec<Value> =
        instructions.iter().map(|text| json!({"role": "system", "content": text})).collect();
    messages.push(json!({"role": "user", "content": "Go."}));
    for (at, (text, calls, said, is_turned)) in exchanges.iter().enumerate() {
        let mut of_message = Vec::new();
        let mut results = Vec::new();
        for (number, (input, answer)) in calls.iter().enumerate() {
            let id = format!("call_{at}_{number}");
            let function = json!({"name": "tool", "arguments": input.to_string()});
            of_message.push(json!({"id": id, "type": "function", "function": function}));
            results.push(json!({"role": "tool", "tool_call_id": id, "content": answer}));
        }
        if *is_turned {
            results.reverse();
        }
        let mut message = json!({"role": "assistant", "content": text});
        if !of_message.is_empty() {
            message["tool_calls"] = Value::Array(of_message);
        }
        messages.push(message);
        messages.extend(results);
        messages.push(json!({"role": "user", "content": said}));
    }
    json!({"model": "m", "messages": messages})
}

/// What has to survive of an answer: its text, its calls, and why it ended.
fn told(response: &Response) -> (String, Vec<(String, String, String)>, String) {
    let calls = response.blocks.iter().filter_map(|block| match block {
        Block::Call(call) => {
            Some((call.id.clone().unwrap_or_default(), call.name.clone(), call.arguments.as_str().to_owned()))
        }
        _ => None,
    });
    (text_of(&response.blocks), calls.collect(), format!("{:?}", response.stop))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_request_of_anthropic_comes_back_from_chat(
        instructions in prop::collection::vec(words(), 0..3),
        exchanges in exchanges(),
    ) {
        let request = anthropic::read_request(&anthropic_request(&instructions, &exchanges).to_string()).unwrap();
        let chat = to_chat(&request);
        let back = to_anthropic(&chat);
        prop_assert_eq!(turns(&chat), turns(&request));
        prop_assert_eq!(turns(&back), turns(&request));
        prop_assert_eq!(system(&back), system(&request));
        prop_assert_eq!((back.max_tokens, back.messages.len()), (Some(9), request.messages.len()));
    }

    #[test]
    fn a_request_of_chat_comes_back_from_anthropic(
        instructions in prop::collection::vec(words(), 0..3),
        exchanges in exchanges(),
    ) {
        let request = openai_chat::read_request(&chat_request(&instructions, &exchanges).to_string()).unwrap();
        let there = to_anthropic(&request);
        let back = to_chat(&there);
        prop_assert_eq!(turns(&there), turns(&request));
        prop_assert_eq!(turns(&back), turns(&request));
        prop_assert_eq!(system(&back), system(&request));
    }

    #[test]
    fn an_answer_of_anthropic_comes_back_from_chat(
        text in words(),
        calls in prop::collection::vec(arguments(), 0..4),
        counts in (0u64..1 << 40, 0u64..1 << 40, 0u64..1 << 40, any::<u64>()),
    ) {
        let mut content = vec![json!({"type": "text", "text": text})];
        for (number, input) in calls.iter().enumerate() {
            content.push(json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": "tool", "input": input}));
        }
        let stop = if calls.is_empty() { "max_tokens" } else { "tool_use" };
        let (input, read, write, output) = counts;
        let body = json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": stop, "stop_sequence": null,
            "usage": {"input_tokens": input, "cache_read_input_tokens": read,
                "cache_creation_input_tokens": write, "output_tokens": output},
        });
        let response = anthropic::read_response(&body.to_string()).unwrap();
        let chat = openai_chat::read_response(&openai_chat::write_response(&response, &reply())).unwrap();
        let back = anthropic::read_response(&anthropic::write_response(&chat, &reply())).unwrap();
        let usage = Usage {
            input: Some(input), cache_read: Some(read), cache_write: Some(write), output: Some(output), reasoning: None,
        };
        prop_assert_eq!((response.usage, chat.usage, back.usage), (usage, usage, usage));
        prop_assert_eq!(told(&chat), told(&response));
        prop_assert_eq!(told(&back), told(&response));
    }

    #[test]
    fn an_answer_of_chat_comes_back_from_anthropic(
        text in words(),
        calls in prop::collection::vec(arguments(), 0..4),
        counts in (0u64..1 << 40, 0u64..1 << 40, any::<u32>()),
    ) {
        let of_message: Vec<Value> = calls.iter().enumerate().map(|(number, input)| {
            let function = json!({"name": "tool", "arguments": input.to_string()});
            json!({"id": format!("call_{number}"), "type": "function", "function": function})
        }).collect();
        let (prompt, cached, answer) = counts;
        let (prompt, cached) = (prompt.max(cached), prompt.min(cached));
        let finish = if calls.is_empty() { "content_filter" } else { "tool_calls" };
        let body = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "tool_calls": of_message},
                "finish_reason": finish}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": answer, "prompt_tokens_details": {"cached_tokens": cached}},
        });
        let response = openai_chat::read_response(&body.to_string()).unwrap();
        let there = anthropic::read_response(&anthropic::write_response(&response, &reply())).unwrap();
        let written = openai_chat::write_response(&there, &reply());
        let back = openai_chat::read_response(&written).unwrap();
        prop_assert_eq!(told(&there), told(&response));
        prop_assert_eq!(told(&back), told(&response));
        let usage: Value = serde_json::from_str::<Value>(&written).unwrap()["usage"].clone();
        prop_assert_eq!(&usage["prompt_tokens"], &json!(prompt));
        prop_assert_eq!(&usage["prompt_tokens_details"]["cached_tokens"], &json!(cached));
        prop_assert_eq!(&usage["completion_tokens"], &json!(answer));
        prop_assert_eq!(there.usage.input, Some(prompt - cached));
    }
}
