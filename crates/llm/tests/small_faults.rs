//! `tool_choice: "none"` means no call, whatever the model does; and small things that servers do wrong.

use serde_json::{Value, json};
use toolwright_llm::Dialect;

use crate::support::{data, prepared, streamed, whole};

fn request(front: Dialect, choice: Option<&str>, is_stream: bool) -> String {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let messages = json!([{"role": "user", "content": "the weather?"}]);
    let mut body = match front {
        Dialect::AnthropicMessages => json!({
            "model": "m", "max_tokens": 9, "messages": messages, "tools": [{"name": "weather", "input_schema": schema}],
        }),
        Dialect::OpenAiResponses => json!({
            "model": "m", "input": messages, "tools": [{"type": "function", "name": "weather", "parameters": schema}],
        }),
        _ => json!({
            "model": "m", "messages": messages, "tools": [{"type": "function", "function": {"name": "weather", "parameters": schema}}],
        }),
    };
    body["stream"] = json!(is_stream);
    if let Some(choice) = choice {
        body["tool_choice"] = match front {
            Dialect::AnthropicMessages => json!({"type": choice}),
            _ => json!(choice),
        };
    }
    body.to_string()
}

const CALLED: &str = r#"{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#;
const STREAMED: &str = "data: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"city\\\":\"}}]}}]}\n\ndata: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"Oslo\\\"}\"}}]}}]}\n\ndata: {\"id\":\"1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";

const CLIENTS: [Dialect; 3] = [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OpenAiResponses];
const ALL: [Dialect; 4] =
    [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::OllamaChat];

/// Whether a client sees a call in an answer.
fn has_call(out: &str) -> bool {
    [r#""tool_use""#, r#""tool_calls":["#, r#""tool_calls": ["#, r#""function_call""#]
        .iter()
        .any(|mark| out.contains(mark))
}

#[test]
fn a_call_that_is_not_allowed_reaches_no_client_as_a_call() {
    for front in CLIENTS {
        for (choice, is_allowed) in [(Some("none"), false), (Some("auto"), true), (None, true)] {
            let asked = prepared(front, Dialect::OpenAiChat, &request(front, choice, false));
            let (out, _) = whole(&asked, CALLED);
            assert_eq!(has_call(&out), is_allowed, "{front:?} {choice:?}: {out}");
            assert!(out.contains("Oslo"), "what the model wanted can be read: {out}");
            let asked = prepared(front, Dialect::OpenAiChat, &request(front, choice, true));
            let (out, _) = streamed(&asked, STREAMED, 11);
            assert_eq!(has_call(&out), is_allowed, "{front:?} {choice:?}: {out}");
            assert!(out.contains("Oslo") || is_allowed, "{out}");
        }
    }
    let asked = prepared(
        Dialect::OpenAiChat,
        Dialect::OpenAiChat,
        &request(Dialect::OpenAiChat, Some("none"), false),
    );
    let told: Value = serde_json::from_str(&whole(&asked, CALLED).0).expect("JSON");
    assert_eq!(told["choices"][0]["finish_reason"], "stop", "{told}");
}

#[test]
fn text_that_looks_like_a_call_stays_text_where_no_call_is_allowed() {
    let text = r#"<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>"#;
    let answer = format!(
        r#"{{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}]}}"#
    );
    for front in CLIENTS {
        for (choice, is_allowed) in [(Some("none"), false), (None, true)] {
            let asked = prepared(front, Dialect::OpenAiChat, &request(front, choice, false));
            let (out, report) = whole(&asked, &answer);
            assert_eq!(has_call(&out), is_allowed, "{front:?} {choice:?}: {out}");
            assert_eq!(report.text_calls, usize::from(is_allowed));
            assert!(out.contains("<tool_call>") != is_allowed, "{front:?}: {out}");
        }
    }
}

#[test]
fn a_stream_of_nothing_but_its_end_is_an_error() {
    for front in ALL {
        let asked = prepared(front, Dialect::OpenAiChat, &request(front, None, true));
        let (out, report) = streamed(&asked, "data: [DONE]\n\n", 5);
        assert!(report.failure.is_some() && out.contains("error"), "{front:?}: {out}");
        assert!(!out.contains("end_turn") && !out.contains("response.completed"), "{front:?}: {out}");
    }
    // One that said something and forgot why it ends is none.
    let said =
        "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n";
    for front in ALL {
        let asked = prepared(front, Dialect::OpenAiChat, &request(front, None, true));
        let (out, report) = streamed(&asked, said, 5);
        assert!(report.failure.is_none() && out.contains("Hi"), "{front:?}: {out}");
    }
}

#[test]
fn null_for_arguments_is_repaired_in_the_same_dialect() {
    let anthropic = r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"weather","input":null}],"stop_reason":"tool_use"}"#;
    let ollama = r#"{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":null}}]},"done":true}"#;
    for (dialect, sent, wanted) in [
        (Dialect::AnthropicMessages, anthropic, r#""input":{}"#),
        (Dialect::OllamaChat, ollama, r#""arguments":{}"#),
    ] {
        let asked = prepared(dialect, dialect, &request(dialect, None, false));
        let (out, _) = whole(&asked, sent);
        assert!(out.contains(wanted), "{dialect:?}: {out}");
    }
    // In pieces `null` says that the arguments are still to come.
    let chat = Dialect::OpenAiChat;
    let pieces = STREAMED.replacen(r#""arguments":"{\"city\":""#, r#""arguments":null"#, 1);
    let pieces = pieces.replacen(r#"\"Oslo\"}"#, r#"{\"city\":\"Oslo\"}"#, 1);
    let (out, _) = streamed(&prepared(chat, chat, &request(chat, None, true)), &pieces, 4096);
    let said: String = data(&out)
        .iter()
        .filter_map(|event| {
            event["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str().map(str::to_owned)
        })
        .collect();
    assert_eq!(said, r#"{"city":"Oslo"}"#, "{out}");
}

#[test]
fn what_only_responses_knows_leaves_no_empty_message_behind() {
    let body = json!({"model": "m", "input": [
        {"role": "user", "content": "run ls"},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "status": "completed", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "c", "output": "a\nb"},
    ]});
    for upstream in [Dialect::OpenAiChat, Dialect::OllamaChat, Dialect::AnthropicMessages] {
        let sent = prepared(Dialect::OpenAiResponses, upstream, &body.to_string()).body;
        let sent: Value = serde_json::from_str(&sent).expect("JSON");
        for message in sent["messages"].as_array().expect("messages") {
            assert!(message["content"] != "" && message["content"] != json!([]), "{upstream:?}: {sent}");
        }
    }
}

#[test]
fn a_client_of_chat_gives_encrypted_thoughts_back_to_responses() {
    let (front, upstream) = (Dialect::OpenAiChat, Dialect::OpenAiResponses);
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAAAB"});
    let bare = json!({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAAAC"});
    let call = json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "weather", "arguments": "{\"city\":\"Oslo\"}", "status": "completed"});
    let answer = json!({"id": "r", "object": "response", "model": "m", "status": "completed", "output": [thought, bare, call]});
    let asked = prepared(front, upstream, &request(front, None, false));
    let told: Value = serde_json::from_str(&whole(&asked, &answer.to_string()).0).expect("JSON");
    let mut next: Value = serde_json::from_str(&request(front, None, false)).expect("JSON");
    let messages = next["messages"].as_array_mut().expect("messages");
    messages.push(told["choices"][0]["message"].clone());
    messages.push(json!({"role": "tool", "tool_call_id": "c", "content": "rain"}));
    let sent: Value = serde_json::from_str(&prepared(front, upstream, &next.to_string()).body).expect("JSON");
    let input = sent["input"].as_array().expect("items");
    assert!(input.contains(&thought) && input.contains(&bare), "{sent}");
    // No other provider gets them.
    let sent = prepared(front, Dialect::AnthropicMessages, &next.to_string()).body;
    assert!(!sent.contains("gAAAA"), "{sent}");
}

#[test]
fn strict_goes_on_where_the_upstream_takes_the_schema() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    let optional =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let messages = json!([{"role": "user", "content": "x"}]);
    for (schema, to_openai, to_anthropic) in
        [(closed, true, true), (optional, false, true), (open, false, false)]
    {
        let anthropic = json!({"model": "m", "max_tokens": 9, "messages": messages, "tools": [{"name": "t", "input_schema": schema, "strict": true}]});
        let chat = json!({"model": "m", "messages": messages, "tools": [{"type": "function", "function": {"name": "t", "parameters": schema, "strict": true}}]});
        let sent = |front, upstream, body: &Value| -> Value {
            serde_json::from_str(&prepared(front, upstream, &body.to_string()).body).expect("JSON")
        };
        let told = sent(Dialect::AnthropicMessages, Dialect::OpenAiChat, &anthropic);
        assert_eq!(told["tools"][0]["function"]["strict"] == true, to_openai, "{told}");
        let told = sent(Dialect::AnthropicMessages, Dialect::OpenAiResponses, &anthropic);
        assert_eq!(told["tools"][0]["strict"], to_openai, "{told}");
        let told = sent(Dialect::OpenAiChat, Dialect::AnthropicMessages, &chat);
        assert_eq!(told["tools"][0]["strict"] == true, to_anthropic, "{told}");
    }
}

#[test]
fn an_answer_after_another_try_costs_what_both_cost() {
    use crate::support::{fresh, mending};
    let used = |answer: &str| answer.replace("Oslo\\\"", "Oslo\\\",\\\"x\\\":1");
    let refused = used(CALLED).replace("\\\"city\\\":\\\"Oslo\\\",", "");
    for front in ALL {
        let body = request(front, None, false)
            .replace(r#""properties":"#, r#""required":["city"],"additionalProperties":false,"properties":"#);
        let first = prepared(front, Dialect::OpenAiChat, &body);
        let (_, report) = whole(&first, &refused);
        let second = first
            .again(refused.as_bytes(), &report, &mending(), &fresh())
            .expect("refused")
            .expect("prepared");
        let (out, report) = whole(&second, CALLED);
        assert_eq!((report.usage.input, report.usage.output), (Some(6), Some(4)), "{front:?}");
        let told: Value = serde_json::from_str(&out).expect("JSON");
        let counts = match front {
            Dialect::OllamaChat => (told["prompt_eval_count"].clone(), told["eval_count"].clone()),
            Dialect::OpenAiChat => {
                (told["usage"]["prompt_tokens"].clone(), told["usage"]["completion_tokens"].clone())
            }
            _ => (told["usage"]["input_tokens"].clone(), told["usage"]["output_tokens"].clone()),
        };
        assert_eq!(counts, (json!(6), json!(4)), "{front:?}: {out}");
    }
}
