//! Tools in namespaces, as Codex sends those of MCP servers: every upstream gets them, and calls come back with both names.

use serde_json::{Value, json};
use toolwright_llm::Dialect;

use crate::support::{data, prepared, streamed, whole};

const FOREIGN: [Dialect; 3] = [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OllamaChat];

fn request() -> Value {
    let tool = |name: &str| {
        json!({"type": "function", "name": name, "description": "Reads.", "strict": false, "parameters": {
            "type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}, "required": ["path"],
        }})
    };
    json!({
        "model": "m", "store": false, "stream": true,
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "call_id": "c0", "name": "read_file", "namespace": "mcp__tw", "arguments": "{\"path\":\"/a\"}"},
            {"type": "function_call_output", "call_id": "c0", "output": "text"},
            {"type": "function_call", "call_id": "c1", "name": "gone", "namespace": "mcp__old", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "text"},
        ],
        "tools": [
            tool("exec_command"),
            {"type": "namespace", "name": "mcp__tw", "description": "Tools of tw.", "tools": [tool("read_file"), tool("exec_command")]},
            {"type": "namespace", "name": format!("mcp__{}", "long".repeat(16)), "tools": [tool("read_file")]},
            {"type": "web_search"},
        ],
    })
}

/// The names of the tools that an upstream is sent.
fn names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().expect("tools");
    let name = |tool: &Value| tool["function"]["name"].as_str().or(tool["name"].as_str()).map(str::to_owned);
    tools.iter().filter_map(name).collect()
}

fn body(upstream: Dialect, request: &Value) -> Value {
    let prepared = prepared(Dialect::OpenAiResponses, upstream, &request.to_string());
    serde_json::from_str(&prepared.body).expect("JSON")
}

/// An answer of an upstream that calls a tool, in pieces.
fn calling(upstream: Dialect, name: &str, arguments: &Value) -> String {
    let text = arguments.to_string();
    match upstream {
        Dialect::AnthropicMessages => [
            json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}),
            json!({"type": "message_stop"}),
        ]
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type")))
        .collect(),
        Dialect::OllamaChat => format!(
            "{}\n{}\n",
            json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}, "done": false}),
            json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"}),
        ),
        _ => format!(
            "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
            json!({"id": "1", "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                "function": {"name": name, "arguments": text}}]}}]}),
            json!({"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        ),
    }
}

#[test]
fn every_upstream_gets_the_tools_of_namespaces_under_names_of_their_own() {
    for upstream in FOREIGN {
        let sent = names(&body(upstream, &request()));
        assert_eq!(
            sent[..3],
            ["exec_command", "mcp__tw__read_file", "mcp__tw__exec_command"],
            "{upstream:?}"
        );
        let most = if upstream == Dialect::AnthropicMessages { 128 } else { 64 };
        assert!(sent.len() == 4 && sent.iter().all(|name| name.len() <= most), "{upstream:?}: {sent:?}");
    }
    // A function that has such a name already keeps it.
    let mut request = request();
    request["tools"][0]["name"] = json!("mcp__tw__read_file");
    for upstream in FOREIGN {
        let sent = names(&body(upstream, &request));
        assert_eq!(sent[0], "mcp__tw__read_file");
        assert!(sent[1] != sent[0] && sent[1].starts_with("mcp__tw_read_file_"), "{sent:?}");
    }
}

#[test]
fn calls_of_such_tools_in_the_history_have_the_same_names() {
    let sent = body(Dialect::OpenAiChat, &request());
    assert_eq!(sent["messages"][1]["tool_calls"][0]["function"]["name"], "mcp__tw__read_file", "{sent}");
    assert_eq!(sent["messages"][3]["tool_calls"][0]["function"]["name"], "mcp__old__gone", "{sent}");
    let sent = body(Dialect::AnthropicMessages, &request());
    assert_eq!(sent["messages"][1]["content"][0]["name"], "mcp__tw__read_file", "{sent}");
}

#[test]
fn a_call_comes_back_with_both_names_and_is_repaired() {
    for upstream in FOREIGN {
        let prepared = prepared(Dialect::OpenAiResponses, upstream, &request().to_string());
        let broken = json!({"file_path": "/x", "n": "3"});
        let (out, report) = streamed(&prepared, &calling(upstream, "mcp__tw__read_file", &broken), 7);
        let done = data(&out)
            .into_iter()
            .find(|event| event["type"] == "response.output_item.done")
            .expect("an item");
        let item = &done["item"];
        assert_eq!((&item["name"], &item["namespace"]), (&json!("read_file"), &json!("mcp__tw")), "{out}");
        let arguments: Value = serde_json::from_str(item["arguments"].as_str().expect("text")).expect("JSON");
        assert_eq!(arguments, json!({"path": "/x", "n": 3}), "{upstream:?}");
        assert_eq!(report.repaired(), 1, "{upstream:?}");
        // One of no namespace has none.
        let (out, _) = streamed(&prepared, &calling(upstream, "exec_command", &json!({"path": "/x"})), 64);
        assert!(!out.contains(r#""name":"exec_command","namespace""#), "{out}");
    }
}

#[test]
fn the_choice_of_such_a_tool_is_the_one_that_was_sent() {
    let mut request = request();
    request["tool_choice"] = json!({"type": "function", "name": "read_file", "namespace": "mcp__tw"});
    let sent = body(Dialect::OpenAiChat, &request);
    assert_eq!(sent["tool_choice"]["function"]["name"], "mcp__tw__read_file", "{sent}");
    request["tool_choice"] =
        json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "namespace", "name": "mcp__tw"}]});
    assert_eq!(names(&body(Dialect::OpenAiChat, &request)), ["mcp__tw__read_file", "mcp__tw__exec_command"]);
}

/// An answer of Responses with one call.
fn item(name: &str, namespace: Option<&str>, arguments: &str) -> Value {
    let mut item = json!({"type": "function_call", "id": "fc_1", "call_id": "c9", "name": name, "arguments": arguments, "status": "completed"});
    if let Some(namespace) = namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn answer(item: &Value) -> String {
    json!({"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": [item]})
        .to_string()
}

fn stream(item: &Value) -> String {
    let mut added = item.clone();
    (added["arguments"], added["status"]) = (json!(""), json!("in_progress"));
    let text = item["arguments"].as_str().expect("text");
    let (first, second) = text.split_at(text.len() / 2);
    let events = [
        json!({"type": "response.created", "response": {"id": "resp_1", "model": "m", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": added}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": first}),
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": second}),
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 0, "arguments": text}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "resp_1", "model": "m", "status": "completed", "output": [item]}}),
    ];
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().expect("a type")))
        .collect()
}

#[test]
fn responses_to_responses_repairs_the_calls_of_namespaces() {
    let own = Dialect::OpenAiResponses;
    let prepared = prepared(own, own, &request().to_string());
    assert_eq!(prepared.body, request().to_string(), "the request is forwarded unchanged");
    for (name, namespace, arguments, is_changed, named) in [
        ("read_file", Some("mcp__tw"), r#"{"file_path":"/x","n":"3"}"#, true, "read_file"),
        ("Read_File", Some("mcp__tw"), r#"{"path":"/x"}"#, true, "read_file"),
        // What is right stays as it is; what belongs elsewhere is not moved there.
        ("read_file", Some("mcp__tw"), r#"{"path":"/x"}"#, false, "read_file"),
        ("read_file", Some("mcp__other"), r#"{"file_path":"/x"}"#, false, "read_file"),
        ("web_thing", None, r#"{"file_path":"/x"}"#, false, "web_thing"),
    ] {
        let item = item(name, namespace, arguments);
        let what = format!("{namespace:?} {name} {arguments}");
        let (sent, (out, report)) = (answer(&item), whole(&prepared, &answer(&item)));
        assert_eq!(out != sent, is_changed, "{what}: {out}");
        assert_eq!(report.repaired(), usize::from(is_changed), "{what}");
        let told: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(
            (&told["output"][0]["name"], told["output"][0]["namespace"].as_str()),
            (&json!(named), namespace)
        );
        for step in [1, 5, 4096] {
            let (out, report) = streamed(&prepared, &stream(&item), step);
            assert_eq!(out != stream(&item), is_changed, "{what}: {out}");
            assert_eq!(report.repaired(), usize::from(is_changed), "{what}");
            let items: Vec<Value> =
                data(&out).into_iter().filter(|event| event["item"].is_object()).collect();
            for event in items {
                assert_eq!(
                    (&event["item"]["name"], event["item"]["namespace"].as_str()),
                    (&json!(named), namespace),
                    "{what}"
                );
            }
        }
    }
}
