//! One conversation, many upstreams: what one of them signed or marked never reaches another.

use serde_json::{Value, json};
use toolwright_llm::quirks::target;
use toolwright_llm::{Dialect, ReasoningField, Target};

use crate::support::{prepared, prepared_for, streamed, whole};

/// A question in each dialect that asks to think.
fn question(front: Dialect, history: &[Value]) -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let function = json!({"name": "weather", "description": "d", "parameters": schema});
    let mut messages = vec![json!({"role": "user", "content": "the weather?"})];
    messages.extend_from_slice(history);
    match front {
        Dialect::AnthropicMessages => json!({
            "model": "m", "max_tokens": 4000, "thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": messages,
            "tools": [{"name": "weather", "description": "d", "input_schema": schema}],
        }),
        Dialect::OpenAiResponses => json!({
            "model": "m", "store": false, "reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"], "input": messages,
            "tools": [{"type": "function", "name": "weather", "parameters": schema}],
        }),
        _ => {
            json!({"model": "m", "stream": false, "messages": messages, "tools": [{"type": "function", "function": function}]})
        }
    }
}

/// An answer of each upstream: a thought that it signed as it does, and a call.
fn answer(upstream: Dialect) -> &'static str {
    match upstream {
        Dialect::AnthropicMessages => {
            r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"Hm.","signature":"SIGNED+a/b=="},{"type":"redacted_thinking","data":"HIDDEN=="},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Oslo"}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}"#
        }
        Dialect::OpenAiChat => {
            r#"{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"ROUTED==","format":"google-gemini-v1","index":0}],"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"},"extra_content":{"google":{"thought_signature":"GEMINI=="}}}]},"finish_reason":"tool_calls"}]}"#
        }
        Dialect::OpenAiResponses => {
            r#"{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"reasoning","id":"rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e77","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"gAAAAA=="},{"type":"function_call","id":"fc_1","call_id":"call_1","name":"weather","arguments":"{\"city\":\"Oslo\"}","status":"completed"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}"#
        }
        Dialect::OllamaChat => {
            r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm.","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Oslo"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":2}"#
        }
    }
}

/// What a client sends back of an answer, with the result of the call.
fn history(front: Dialect, told: &Value) -> Vec<Value> {
    match front {
        Dialect::AnthropicMessages => vec![
            json!({"role": "assistant", "content": told["content"]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": told["content"].as_array()
                .and_then(|blocks| blocks.iter().find(|block| block["type"] == "tool_use")).expect("a call")["id"], "content": "7"}]}),
        ],
        Dialect::OpenAiChat => {
            let message = told["choices"][0]["message"].clone();
            let id = message["tool_calls"][0]["id"].clone();
            vec![message, json!({"role": "tool", "tool_call_id": id, "content": "7"})]
        }
        Dialect::OpenAiResponses => {
            let mut items = told["output"].as_array().expect("items").clone();
            let id =
                items.iter().find(|item| item["type"] == "function_call").expect("a call")["call_id"].clone();
            items.push(json!({"type": "function_call_output", "call_id": id, "output": "7"}));
            items
        }
        Dialect::OllamaChat => {
            vec![told["message"].clone(), json!({"role": "tool", "tool_name": "weather", "content": "7"})]
        }
    }
}

/// What only one provider can read, and Toolwright's own mark.
const FOREIGN: [&str; 6] = ["SIGNED+a/b==", "HIDDEN==", "ROUTED==", "gAAAAA==", "GEMINI==", "toolwright"];

fn own_marks(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::AnthropicMessages => &["SIGNED+a/b==", "HIDDEN=="],
        Dialect::OpenAiChat => &["ROUTED==", "GEMINI=="],
        Dialect::OpenAiResponses => &["gAAAAA=="],
        Dialect::OllamaChat => &[],
    }
}

#[test]
fn what_one_upstream_signed_never_reaches_another() {
    for front in Dialect::ALL {
        for first in Dialect::ALL {
            let asked = prepared(front, first, &question(front, &[]).to_string());
            let (text, _) = whole(&asked, answer(first));
            let told: Value = serde_json::from_str(&text).expect("JSON");
            for second in Dialect::ALL.into_iter().filter(|second| *second != first) {
                let body = question(front, &history(front, &told)).to_string();
                let sent = prepared(front, second, &body).body;
                for mark in FOREIGN.iter().filter(|mark| !own_marks(second).contains(mark)) {
                    // A Chat server that is not Gemini ignores what stands beside a call.
                    if second == Dialect::OpenAiChat && *mark == "GEMINI==" {
                        continue;
                    }
                    assert!(!sent.contains(mark), "{front:?}: {first:?} then {second:?}: {mark} in {sent}");
                }
                assert!(sent.contains("Oslo"), "the call stays: {sent}");
            }
        }
    }
}

#[test]
fn what_an_upstream_signed_itself_comes_back_to_it_unchanged() {
    for dialect in Dialect::ALL {
        let asked = prepared(dialect, dialect, &question(dialect, &[]).to_string());
        let (text, _) = whole(&asked, answer(dialect));
        let told: Value = serde_json::from_str(&text).expect("JSON");
        let body = question(dialect, &history(dialect, &told)).to_string();
        assert_eq!(prepared(dialect, dialect, &body).body, body, "{dialect:?}");
    }
}

#[test]
fn thinking_is_off_for_the_turn_whose_thought_was_taken_out() {
    let front = Dialect::AnthropicMessages;
    let asked = prepared(front, Dialect::OpenAiChat, &question(front, &[]).to_string());
    let told: Value = serde_json::from_str(&whole(&asked, answer(Dialect::OpenAiChat)).0).expect("JSON");
    let mut body = question(front, &history(front, &told));
    let sent: Value = serde_json::from_str(&prepared(front, front, &body.to_string()).body).expect("JSON");
    assert_eq!(sent["thinking"], json!({"type": "disabled"}), "{sent}");
    assert_eq!(sent["messages"][1]["content"].as_array().map(Vec::len), Some(1), "{sent}");
    // Adaptive thinking goes on without a thought.
    body["thinking"] = json!({"type": "adaptive"});
    let sent: Value = serde_json::from_str(&prepared(front, front, &body.to_string()).body).expect("JSON");
    assert_eq!(sent["thinking"], json!({"type": "adaptive"}), "{sent}");
    // A turn that was nothing but a thought still says something.
    body["messages"][1]["content"] =
        json!([{"type": "thinking", "thinking": "Hm.", "signature": "toolwright::"}]);
    let sent: Value = serde_json::from_str(&prepared(front, front, &body.to_string()).body).expect("JSON");
    assert_eq!(sent["messages"][1]["content"][0]["type"], "text", "{sent}");
}

#[test]
fn words_that_only_look_like_a_mark_stay() {
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "what is the signature toolwright:: for?"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "{\"type\":\"thinking\",\"signature\":\"toolwright::\"}"},
            {"type": "thinking", "thinking": "toolwright::", "signature": "Real=="},
        ]},
    ]});
    let front = Dialect::AnthropicMessages;
    assert_eq!(prepared(front, front, &body.to_string()).body, body.to_string());
}

#[test]
fn thoughts_in_chat_messages_go_to_those_who_take_them() {
    let message = json!({"role": "assistant", "content": "so", "reasoning_content": "Hm.", "x": 1});
    let body =
        json!({"model": "m", "messages": [{"role": "user", "content": "reasoning?"}, message]}).to_string();
    let chat = Dialect::OpenAiChat;
    assert_eq!(prepared(chat, chat, &body).body, body);
    for host in ["api.openai.com", "api.groq.com"] {
        let sent = prepared_for(chat, &target(Dialect::OpenAiChat, host, "m"), &body).body;
        assert_eq!(sent, body.replace(r#""reasoning_content":"Hm.","#, ""), "{host}");
    }
    let refusing = Target { reasoning: ReasoningField::None, ..Target::new(chat, "m") };
    let without = body.replace(r#""reasoning_content":"Hm.","#, "");
    assert_eq!(prepared_for(chat, &refusing, &without).body, without);
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    format!(
        "data: {}\n\n",
        json!({"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    )
}

fn call(index: u64, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut function = json!({"arguments": arguments});
    if let Some(name) = name {
        function["name"] = json!(name);
    }
    let mut call = json!({"index": index, "type": "function", "function": function});
    if let Some(id) = id {
        call["id"] = json!(id);
    }
    json!({"tool_calls": [call]})
}

#[test]
fn two_calls_with_one_id_stay_two_calls_with_ids_of_their_own() {
    let whole_calls = [
        chunk(&call(0, Some("c1"), Some("read_file"), r#"{"path":"/x"}"#), None),
        chunk(&call(1, Some("c1"), Some("run"), r#"{"command":"ls"}"#), None),
        chunk(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let in_pieces = [
        chunk(&call(0, Some("c1"), Some("read_file"), ""), None),
        chunk(&call(0, None, None, r#"{"path":"#), None),
        chunk(&call(0, None, None, r#""/x"}"#), None),
        chunk(&call(1, Some("c1"), Some("run"), ""), None),
        chunk(&call(1, Some("c1"), None, r#"{"command":"#), None),
        chunk(&call(1, None, None, r#""ls"}"#), None),
        chunk(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let repeated = [
        chunk(&call(0, Some("c1"), Some("read_file"), r#"{"path":"#), None),
        chunk(&call(0, Some("c1"), Some("read_file"), r#""/x"}"#), None),
        chunk(&call(1, Some("c1"), Some("run"), r#"{"command":"#), None),
        chunk(&call(1, Some("c1"), Some("run"), r#""ls"}"#), None),
        chunk(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    let tool = |name: &str, key: &str| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {(key): {"type": "string"}}}}});
    let chat = Dialect::OpenAiChat;
    let body = json!({"model": "m", "stream": true, "messages": [], "tools": [tool("read_file", "path"), tool("run", "command")]});
    for sent in [whole_calls.concat(), in_pieces.concat(), repeated.concat()] {
        for step in [1, 4096] {
            let (out, _) = streamed(&prepared(chat, chat, &body.to_string()), &sent, step);
            let mut calls: Vec<(String, String, String)> = Vec::new();
            for event in crate::support::data(&out) {
                for piece in event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
                    let at = piece["index"].as_u64().expect("an index") as usize;
                    calls.resize(calls.len().max(at + 1), Default::default());
                    let add =
                        |to: &mut String, value: &Value| to.push_str(value.as_str().unwrap_or_default());
                    add(&mut calls[at].0, &piece["id"]);
                    add(&mut calls[at].1, &piece["function"]["name"]);
                    add(&mut calls[at].2, &piece["function"]["arguments"]);
                }
            }
            assert_eq!(calls.len(), 2, "{out}");
            assert_eq!(
                (calls[0].1.as_str(), calls[0].2.as_str()),
                ("read_file", r#"{"path":"/x"}"#),
                "{out}"
            );
            assert_eq!((calls[1].1.as_str(), calls[1].2.as_str()), ("run", r#"{"command":"ls"}"#), "{out}");
            assert!(calls[0].0 == "c1" && calls[1].0 != "c1" && !calls[1].0.is_empty(), "{calls:?}");
        }
    }
}

#[test]
fn equal_ids_are_told_apart_for_clients_of_every_dialect() {
    let chat = r#"{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}},{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},"finish_reason":"tool_calls"}]}"#;
    let stream = [
        chunk(&call(0, Some("c1"), Some("weather"), r#"{"city":"Oslo"}"#), None),
        chunk(&call(1, Some("c1"), Some("weather"), r#"{"city":"Rome"}"#), None),
        chunk(&json!({}), Some("tool_calls")),
        "data: [DONE]\n\n".to_owned(),
    ];
    for front in [Dialect::AnthropicMessages, Dialect::OpenAiResponses] {
        let prepared = prepared(front, Dialect::OpenAiChat, &question(front, &[]).to_string());
        for out in [whole(&prepared, chat).0, streamed(&prepared, &stream.concat(), 9).0] {
            let mark =
                if front == Dialect::AnthropicMessages { r#""tool_use","id":""# } else { r#""call_id":""# };
            let ids = out.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
            let ids: std::collections::BTreeSet<&str> = ids.collect();
            assert!(ids.len() == 2 && ids.contains("c1"), "{front:?}: {ids:?} in {out}");
        }
    }
}
