//! What upstreams do, and what their clients see of it where both speak the same dialect.

use crate::pass_support as support;

use proptest::prelude::*;
use support::mender;
use toolwright_llm::Dialect::{self, AnthropicMessages, OllamaChat, OpenAiChat, OpenAiResponses};
use toolwright_llm::calls::Delivery;
use toolwright_llm::form::Stop;
use toolwright_llm::pass::{PassOptions, PassReport, PassStream};
use toolwright_model::{Finish, Outcome};

fn stream(dialect: Dialect) -> PassStream {
    PassStream::new(dialect, mender(), &PassOptions::default())
}

fn passed(mut stream: PassStream, text: &str) -> (String, PassReport) {
    let mut out = Vec::new();
    stream.push(text.as_bytes(), &mut out);
    stream.end(&mut out);
    (String::from_utf8(out).expect("UTF-8"), stream.report().clone())
}

/// A chunk of Chat with this delta.
fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c1\",\"created\":7,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

/// Chunks with these calls, one each, and the end.
fn chat(calls: &[&str], finish: &str) -> String {
    let chunks = calls.iter().map(|call| chunk(&format!("{{\"tool_calls\":[{call}]}}"), "null"));
    chunks.collect::<String>() + &chunk("{}", &format!("\"{finish}\"")) + "data: [DONE]\n\n"
}

fn event(kind: &str, rest: &str) -> String {
    format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{rest}}}\n\n")
}

/// An Anthropic stream of one block.
fn anthropic(block: &str, deltas: &[&str], stop: &str) -> String {
    let mut out = event("message_start", r#","message":{"id":"m1","model":"m","content":[],"usage":{}}"#);
    out += &event("content_block_start", &format!(",\"index\":0,\"content_block\":{block}"));
    for delta in deltas {
        out += &event("content_block_delta", &format!(",\"index\":0,\"delta\":{delta}"));
    }
    out += &event("content_block_stop", ",\"index\":0");
    out += &event("message_delta", &format!(",\"delta\":{{\"stop_reason\":\"{stop}\"}},\"usage\":{{}}"));
    out + &event("message_stop", "")
}

#[test]
fn a_name_and_id_in_every_delta_are_one_call() {
    let text = chat(
        &[
            r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":""}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"\"x\"}"}}"#,
            r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":""}}"#,
        ],
        "tool_calls",
    );
    let (out, report) = passed(stream(OpenAiChat), &text);
    // Clients add pieces of strings to each other: what is told again is told as nothing.
    let (first, rest) = text.split_at(text.find("\n\n").unwrap());
    let rest = rest.replace(r#""id":"a""#, r#""id":null"#).replace(r#""name":"read_file""#, r#""name":null"#);
    assert_eq!(out, format!("{first}{rest}"));
    assert_eq!(report.reports.len(), 1);
}

#[test]
fn a_name_in_pieces_and_calls_that_can_be_told_apart_stay_as_they_are() {
    for calls in [
        [
            r#"{"index":0,"id":"a","function":{"name":"read_","arguments":""}}"#,
            r#"{"index":0,"function":{"name":"file","arguments":"{\"path\":\"x\"}"}}"#,
            r#"{"index":1,"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#,
        ],
        [
            r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
            r#"{"index":1,"id":"b","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#,
            r#"{"index":0,"id":"","function":{"name":"","arguments":"\"y\"}"}}"#,
        ],
    ] {
        let text = chat(&calls, "tool_calls");
        assert_eq!(passed(stream(OpenAiChat), &text).0, text);
    }
}

#[test]
fn numbers_with_gaps_are_told_without_them() {
    let calls = [
        r#"{"index":1,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#,
        r#"{"index":2,"id":"b","function":{"name":"read_file","arguments":"{\"path\":"}}"#,
        r#"{"index":2,"function":{"arguments":"\"y\"}"}}"#,
    ];
    let text = chat(&calls, "tool_calls");
    let wanted = text.replace(r#"[{"index":1"#, r#"[{"index":0"#).replace(r#"[{"index":2"#, r#"[{"index":1"#);
    assert_eq!(passed(stream(OpenAiChat), &text).0, wanted);
}

#[test]
fn calls_that_share_an_index_are_told_apart() {
    let first = r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#;
    let second =
        r#"{"index":0,"id":"b","function":{"name":"read_file","arguments":"{\"file_path\":\"y\"}"}}"#;
    let nameless = |call: &str| call.replace(r#""id":"a","#, "").replace(r#""id":"b","#, "");
    let bare = |call: &str| nameless(call).replace(r#""index":0,"#, "");
    for [first, second] in [
        [first.to_owned(), second.to_owned()],
        [nameless(first), nameless(second)],
        [bare(first), bare(second)],
    ] {
        let text = chat(&[&first, &second], "tool_calls");
        let (out, report) = passed(stream(OpenAiChat), &text);
        assert_eq!(report.reports.len(), 2);
        let told: Vec<serde_json::Value> = out
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .filter_map(|chunk: serde_json::Value| chunk.pointer("/choices/0/delta/tool_calls/0").cloned())
            .collect();
        assert_eq!(told.len(), 2, "{out}");
        assert_eq!((&told[0]["index"], &told[1]["index"]), (&0.into(), &1.into()), "{out}");
        let ids: Vec<&str> = told.iter().filter_map(|call| call["id"].as_str()).collect();
        assert!(ids.len() == 2 && ids[0] != ids[1] && !ids.contains(&""), "{out}");
        assert_eq!(told[1]["function"]["arguments"], r#"{"path":"y"}"#);
    }
}

#[test]
fn what_is_in_no_doubt_leaves_at_once() {
    let mut stream = stream(OpenAiChat);
    let mut out = Vec::new();
    let first = chunk(
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\": \"/a/b"}}]}"#,
        "null",
    );
    stream.push(first.as_bytes(), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), first);
    assert!(!stream.is_holding());
    let doubt = chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"c\", \"extra"}}]}"#, "null");
    stream.push(doubt.as_bytes(), &mut out);
    assert!(stream.is_holding() && out.len() == first.len());
    stream.ping(&mut out);
    assert!(out.ends_with(b": ping\n\n"));
}

#[test]
fn whole_calls_do_not_wait_for_the_end_of_the_answer() {
    let mut stream = stream(OpenAiChat);
    let mut out = Vec::new();
    let first = chunk(
        r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]}"#,
        "null",
    );
    let second = chunk(
        r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"read_file","arguments":""}}]}"#,
        "null",
    );
    stream.push((first.clone() + &second).as_bytes(), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), first + &second);
}

#[test]
fn a_missing_brace_gets_a_piece_of_its_own() {
    let text = chat(
        &[r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"path\":\"x\""}}"#],
        "tool_calls",
    );
    let (out, _) = passed(stream(OpenAiChat), &text);
    let arguments = chat_arguments(&out);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&arguments).expect("JSON")["path"], "x", "{out}");
}

fn chat_arguments(out: &str) -> String {
    let data = out.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    let chunks = data.map(|data| serde_json::from_str::<serde_json::Value>(data).expect("JSON"));
    chunks
        .filter_map(|chunk| {
            let arguments = &chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"];
            arguments.as_str().map(str::to_owned)
        })
        .collect()
}

#[test]
fn a_call_that_was_cut_off_stays_as_it_was_sent() {
    let call = r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":"{\"file_path\":\"/a/b"}}"#;
    let text = chat(&[call], "length");
    let (out, report) = passed(stream(OpenAiChat), &text);
    assert_eq!((out, report.stop), (text, Some(Stop::MaxTokens)));
    let block = r#"{"type":"tool_use","id":"t","name":"read_file","input":{}}"#;
    let delta = r#"{"type":"input_json_delta","partial_json":"{\"file_path\":\"/a/b"}"#;
    let text = anthropic(block, &[delta], "max_tokens");
    let (out, report) = passed(stream(AnthropicMessages), &text);
    assert_eq!((out, report.stop), (text, Some(Stop::MaxTokens)));
}

#[test]
fn a_call_of_responses_that_was_cut_off_stays_as_it_was_sent() {
    let item = r#"{"type":"function_call","id":"fc","call_id":"c","name":"read_file","arguments":"{\"file_path\":\"/a"}"#;
    let begun = item.replace(r#"{\"file_path\":\"/a"#, "");
    let text = event("response.output_item.added", &format!(",\"output_index\":0,\"item\":{begun}"))
        + &event(
            "response.function_call_arguments.delta",
            r#","output_index":0,"delta":"{\"file_path\":\"/a""#,
        )
        + &event(
            "response.function_call_arguments.done",
            r#","output_index":0,"arguments":"{\"file_path\":\"/a""#,
        )
        + &event("response.output_item.done", &format!(",\"output_index\":0,\"item\":{item}"))
        + &event(
            "response.incomplete",
            &format!(
                ",\"response\":{{\"status\":\"incomplete\",\"incomplete_details\":{{\"reason\":\"max_output_tokens\"}},\"output\":[{item}]}}"
            ),
        );
    let (out, report) = passed(stream(OpenAiResponses), &text);
    assert_eq!((out, report.stop), (text, Some(Stop::MaxTokens)));
}

#[test]
fn an_error_of_the_upstream_passes_and_nothing_of_a_doubtful_call() {
    let block = r#"{"type":"tool_use","id":"t","name":"read_file","input":{}}"#;
    let delta = r#"{"type":"input_json_delta","partial_json":"{'path"}"#;
    let text = anthropic(block, &[delta], "tool_use");
    let before = text.find("event: content_block_stop").expect("it is there");
    let error = event("error", r#","error":{"type":"overloaded_error","message":"Overloaded"}"#);
    let (out, report) = passed(stream(AnthropicMessages), &(text[..before].to_owned() + &error));
    let kept = text.find("event: content_block_delta").expect("it is there");
    assert_eq!(out, text[..kept].to_owned() + &error);
    assert!(report.upstream_error.is_some() && report.failure.is_none());

    for error in
        ["data: {\"error\":{\"message\":\"no\"}}\n\n", "data: {\"object\":\"error\",\"message\":\"no\"}\n\n"]
    {
        let (out, report) = passed(stream(OpenAiChat), error);
        assert!(out == error && report.upstream_error.is_some());
    }
    let (out, _) = passed(stream(OllamaChat), "{\"error\":\"no\"}\n");
    assert_eq!(out, "{\"error\":\"no\"}\n");
}

#[test]
fn bytes_that_are_no_text_end_in_an_error() {
    let mut stream = stream(OpenAiResponses);
    let mut out = Vec::new();
    stream.push(b"data: \xff\n\n", &mut out);
    stream.push(b"data: {}\n\n", &mut out);
    stream.end(&mut out);
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(
        out.starts_with("event: error\ndata: {\"type\":\"error\"") && out.matches("event: ").count() == 1,
        "{out}"
    );
}

#[test]
fn a_broken_stream_of_responses_ends_with_the_answer_that_failed() {
    let mut stream = stream(OpenAiResponses);
    let created = "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":7,\"status\":\"in_progress\",\"error\":null,\"model\":\"up\",\"output\":[]}}\n\n";
    let mut out = Vec::new();
    stream.push(created.as_bytes(), &mut out);
    stream.end(&mut out);
    let out = String::from_utf8(out).expect("UTF-8");
    let rest = out.strip_prefix(created).expect("what came first");
    let events: Vec<serde_json::Value> = rest
        .split("\n\n")
        .filter_map(|event| event.split_once("data: "))
        .map(|(_, data)| serde_json::from_str(data).expect("JSON"))
        .collect();
    let [error, failed] = events.as_slice() else { panic!("{rest}") };
    assert_eq!((&error["type"], &failed["type"]), (&"error".into(), &"response.failed".into()));
    assert!(error["sequence_number"].as_u64() < failed["sequence_number"].as_u64(), "{rest}");
    let response = &failed["response"];
    assert_eq!((&response["id"], &response["created_at"]), (&"resp_1".into(), &7.into()));
    assert_eq!((&response["status"], &response["model"]), (&"failed".into(), &"up".into()));
    assert_eq!(response["error"]["message"], error["message"]);
}

#[test]
fn arguments_in_the_wrong_shape_get_the_right_one() {
    let text = chat(
        &[r#"{"index":0,"id":"a","function":{"name":"read_file","arguments":{"path":"x"}}}"#],
        "tool_calls",
    );
    let (out, _) = passed(stream(OpenAiChat), &text);
    assert_eq!(out, text.replace(r#"{"path":"x"}"#, r#""{\"path\":\"x\"}""#));
    let block = r#"{"type":"tool_use","id":"t","name":"read_file","input":{"file_path": "x"}}"#;
    let (out, _) = passed(stream(AnthropicMessages), &anthropic(block, &[], "tool_use"));
    let expected = anthropic(&block.replace("file_path", "path"), &[], "tool_use");
    assert_eq!(without_space(&out), without_space(&expected));
}

fn without_space(text: &str) -> String {
    text.replace(": ", ":")
}

#[test]
fn an_old_function_call_is_mended_too() {
    let text = chunk(r#"{"function_call":{"name":"Read_File","arguments":""}}"#, "null")
        + &chunk(r#"{"function_call":{"arguments":"{\"file_path\":\"x\"}"}}"#, "null")
        + &chunk("{}", "\"stop\"")
        + "data: [DONE]\n\n";
    let (out, _) = passed(stream(OpenAiChat), &text);
    let expected = text
        .replace("Read_File", "read_file")
        .replace("file_path", "path")
        .replace("\"stop\"", "\"function_call\"");
    assert_eq!(out, expected);
}

#[test]
fn an_end_for_the_sake_of_tools_without_a_call_is_an_ordinary_end() {
    let text = chunk(r#"{"content":"Hi"}"#, "null") + &chat(&[], "tool_calls");
    let (out, report) = passed(stream(OpenAiChat), &text);
    assert_eq!(out, text.replace("\"tool_calls\"", "\"stop\""));
    assert_eq!(report.stop, Some(Stop::EndTurn));
    assert_eq!(report.notes.as_slice()[0].code, "stop_reason_corrected");
}

#[test]
fn data_of_several_lines_keep_their_other_lines() {
    let text = "id: 7\r\ndata: {\"choices\":[{\"index\":0,\"delta\":\r\ndata: {\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"Read_File\"}}]}}]}\r\nretry: 5\r\n\r\n";
    let mut stream = stream(OpenAiChat);
    let mut out = Vec::new();
    stream.push(text.as_bytes(), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), text.replace("Read_File", "read_file"));
}

fn with_text_calls(dialect: Dialect) -> PassStream {
    let options = PassOptions {
        text_tools: vec!["read_file".to_owned(), "list_all".to_owned()],
        id_seed: "seed".to_owned(),
        ..PassOptions::default()
    };
    PassStream::new(dialect, mender(), &options)
}

const CALL: &str =
    r#"<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"x\"}}\n</tool_call>"#;

/// A stream of each dialect that says this, in three pieces.
fn said(dialect: Dialect, text: &str) -> String {
    let third = text.char_indices().map(|(at, _)| at).filter(|at| !text[..*at].ends_with('\\'));
    let cuts: Vec<usize> = third.collect();
    let (one, two) = (cuts[cuts.len() / 3], cuts[cuts.len() * 2 / 3]);
    let pieces = [&text[..one], &text[one..two], &text[two..]];
    match dialect {
        OpenAiChat => {
            chunk(r#"{"role":"assistant","content":""}"#, "null")
                + &pieces.map(|piece| chunk(&format!("{{\"content\":\"{piece}\"}}"), "null")).concat()
                + &chat(&[], "stop")
        }
        AnthropicMessages => {
            let deltas = pieces.map(|piece| format!("{{\"type\":\"text_delta\",\"text\":\"{piece}\"}}"));
            let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
            anthropic(r#"{"type":"text","text":""}"#, &deltas, "end_turn")
        }
        OllamaChat => {
            let line = |content: &str, rest: &str| {
                format!(
                    "{{\"model\":\"m\",\"created_at\":\"t\",\"message\":{{\"role\":\"assistant\",\"content\":\"{content}\"}},{rest}}}\n"
                )
            };
            pieces.map(|piece| line(piece, "\"done\":false")).concat()
                + &line("", "\"done_reason\":\"stop\",\"done\":true")
        }
        OpenAiResponses => {
            let at = ",\"output_index\":0";
            let item = format!(
                "{{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\"text\":\"{text}\"}}]}}"
            );
            event(
                "response.output_item.added",
                &format!(
                    "{at},\"sequence_number\":3,\"item\":{{\"type\":\"message\",\"id\":\"m\",\"content\":[]}}"
                ),
            ) + &event("response.content_part.added", at)
                + &pieces
                    .map(|piece| event("response.output_text.delta", &format!("{at},\"delta\":\"{piece}\"")))
                    .concat()
                + &event("response.output_text.done", &format!("{at},\"text\":\"{text}\""))
                + &event("response.content_part.done", at)
                + &event("response.output_item.done", &format!("{at},\"item\":{item}"))
                + &event(
                    "response.completed",
                    &format!(",\"response\":{{\"status\":\"completed\",\"output\":[{item}]}}"),
                )
        }
    }
}

#[test]
fn a_text_that_is_a_call_is_told_as_a_call() {
    for dialect in Dialect::ALL {
        let (out, report) = passed(with_text_calls(dialect), &said(dialect, CALL));
        assert_eq!(report.stop, Some(Stop::ToolUse), "{out}");
        insta::assert_snapshot!(format!("text_call_{}", dialect.name()), out);
    }
}

#[test]
fn a_text_that_is_more_than_a_call_keeps_its_bytes() {
    for dialect in Dialect::ALL {
        for text in ["Hello <tool_call>", "<tool_call>{\\\"name\\\": ", &format!("{CALL} and more")] {
            let text = said(dialect, text);
            assert_eq!(passed(with_text_calls(dialect), &text).0, text);
        }
        let text = said(dialect, CALL);
        assert_eq!(passed(stream(dialect), &text).0, text, "nobody asked for it");
    }
}

#[test]
fn an_error_event_is_one_whatever_its_data_are() {
    let text = "event: error\ndata: Bad Gateway\n\n";
    let (out, report) = passed(stream(AnthropicMessages), text);
    assert!(out == text && report.upstream_error.is_some());
}

/// Arguments as a model may write them, cut into pieces.
fn arguments() -> impl Strategy<Value = Vec<String>> {
    let path = r#"[a-zA-Z0-9/ ._\\"'{}\[\]:,äß€😀\n-]{0,24}"#;
    let key = prop::sample::select(vec!["path", "file_path", "Path", "lines", "pa th"]);
    let lines = prop::sample::select(vec![
        "",
        ",\"lines\":3",
        ", \"lines\": \"3\"",
        ",\"lines\":null",
        ",",
        " }",
        "]",
    ]);
    let end = prop::sample::select(vec!["}", " }\n", "", "}}", "} done"]);
    let cuts = prop::collection::vec(0usize..60, 0..6);
    (path, key, lines, end, cuts).prop_map(|(path, key, lines, end, mut cuts)| {
        let path = serde_json::to_string(&path).expect("JSON");
        let text = format!("{{\"{key}\": {path}{lines}{end}");
        cuts.retain(|cut| text.is_char_boundary(*cut));
        cuts.sort_unstable();
        cuts.push(text.len());
        let mut start = 0;
        let pieces = cuts.into_iter().map(|cut| {
            let piece = text[start..cut].to_owned();
            start = cut;
            piece
        });
        pieces.collect()
    })
}

/// The arguments that a client puts together, by the number of the call.
fn put_together(dialect: Dialect, out: &str) -> [String; 2] {
    let mut arguments = [String::new(), String::new()];
    for data in out.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]") {
        let data: serde_json::Value = serde_json::from_str(data).expect("JSON");
        let (call, piece) = if dialect == OpenAiChat {
            let call = &data["choices"][0]["delta"]["tool_calls"][0];
            (&call["index"], &call["function"]["arguments"])
        } else {
            (&data["index"], &data["delta"]["partial_json"])
        };
        if let (Some(call), Some(piece)) = (call.as_u64(), piece.as_str()) {
            arguments[usize::try_from(call).expect("small")].push_str(piece);
        }
    }
    arguments
}

/// What whole arguments become.
fn expected(sent: &str) -> String {
    let mender = mender();
    match mender.arguments(&mender.name("read_file"), sent, Finish::Stop).delivery {
        Delivery::Instead(text) => text,
        Delivery::AsSent | Delivery::CutOff => sent.to_owned(),
    }
}

fn value(json: &str) -> Result<serde_json::Value, String> {
    serde_json::from_str(json).map_err(|_| json.to_owned())
}

/// What the pieces of a call become is what the whole would. What can only be refused may have left in part: then the
/// rest marks it as unreadable.
fn is_as_expected(told: &str, sent: &str, report: &PassReport) -> Result<(), TestCaseError> {
    let of_call = report.reports.iter().find(|report| report.sent == sent).expect("every call is reported");
    if of_call.is_too_late {
        prop_assert!(matches!(of_call.outcome, Outcome::Refused { .. }), "{:?}", of_call);
        prop_assert!(crate::support::is_marked(told, sent), "{}", told);
    } else {
        prop_assert_eq!(value(told), value(&expected(sent)), "{}", sent);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn pieces_become_what_the_whole_would(first in arguments(), second in arguments()) {
        let piece = |index: usize, piece: &str| {
            let piece = serde_json::to_string(piece).expect("JSON");
            format!("{{\"index\":{index},\"function\":{{\"arguments\":{piece}}}}}")
        };
        let start = |index| format!("{{\"index\":{index},\"id\":\"c{index}\",\"function\":{{\"name\":\"read_file\"}}}}");
        // Both begin, then their pieces take turns.
        let mut calls = vec![start(0), start(1)];
        for at in 0..first.len().max(second.len()) {
            calls.extend(first.get(at).map(|text| piece(0, text)));
            calls.extend(second.get(at).map(|text| piece(1, text)));
        }
        let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
        let text = chat(&calls, "tool_calls");
        let (out, report) = passed(stream(OpenAiChat), &text);
        let told = put_together(OpenAiChat, &out);
        prop_assert_eq!(report.reports.len(), 2);
        for (told, sent) in told.iter().zip([first.concat(), second.concat()]) {
            is_as_expected(told, &sent, &report)?;
        }
        if !report.reports.iter().any(|report| report.is_changed() || report.is_too_late) {
            prop_assert_eq!(out, text);
        }
    }

    #[test]
    fn pieces_of_a_block_become_what_the_whole_would(pieces in arguments()) {
        let deltas: Vec<String> = pieces
            .iter()
            .map(|piece| serde_json::json!({"type": "input_json_delta", "partial_json": piece}).to_string())
            .collect();
        let deltas: Vec<&str> = deltas.iter().map(String::as_str).collect();
        let block = r#"{"type":"tool_use","id":"t","name":"read_file","input":{}}"#;
        let (out, report) = passed(stream(AnthropicMessages), &anthropic(block, &deltas, "tool_use"));
        is_as_expected(&put_together(AnthropicMessages, &out)[0], &pieces.concat(), &report)?;
    }
}
