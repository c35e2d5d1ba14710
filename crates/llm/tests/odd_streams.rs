//! What upstreams do at the edges of their wire formats: characters and names in two pieces, missing ids, bad framing.

use serde_json::{Value, json};
use toolwright_llm::Dialect;

use crate::support::{data, prepared, streamed, whole};

const ALL: [Dialect; 4] =
    [Dialect::AnthropicMessages, Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::OllamaChat];

/// A request with the tools `Read` and `Bash`.
fn request(front: Dialect, is_stream: bool) -> String {
    let messages = json!([{"role": "user", "content": "x"}]);
    let schema = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}, "n": {"type": "integer"}}, "required": [key]});
    let tools: Vec<Value> = [("Read", "file_path"), ("Bash", "command")]
        .into_iter()
        .map(|(name, key)| match front {
            Dialect::AnthropicMessages => json!({"name": name, "input_schema": schema(key)}),
            Dialect::OpenAiResponses => json!({"type": "function", "name": name, "parameters": schema(key)}),
            _ => json!({"type": "function", "function": {"name": name, "parameters": schema(key)}}),
        })
        .collect();
    let conversation = if front == Dialect::OpenAiResponses { "input" } else { "messages" };
    json!({"model": "m", "max_tokens": 9, conversation: messages, "tools": tools, "stream": is_stream})
        .to_string()
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}

fn chunk(delta: &str) -> String {
    format!("data: {{\"id\":\"1\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n")
}

const FINISHED: &str = "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";

/// A stream of Anthropic with one call, its arguments in these pieces.
fn anthropic(start: &str, pieces: &[&str]) -> String {
    let mut out = event(
        &json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}),
    );
    out.push_str(&format!(
        "event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{start}}}\n\n"
    ));
    for piece in pieces {
        out.push_str(&event(&json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}})));
    }
    out.push_str(&event(&json!({"type": "content_block_stop", "index": 0})));
    out.push_str(&event(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}})));
    out + &event(&json!({"type": "message_stop"}))
}

/// Every text, thought and piece of arguments of a stream, in order.
fn said(front: Dialect, out: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    data(out)
        .iter()
        .map(|event| match front {
            Dialect::AnthropicMessages => {
                let delta = &event["delta"];
                text(&delta["text"]) + &text(&delta["thinking"]) + &text(&delta["partial_json"])
            }
            Dialect::OpenAiChat => {
                let delta = &event["choices"][0]["delta"];
                text(&delta["content"])
                    + &text(&delta["reasoning_content"])
                    + &text(&delta["tool_calls"][0]["function"]["arguments"])
            }
            Dialect::OpenAiResponses => text(&event["delta"]),
            Dialect::OllamaChat => {
                let message = &event["message"];
                let arguments = &message["tool_calls"][0]["function"]["arguments"];
                text(&message["content"])
                    + &text(&message["thinking"])
                    + &if arguments.is_null() { String::new() } else { arguments.to_string() }
            }
        })
        .collect()
}

#[test]
fn a_character_in_two_deltas_is_one_character() {
    let kinds = [("content", "text_delta", "text"), ("reasoning_content", "thinking_delta", "thinking")];
    for (chat_key, kind, key) in kinds {
        let block = if key == "text" {
            r#"{"type":"text","text":""}"#
        } else {
            r#"{"type":"thinking","thinking":"","signature":""}"#
        };
        let pieces = [r"a\ud83d", r"\ude00b", r"\ud83d"];
        let chat: String =
            pieces.iter().map(|piece| chunk(&format!("{{\"{chat_key}\":\"{piece}\"}}"))).collect();
        let anthropic_deltas: String = pieces
            .iter()
            .map(|piece| format!("data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"{kind}\",\"{key}\":\"{piece}\"}}}}\n\n"))
            .collect();
        let ollama_key = if key == "text" { "content" } else { key };
        let ollama: String = pieces
            .iter()
            .map(|piece| format!("{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"{ollama_key}\":\"{piece}\"}},\"done\":false}}\n"))
            .collect();
        let event_type =
            if key == "text" { "response.output_text.delta" } else { "response.reasoning_text.delta" };
        let responses: String = pieces
            .iter()
            .map(|piece| format!("data: {{\"type\":\"{event_type}\",\"item_id\":\"i\",\"output_index\":0,\"content_index\":0,\"delta\":\"{piece}\"}}\n\n"))
            .collect();
        let streams = [
            (
                Dialect::OpenAiChat,
                chat + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
            ),
            (
                Dialect::AnthropicMessages,
                format!(
                    "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{block}}}\n\n{anthropic_deltas}data: {{\"type\":\"content_block_stop\",\"index\":0}}\n\ndata: {{\"type\":\"message_stop\"}}\n\n"
                ),
            ),
            (
                Dialect::OllamaChat,
                ollama
                    + "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n",
            ),
            (
                Dialect::OpenAiResponses,
                responses
                    + "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\",\"status\":\"completed\",\"output\":[]}}\n\n",
            ),
        ];
        for (upstream, sent) in &streams {
            for front in ALL.into_iter().filter(|front| front != upstream) {
                let (out, report) = streamed(&prepared(front, *upstream, &request(front, true)), sent, 7);
                assert_eq!(said(front, &out), "a😀b\u{fffd}", "{upstream:?} {front:?} {key}: {out}");
                assert_eq!(report.failure, None);
            }
        }
    }
}

#[test]
fn a_character_in_two_pieces_of_arguments_is_one_character() {
    let start = r#"{"type":"tool_use","id":"t","name":"Read","input":{}}"#;
    let sent = anthropic(start, &["{\"file_path\":\"HALF", "REST\"}"])
        .replace("HALF", r"\ud83d")
        .replace("REST", r"\ude00");
    let chat = chunk(
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"Read","arguments":"{\"file_path\":\"\ud83d"}}]}"#,
    ) + &chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]}"#)
        + FINISHED;
    for (upstream, sent) in [(Dialect::AnthropicMessages, &sent), (Dialect::OpenAiChat, &chat)] {
        for front in ALL {
            let (out, _) = streamed(&prepared(front, upstream, &request(front, true)), sent, 4096);
            // Where both speak the same dialect the halves stay as they were cut.
            let told = if front == upstream { r"\ud83d" } else { "😀" };
            assert!(out.contains(told) && !out.contains('\u{fffd}'), "{upstream:?} {front:?}: {out}");
        }
    }
}

#[test]
fn a_character_in_two_pieces_of_a_call_that_is_text_is_one_character() {
    let text =
        r#"<tool_call>{\"name\":\"Read\",\"arguments\":{\"file_path\":\"\ud83d|\ude00\"}}</tool_call>"#;
    let sent: String = text.split('|').map(|piece| chunk(&format!("{{\"content\":\"{piece}\"}}"))).collect();
    let mut target = toolwright_llm::Target::new(Dialect::OpenAiChat, "m");
    target.reads_text_calls = true;
    for front in ALL {
        let prepared = crate::support::prepared_for(front, &target, &request(front, true));
        let (out, report) =
            streamed(&prepared, &(sent.clone() + &FINISHED.replace("tool_calls", "stop")), 4096);
        assert_eq!(report.text_calls, 1, "{front:?}: {out}");
        assert_eq!(report.calls[0].sent, r#"{"file_path":"😀"}"#, "{front:?}: {out}");
    }
}

#[test]
fn a_name_in_two_pieces_is_one_call() {
    let named = |name: &str, id: &str| {
        chunk(&format!(r#"{{"tool_calls":[{{"index":0{id},"function":{{"name":"{name}"}}}}]}}"#))
    };
    let arguments = chunk(
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"file_path\":\"/x\",\"n\":\"3\"}"}}]}"#,
    );
    let id = r#","id":"c1""#;
    for (pieces, what) in [
        (named("Re", id) + &named("ad", ""), "in pieces"),
        (named("Re", id) + &named("ad", id), "in pieces, with the id"),
        (named("Read", id) + &named("Read", id), "whole, twice"),
        (named("Read", id) + &named("Read", ""), "whole, twice, the id once"),
    ] {
        let sent = pieces + &arguments + FINISHED;
        for front in ALL {
            let (out, report) =
                streamed(&prepared(front, Dialect::OpenAiChat, &request(front, true)), &sent, 4096);
            let calls: Vec<_> =
                report.calls.iter().map(|call| (call.name.as_str(), call.instead.as_deref())).collect();
            assert_eq!(calls, [("Read", Some(r#"{"file_path":"/x","n":3}"#))], "{what}, {front:?}: {out}");
        }
    }
    // Without an index a new name is another call, and so is one with an id of its own.
    let one = |name: &str, id: &str| {
        chunk(&format!(r#"{{"tool_calls":[{{{id}"function":{{"name":"{name}"}}}}]}}"#))
    };
    for sent in [
        one("Read", "") + &one("Bash", "") + FINISHED,
        one("Read", r#""index":0,"id":"a","#) + &one("Bash", r#""index":0,"id":"b","#) + FINISHED,
        one("Read", r#""index":0,"#) + &one("Bash", r#""index":1,"#) + FINISHED,
    ] {
        for front in ALL.into_iter().filter(|front| *front != Dialect::OpenAiChat) {
            let (out, report) =
                streamed(&prepared(front, Dialect::OpenAiChat, &request(front, true)), &sent, 4096);
            let names: Vec<&str> = report.calls.iter().map(|call| call.name.as_str()).collect();
            assert_eq!(names, ["Read", "Bash"], "{front:?}: {out}");
        }
    }
}

#[test]
fn null_for_arguments_is_repaired_where_a_call_starts() {
    let front = Dialect::AnthropicMessages;
    let sent = anthropic(r#"{"type":"tool_use","id":"t","name":"Bash","input":null}"#, &[]);
    let (out, _) = streamed(&prepared(front, front, &request(front, true)), &sent, 4096);
    assert!(out.contains(r#""input":{}"#) && !out.contains("null"), "{out}");
    let sent = anthropic(
        r#"{"type":"tool_use","id":"t","name":"Bash","input":null}"#,
        &["{\"command\":", "\"ls\"}"],
    );
    let (out, report) = streamed(&prepared(front, front, &request(front, true)), &sent, 4096);
    assert_eq!((said(front, &out).as_str(), report.calls.len()), (r#"{"command":"ls"}"#, 1), "{out}");

    let front = Dialect::OpenAiResponses;
    let item = |status: &str| json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "Bash", "arguments": null, "status": status});
    let sent = event(
        &json!({"type": "response.output_item.added", "output_index": 0, "item": item("in_progress")}),
    ) + &event(
        &json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc", "delta": "{\"command\":\"ls\"}"}),
    ) + &event(
        &json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc", "arguments": null}),
    ) + &event(
        &json!({"type": "response.output_item.done", "output_index": 0, "item": item("completed")}),
    ) + &event(
        &json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": [item("completed")]}}),
    );
    let (out, report) = streamed(&prepared(front, front, &request(front, true)), &sent, 4096);
    let told = data(&out);
    assert_eq!(told[0]["item"]["arguments"], "", "{out}");
    for arguments in
        [&told[2]["arguments"], &told[3]["item"]["arguments"], &told[4]["response"]["output"][0]["arguments"]]
    {
        assert_eq!(arguments, r#"{"command":"ls"}"#, "{out}");
    }
    assert_eq!(report.calls.len(), 1);
}

#[test]
fn a_second_object_behind_the_arguments_is_never_dropped_silently() {
    let front = Dialect::AnthropicMessages;
    for pieces in [
        &[r#"{"command":"ls"}"#, r#"{"command":"rm"}"#][..],
        &[r#"{"command":"l"#, r#"s"}{"comm"#, r#"and":"rm"}"#][..],
    ] {
        let start = r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#;
        let parts: String = pieces
            .iter()
            .map(|piece| {
                chunk(&format!(
                    r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":{}}}}}]}}"#,
                    json!(piece)
                ))
            })
            .collect();
        let chat =
            chunk(r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"Bash"}}]}"#) + &parts + FINISHED;
        for (upstream, sent) in [(front, anthropic(start, pieces)), (Dialect::OpenAiChat, chat)] {
            let (out, _) = streamed(&prepared(front, upstream, &request(front, true)), &sent, 4096);
            let told: Value =
                serde_json::from_str(&said(front, &out)).unwrap_or_else(|error| panic!("{error}: {out}"));
            let marked = told.get("unreadable_arguments").or(told["command"].get("unreadable_arguments"));
            assert_eq!(marked, Some(&json!(pieces.concat())), "{upstream:?}: {out}");
        }
    }
    // Clients of Chat parse the whole text and refuse it themselves.
    let front = Dialect::OpenAiChat;
    let sent = anthropic(
        r#"{"type":"tool_use","id":"t","name":"Bash","input":{}}"#,
        &[r#"{"command":"ls"}"#, r#"{"command":"rm"}"#],
    );
    let (out, _) = streamed(&prepared(front, Dialect::AnthropicMessages, &request(front, true)), &sent, 4096);
    assert!(serde_json::from_str::<Value>(&said(front, &out)).is_err(), "{out}");
}

#[test]
fn bad_framing_is_repaired_where_both_sides_speak_the_same_dialect() {
    let front = Dialect::AnthropicMessages;
    let good = anthropic(
        r#"{"type":"tool_use","id":"t","name":"Read","input":{}}"#,
        &[r#"{"file_path":"/x","n":"3"}"#],
    );
    let wanted = good.replace(r#"\"n\":\"3\""#, r#"\"n\":3"#);
    let without_events: String =
        good.lines().filter(|line| !line.starts_with("event:")).map(|line| format!("{line}\n")).collect();
    for (what, sent) in [
        ("byte order mark", format!("\u{feff}{good}")),
        ("no event lines", without_events),
        ("unended", good.trim_end().to_owned()),
    ] {
        for step in [1, 3, 4096] {
            let (out, report) = streamed(&prepared(front, front, &request(front, true)), &sent, step);
            assert_eq!((out.as_str(), report.failure.is_none()), (wanted.as_str(), true), "{what}");
        }
    }
    // The mark behind a chunk that nobody ended is an event of its own.
    let front = Dialect::OpenAiChat;
    let sent = "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}";
    let (out, _) = streamed(&prepared(front, front, &request(front, true)), sent, 4096);
    assert_eq!(out, format!("{sent}\n\ndata: [DONE]\n\n"));
    let front = Dialect::OllamaChat;
    let call = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"Read\",\"arguments\":{\"file_path\":\"/x\",\"n\":\"3\"}}}]},\"done\":true}";
    let (out, _) = streamed(&prepared(front, front, &request(front, true)), &format!("\u{feff}{call}"), 4096);
    assert_eq!(out, call.replace("\"3\"", "3") + "\n");
}

#[test]
fn calls_with_one_id_stay_apart_in_the_same_dialect() {
    let ids = |front: Dialect, told: &Value| -> Vec<String> {
        let (list, key) = match front {
            Dialect::AnthropicMessages => (&told["content"], "id"),
            Dialect::OpenAiResponses => (&told["output"], "call_id"),
            _ => (&told["message"]["tool_calls"], "id"),
        };
        list.as_array()
            .expect("calls")
            .iter()
            .map(|call| call[key].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let use_of = |name: &str| json!({"type": "tool_use", "id": "c", "name": name, "input": {"command": "ls", "file_path": "/x"}});
    let item = |name: &str| json!({"type": "function_call", "id": format!("fc_{name}"), "call_id": "c", "name": name, "arguments": "{\"command\":\"ls\",\"file_path\":\"/x\"}", "status": "completed"});
    let call = |name: &str| json!({"id": "c", "function": {"name": name, "arguments": {"command": "ls", "file_path": "/x"}}});
    let answers = [
        (
            Dialect::AnthropicMessages,
            json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [use_of("Read"), use_of("Bash")], "stop_reason": "tool_use"}),
        ),
        (
            Dialect::OpenAiResponses,
            json!({"id": "r", "object": "response", "model": "m", "status": "completed", "output": [item("Read"), item("Bash")]}),
        ),
        (
            Dialect::OllamaChat,
            json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call("Read"), call("Bash")]}, "done": true}),
        ),
    ];
    for (front, answer) in &answers {
        let (out, _) = whole(&prepared(*front, *front, &request(*front, false)), &answer.to_string());
        assert_eq!(ids(*front, &serde_json::from_str(&out).expect("JSON")), ["c", "c_2"], "{out}");
    }

    let front = Dialect::OllamaChat;
    let line = |name: &str, done: bool| {
        json!({"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [call(name)]}, "done": done}).to_string()
    };
    let (out, _) = streamed(
        &prepared(front, front, &request(front, true)),
        &format!("{}\n{}\n", line("Read", false), line("Bash", true)),
        4096,
    );
    assert!(out.contains(r#""id":"c","#) || out.contains(r#""id":"c""#), "{out}");
    assert!(out.contains(r#""id":"c_2""#), "{out}");

    let front = Dialect::AnthropicMessages;
    let block = |index: u64, name: &str| {
        event(
            &json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": "c", "name": name, "input": {}}}),
        ) + &event(&json!({"type": "content_block_stop", "index": index}))
    };
    let (out, _) = streamed(
        &prepared(front, front, &request(front, true)),
        &(block(0, "Read") + &block(1, "Bash") + &event(&json!({"type": "message_stop"}))),
        5,
    );
    let told: Vec<Value> = data(&out)
        .iter()
        .map(|event| event["content_block"]["id"].clone())
        .filter(Value::is_string)
        .collect();
    assert_eq!(told, ["c", "c_2"], "{out}");

    let front = Dialect::OpenAiResponses;
    let (mut sent, names) = (String::new(), ["Read", "Bash"]);
    for (index, name) in names.into_iter().enumerate() {
        sent +=
            &event(&json!({"type": "response.output_item.added", "output_index": index, "item": item(name)}));
        sent +=
            &event(&json!({"type": "response.output_item.done", "output_index": index, "item": item(name)}));
    }
    sent += &event(&json!({"type": "response.completed", "response": answers[1].1}));
    let (out, _) = streamed(&prepared(front, front, &request(front, true)), &sent, 5);
    let told = data(&out);
    let in_items: Vec<&Value> = told[..4].iter().map(|event| &event["item"]["call_id"]).collect();
    assert_eq!(in_items, ["c", "c", "c_2", "c_2"], "{out}");
    assert_eq!(ids(front, &told[4]["response"]), ["c", "c_2"], "{out}");
}

#[test]
fn text_that_can_be_no_call_any_more_leaves_at_once() {
    let texts = [
        r#"{"name":"Read","note":"#,
        r#"{"name":"Read", "x"#,
        r#"{"name":"Reader"#,
        r#"{"name":"Read","arguments":"hello"#,
        r#"{"name":"Read","arguments":[1"#,
        r#"{"name":"Read","type":"thing"#,
        r#"<tool_call>{"name":"Read","arguments":{},"why"#,
    ];
    let may_be = [
        r#"{"name":"Re"#,
        r#"{"name":"Read","arg"#,
        r#"{"name":"Read","arguments": {"a"#,
        r#"{"name":"Read","arguments":"{"#,
    ];
    for (text, is_words) in
        texts.iter().map(|text| (text, true)).chain(may_be.iter().map(|text| (text, false)))
    {
        for front in [Dialect::OpenAiChat, Dialect::AnthropicMessages] {
            let sent = chunk(&json!({"content": text}).to_string());
            let mut target = toolwright_llm::Target::new(Dialect::OpenAiChat, "m");
            target.reads_text_calls = true;
            let prepared = crate::support::prepared_for(front, &target, &request(front, true));
            let mut stream = prepared.stream();
            let mut out = Vec::new();
            stream.push(sent.as_bytes(), &mut out);
            let out = String::from_utf8(out).expect("UTF-8");
            assert_eq!(said(front, &out).contains(text), is_words, "{front:?} {text}: {out}");
        }
    }
}
