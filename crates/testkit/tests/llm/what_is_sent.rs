//! What reaches the upstream, field by field: the requests that other proxies get wrong.

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::Dialect;

use crate::stage::{Stage, path};

/// A tool's name that is longer than most upstreams take: 78 characters.
fn long_name() -> String {
    let name = "mcp__a_server_with_a_very_long_name__list_all_the_open_pull_requests_of_a_team";
    assert_eq!(name.len(), 78);
    name.to_owned()
}

const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const PAPER: &str = "JVBERi0xLjQKJSVFT0YK";

/// What a coding agent sends in one request: everything at once.
fn everything(model: &str) -> Value {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"],
        "additionalProperties": false,
    });
    json!({
        "model": model, "max_tokens": 4096, "stop_sequences": ["END"], "metadata": {"user_id": "user-1"},
        "system": [
            {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.0; cch=a1b2c;"},
            {"type": "text", "text": "You are terse.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "Answer in English."},
        ],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "Read this."},
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PAPER}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Two calls.", "signature": "c2lnbmVk"},
                {"type": "text", "text": "Reading."},
                {"type": "tool_use", "id": "toolu_1", "name": long_name(), "input": {"city": "Bern"}},
                {"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {"city": "Genf"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": "no such city"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [
                    {"type": "text", "text": "A picture:"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}},
                ]},
                {"type": "text", "text": "<system-reminder>Be brief.</system-reminder>"},
            ]},
            {"role": "system", "content": "The user has gone home."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_3", "name": "get_weather", "input": {}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_3"}]},
        ],
        "tools": [
            {"name": long_name(), "description": "Long.", "input_schema": schema},
            {"name": "get_weather", "description": "The weather.", "input_schema": schema, "input_examples": [{"city": "Bern"}]},
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
        ],
        "tool_choice": {"type": "any", "disable_parallel_tool_use": true},
    })
}

/// Sends it and gives what the upstream got, and the answer.
async fn sent(upstream: Dialect, front: Dialect, body: &Value) -> (Value, Value) {
    let stage = Stage::set(upstream).await;
    let answer = stage.post(path(front), &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let exchanges = stage.upstream.exchanges();
    assert_eq!(exchanges.len(), 1, "one request makes one request");
    let got = serde_json::from_str(&exchanges[0].asked.body).expect("JSON");
    (got, serde_json::from_str(&answer.text()).expect("JSON"))
}

fn fits(name: &Value) -> bool {
    let name = name.as_str().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => {
            let parts = parts.as_array().into_iter().flatten();
            parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_an_agent_sends_reaches_a_chat_upstream() {
    let (got, answer) = sent(Dialect::Chat, Dialect::Anthropic, &everything("b7-first-tool")).await;
    let all = got.to_string();
    let messages = got["messages"].as_array().expect("messages");
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();

    // The system text is one string, with blank lines between its blocks, without what changes on every request.
    assert_eq!(messages[0]["role"], "system");
    let system = messages[0]["content"].as_str().expect("a string");
    assert!(system.starts_with("You are terse.\n\nAnswer in English."), "{system}");
    assert!(!all.contains("billing-header"), "{all}");
    assert!(all.contains("The user has gone home."), "the inline system message is there");
    assert!(!all.contains("cache_control"));

    // The document is a file with a name.
    assert_eq!(messages[1]["role"], "user");
    let file = messages[1]["content"].as_array().expect("parts").iter().find(|part| part["type"] == "file");
    let file = &file.expect("a file")["file"];
    assert_eq!(file["file_data"], format!("data:application/pdf;base64,{PAPER}"));
    assert!(file["filename"].as_str().is_some_and(|name| !name.is_empty()));

    // The assistant's turn is one message, with its calls.
    let turn = &messages[2];
    assert_eq!((&turn["role"], &turn["content"]), (&json!("assistant"), &json!("Reading.")));
    let calls = turn["tool_calls"].as_array().expect("calls");
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["function"]["arguments"], r#"{"city":"Bern"}"#);
    assert!(fits(&calls[0]["function"]["name"]), "{}", calls[0]);
    assert_eq!(calls[1]["function"]["name"], "get_weather");

    // Their results follow at once and in order; what stood beside them comes after the last.
    assert_eq!(roles[3..6], ["tool", "tool", "user"], "{roles:?}");
    assert_eq!(messages[3]["tool_call_id"], calls[0]["id"]);
    assert_eq!(messages[4]["tool_call_id"], calls[1]["id"]);
    let failed = text_of(&messages[3]["content"]);
    assert!(failed.contains("no such city") && failed.to_lowercase().contains("error"), "{failed}");
    assert!(text_of(&messages[4]["content"]).contains("A picture:"));
    assert!(!messages[4].to_string().contains(PIXEL), "a tool message takes text only");
    let beside = messages[5]["content"].as_array().expect("parts");
    let image = beside.iter().find(|part| part["type"] == "image_url").expect("the image");
    assert_eq!(image["image_url"]["url"], format!("data:image/png;base64,{PIXEL}"));
    assert!(text_of(&messages[5]["content"]).contains("<system-reminder>Be brief.</system-reminder>"));

    // A result without content is an empty text.
    let last = messages.last().expect("messages");
    assert_eq!((&last["role"], &last["content"]), (&json!("tool"), &json!("")));

    // Tools: what the provider runs itself is not there; schemas are what they were.
    let tools = got["tools"].as_array().expect("tools");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(names[0], &calls[0]["function"]["name"], "one name everywhere");
    assert!(tools.iter().all(|tool| tool["type"] == "function" && fits(&tool["function"]["name"])));
    assert_eq!(tools[1]["function"]["parameters"]["additionalProperties"], false);
    assert_eq!(tools[1]["function"]["parameters"]["required"], json!(["city"]));
    assert!(tools[1]["function"]["parameters"].get("input_examples").is_none());

    // The rest.
    assert_eq!(got["tool_choice"], "required");
    assert_eq!(got["parallel_tool_calls"], false);
    assert_eq!(got["stop"], json!(["END"]));
    let most = if got["max_tokens"].is_null() { &got["max_completion_tokens"] } else { &got["max_tokens"] };
    assert_eq!(*most, 4096);
    assert_eq!(got["model"], "b7-first-tool");
    assert!(all.contains("user-1"));
    for foreign in ["stop_sequences", "metadata", "system", "thinking", "top_k"] {
        assert!(got.get(foreign).is_none(), "{foreign} is no field of this dialect");
    }

    // And the name comes back as it was.
    assert_eq!(answer["content"][0]["name"], long_name(), "{answer}");
    assert_eq!(answer["stop_reason"], "tool_use");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_an_agent_sends_reaches_a_responses_upstream() {
    let (got, answer) = sent(Dialect::Responses, Dialect::Anthropic, &everything("b7-first-tool")).await;
    let all = got.to_string();
    let instructions = got["instructions"].as_str().expect("a text");
    assert!(instructions.starts_with("You are terse.\n\nAnswer in English."), "{instructions}");
    assert!(!all.contains("billing-header"));
    assert!(all.contains("The user has gone home."));
    let items = got["input"].as_array().expect("items");
    let kinds: Vec<&str> = items
        .iter()
        .map(|item| item["type"].as_str().or(item["role"].as_str()).unwrap_or_default())
        .collect();
    let place = |wanted: &dyn Fn(&Value) -> bool| items.iter().position(wanted);
    let text = place(&|item| item.to_string().contains("Reading.")).expect("the text");
    let first =
        place(&|item| item["call_id"] == "toolu_1" && item["type"] == "function_call").expect("a call");
    assert!(text < first, "text before its calls: {kinds:?}");
    let output = |id: &str| {
        let item = items.iter().find(|item| item["type"] == "function_call_output" && item["call_id"] == id);
        item.unwrap_or_else(|| panic!("no result of {id}: {kinds:?}"))
    };
    let failed = output("toolu_1").to_string();
    assert!(failed.contains("no such city") && failed.to_lowercase().contains("error"), "{failed}");
    assert!(all.contains(PIXEL), "the image is there");
    assert!(output("toolu_3").get("output").is_some(), "an empty result is a result");
    let mut parts = items.iter().flat_map(|item| item["content"].as_array().into_iter().flatten());
    let file = parts.find(|part| part["type"] == "input_file").expect("a file");
    assert!(file["filename"].as_str().is_some_and(|name| !name.is_empty()));
    let tools = got["tools"].as_array().expect("tools");
    assert!(
        tools.iter().filter(|tool| tool["type"] == "function").all(|tool| fits(&tool["name"])),
        "{tools:?}"
    );
    assert_eq!(got["tool_choice"], "required");
    assert_eq!(got["parallel_tool_calls"], false);
    assert_eq!(got["max_output_tokens"], 4096);
    assert!(got.get("stop").is_none(), "this dialect has none");
    assert_eq!(answer["content"][0]["name"], long_name(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_an_agent_sends_reaches_an_ollama_upstream() {
    let (got, answer) = sent(Dialect::Ollama, Dialect::Anthropic, &everything("b7-first-tool")).await;
    let all = got.to_string();
    assert!(!all.contains("billing-header"));
    let messages = got["messages"].as_array().expect("messages");
    assert!(messages.iter().all(|message| message["content"].is_string()), "content is text here: {all}");
    let calls: Vec<&Value> =
        messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten()).collect();
    assert_eq!(calls.len(), 3);
    assert!(calls.iter().all(|call| call["function"]["arguments"].is_object()), "{calls:?}");
    let results: Vec<&Value> = messages.iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(results.len(), 3);
    assert!(results[0]["content"].as_str().is_some_and(|text| text.to_lowercase().contains("error")));
    assert_eq!(results[1]["tool_name"], "get_weather");
    assert!(all.contains(PIXEL), "the image is there");
    assert_eq!(got["options"]["num_predict"], 4096);
    assert_eq!(got["options"]["stop"], json!(["END"]));
    assert_eq!(got["stream"], false, "it streams where nothing is said");
    assert_eq!(answer["content"][0]["name"], long_name(), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_in_the_upstreams_dialect_arrives_as_it_was() {
    let stage = Stage::set(Dialect::Anthropic).await;
    let body = everything("plain").to_string();
    let headers = "anthropic-version: 2023-06-01\r\nanthropic-beta: context-1m-2025-08-07, odd-one\r\n";
    let answer = stage.send("/v1/messages?beta=true", headers, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked = &stage.upstream.exchanges()[0].asked;
    assert_eq!(asked.body, body, "byte by byte");
    assert_eq!(asked.header("anthropic-beta"), Some("context-1m-2025-08-07, odd-one"));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_history_with_every_fault_becomes_one_that_anthropic_takes() {
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let body = json!({
        "model": "plain", "temperature": 1.7, "stop": "END", "parallel_tool_calls": false, "tool_choice": "required",
        "messages": [
            {"role": "system", "content": "You are terse."},
            {"role": "developer", "content": "Answer in English."},
            {"role": "user", "content": "Begin."},
            {"role": "user", "content": "Now."},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "functions.Bash:0", "type": "function", "function": function("get_weather", "{'city': 'Bern',}")},
                {"id": "call_2", "type": "function", "function": function("get_weather", "")},
                {"id": "call_3", "type": "function", "function": function("get_weather", "{\"city\": \"Lost\"}")},
            ]},
            {"role": "tool", "tool_call_id": "functions.Bash:0", "content": "sunny"},
            {"role": "tool", "tool_call_id": "call_2", "content": "rain"},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "So."},
            {"role": "tool", "tool_call_id": "call_of_nobody", "content": "orphan"},
            {"role": "user", "content": "Go on."},
        ],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {
            "type": "object", "properties": {"city": {"type": "string"}},
        }}}],
    });
    let (got, _) = sent(Dialect::Anthropic, Dialect::Chat, &body).await;
    let messages = got["messages"].as_array().expect("messages");
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles[0], "user");
    assert!(roles.windows(2).all(|pair| pair[0] != pair[1]), "roles alternate: {roles:?}");
    let system = got["system"].to_string();
    assert!(system.contains("You are terse.") && system.contains("Answer in English."), "{system}");
    let turn = messages[1]["content"].as_array().expect("blocks");
    let calls: Vec<&Value> = turn.iter().filter(|block| block["type"] == "tool_use").collect();
    assert_eq!(calls.len(), 3);
    assert_eq!(calls[0]["input"], json!({"city": "Bern"}), "mended");
    assert_eq!(calls[1]["input"], json!({}), "no arguments are none");
    let results = messages[2]["content"].as_array().expect("blocks");
    for (call, result) in calls.iter().zip(results) {
        let id = call["id"].as_str().unwrap_or_default();
        assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{id}");
        assert_eq!(result["type"], "tool_result", "results come first: {results:?}");
        assert_eq!(result["tool_use_id"], id);
    }
    assert_eq!(results[2]["is_error"], true, "a result that never came is told as an error");
    assert_eq!(text_of(&messages[2]["content"]), "And?", "text beside results stays beside them");
    assert!(got.to_string().contains("orphan"), "nothing is lost");
    assert!(messages.iter().skip(3).all(|message| !message.to_string().contains("tool_result")));
    assert_eq!(got["tool_choice"], json!({"type": "any", "disable_parallel_tool_use": true}));
    assert_eq!(got["stop_sequences"], json!(["END"]));
    assert_eq!(got["temperature"].as_f64(), Some(1.0));
    assert!(got["max_tokens"].as_u64().is_some_and(|most| most > 0), "it is mandatory there");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_an_ollama_client_find_their_calls_without_ids() {
    let call = |city: &str| json!({"function": {"name": "get_weather", "arguments": {"city": city}}});
    let body = json!({
        "model": "plain", "stream": false,
        "messages": [
            {"role": "user", "content": "Both."},
            {"role": "assistant", "content": "", "tool_calls": [call("Bern"), call("Genf")]},
            {"role": "tool", "tool_name": "get_weather", "content": "sunny"},
            {"role": "tool", "tool_name": "get_weather", "content": "rain"},
        ],
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {
            "type": "object", "properties": {"city": {"type": "string"}},
        }}}],
    });
    let (got, _) = sent(Dialect::Anthropic, Dialect::Ollama, &body).await;
    let calls = got["messages"][1]["content"].as_array().expect("blocks");
    let results = got["messages"][2]["content"].as_array().expect("blocks");
    assert_eq!((calls.len(), results.len()), (2, 2));
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    for (call, (result, text)) in calls.iter().zip(results.iter().zip(["sunny", "rain"])) {
        assert_eq!(call["id"], result["tool_use_id"]);
        assert!(result["content"].to_string().contains(text));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_question_asks_for_the_count_of_tokens() {
    let stage = Stage::set(Dialect::Chat).await;
    let mut body = everything("s1-text-then-two-calls");
    body["stream"] = json!(true);
    let answer = stage.post("/v1/messages", &body.to_string()).await;
    assert_eq!(answer.status, 200);
    let asked = &stage.upstream.exchanges()[0].asked;
    assert_eq!(asked.json("/stream_options/include_usage"), true);
    assert_eq!(asked.json("/stream"), true);
}
