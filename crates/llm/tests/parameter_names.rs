//! Founding document 003, "Parameter Normalization" of a proxy: its sections, in both directions, streamed and
//! whole, and the calls that look like them and must not be changed.

use crate::support;

use support::*;
use toolwright_jsonrpc::Json;
use toolwright_llm::calls::{mend_history, mend_response};
use toolwright_llm::form::{Arguments, Block, Call, Message, Request, Response, Role, Stop, Tool};

const ALIASES: [&str; 3] = ["file_path", "filepath", "file"];

/// What each of the tools takes besides `path`, and a call's part for it.
fn further(name: &str) -> (&'static str, &'static str) {
    match name {
        "write_to_file" => (r#","content":{"type":"string"}"#, r#","content":"text""#),
        "apply_diff" => (r#","diff":{"type":"string"}"#, r#","diff":"-a\n+b""#),
        _ => ("", ""),
    }
}

/// The tools of the document; none of them takes anything that it does not say.
fn tools() -> Vec<Tool> {
    let schema = |name: &str| {
        format!(
            r#"{{"type":"object","properties":{{"path":{{"type":"string"}}{}}},"required":["path"],"additionalProperties":false}}"#,
            further(name).0
        )
    };
    ["read_file", "write_to_file", "apply_diff"].map(|name| tool(name, &schema(name))).to_vec()
}

fn a_call(name: &str, arguments: &str) -> Block {
    Block::Call(Call {
        id: Some("toolu_123".into()),
        name: name.into(),
        arguments: Arguments::Object(Json::parse(arguments).expect("JSON")),
        extra: Vec::new(),
    })
}

fn arguments_of(block: &Block) -> String {
    match block {
        Block::Call(Call { arguments: Arguments::Object(json), .. }) => json.as_str().to_owned(),
        other => panic!("no call with an object: {other:?}"),
    }
}

/// What becomes of a call, every way that it can go: it must be the same on all of them.
fn every_way(tools: &[Tool], name: &str, sent: &str) -> String {
    let message = Message { role: Role::Assistant, blocks: vec![a_call(name, sent)], extra: Vec::new() };
    let mut request = Request { messages: vec![message], ..Request::default() };
    mend_history(&mender(tools, true), &mut request);
    let in_request = arguments_of(&request.messages[0].blocks[0]);

    let mut response =
        Response { blocks: vec![a_call(name, sent)], stop: Some(Stop::ToolUse), ..Response::default() };
    mend_response(&mender(tools, true), &mut response);
    assert_eq!(arguments_of(&response.blocks[0]), in_request, "answer and history of {sent}");

    for size in [1, 7, sent.len()] {
        let chars: Vec<char> = sent.chars().collect();
        let pieces: Vec<String> = chars.chunks(size).map(String::from_iter).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let out =
            all_staged(mender(tools, true), [call(0, name, &pieces), vec![finish(Stop::EndTurn)]].concat());
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(value(&calls_of(&out)[0].1), value(&in_request), "{sent} in pieces of {size}");
        assert_eq!(stop_of(&out), Some(Stop::ToolUse));
    }
    in_request
}

fn assert_aliases_become_path(name: &str) {
    for alias in ALIASES {
        let rest = further(name).1;
        let sent = format!(r#"{{"{alias}":"/test/file.txt"{rest}}}"#);
        assert_eq!(every_way(&tools(), name, &sent), format!(r#"{{"path":"/test/file.txt"{rest}}}"#));
    }
}

// === Supported Tools ===

#[test]
fn read_file_takes_the_aliases_of_path() {
    assert_aliases_become_path("read_file");
}

#[test]
fn read_file_loses_offset_and_limit() {
    let sent = r#"{"path":"a","offset":100,"limit":50}"#;
    assert_eq!(every_way(&tools(), "read_file", sent), r#"{"path":"a"}"#);
}

#[test]
fn write_to_file_takes_the_aliases_of_path() {
    assert_aliases_become_path("write_to_file");
}

#[test]
fn apply_diff_takes_the_aliases_of_path() {
    assert_aliases_become_path("apply_diff");
}

// === Example ===

#[test]
fn the_example_of_the_document() {
    let sent = r#"{"file_path": "/test/file.txt", "offset": 100, "limit": 50}"#;
    assert_eq!(every_way(&tools(), "read_file", sent), r#"{"path":"/test/file.txt"}"#);
}

#[test]
fn every_change_of_the_example_is_reported_with_its_rule() {
    let mender = mender(&tools(), true);
    let sent = r#"{"file_path": "/test/file.txt", "offset": 100, "limit": 50}"#;
    let report = mender.arguments(&mender.name("read_file"), sent, toolwright_model::Finish::Stop).report;
    let toolwright_model::Outcome::Repaired { changes, .. } = report.outcome else { panic!("mended") };
    let mut rules: Vec<&str> = changes.iter().filter_map(|change| change.rule.as_deref()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["read_file-file_path", "read_file-limit-drop", "read_file-offset-drop"]);
}

// === What the schema of the tool says comes first ===

#[test]
fn a_tool_that_calls_it_file_path_keeps_file_path() {
    let schema = r#"{"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"integer"},
        "limit":{"type":"integer"}},"required":["file_path"],"additionalProperties":false}"#;
    let tools = [tool("read_file", schema)];
    let sent = r#"{"file_path": "a", "offset": 100, "limit": 50}"#;
    assert_eq!(every_way(&tools, "read_file", sent), sent);
    assert_eq!(every_way(&tools, "read_file", r#"{"path":"a"}"#), r#"{"file_path":"a"}"#);
}

#[test]
fn a_valid_call_keeps_its_bytes() {
    let sent = r#"{ "path" : "a\u002fb" }"#;
    assert_eq!(every_way(&tools(), "read_file", sent), sent);
}

// === Traps ===

#[test]
fn two_paths_are_not_silently_one() {
    for name in ["read_file", "write_to_file", "apply_diff"] {
        for alias in ALIASES {
            let rest = further(name).1;
            let both = format!(r#"{{"path":"A","{alias}":"B"{rest}}}"#);
            assert_eq!(every_way(&tools(), name, &both), both, "nothing of it is lost");
            let turned = format!(r#"{{"{alias}":"B","path":"A"{rest}}}"#);
            assert_eq!(every_way(&tools(), name, &turned), turned, "nothing of it is lost");
            let same = format!(r#"{{"path":"A","{alias}":"A"{rest}}}"#);
            assert_eq!(every_way(&tools(), name, &same), format!(r#"{{"path":"A"{rest}}}"#));
        }
    }
    let aliases = r#"{"file":"A","file_path":"B"}"#;
    assert_eq!(every_way(&tools(), "read_file", aliases), aliases);
}

#[test]
fn write_to_file_and_apply_diff_keep_offset_and_limit() {
    for name in ["write_to_file", "apply_diff"] {
        let sent = format!(r#"{{"path":"a"{},"offset":100,"limit":50}}"#, further(name).1);
        assert_eq!(every_way(&tools(), name, &sent), sent, "the client says that there is no such parameter");
    }
}

#[test]
fn another_tool_has_no_such_rules() {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;
    let sent = r#"{"path":"a","offset":100}"#;
    assert_eq!(every_way(&[tool("read_page", schema)], "read_page", sent), sent);
}

// === History without the tool ===

/// What becomes of a call in the history of a request that brings other tools.
fn remembered(tools: &[Tool], name: &str, sent: &str) -> String {
    let message = Message { role: Role::Assistant, blocks: vec![a_call(name, sent)], extra: Vec::new() };
    let mut request = Request { messages: vec![message], ..Request::default() };
    mend_history(&mender(tools, true), &mut request);
    arguments_of(&request.messages[0].blocks[0])
}

#[test]
fn the_example_is_repaired_in_a_history_whose_tool_is_not_listed() {
    let sent = r#"{"file_path": "/test/file.txt", "offset": 100, "limit": 50}"#;
    let others = [tool("cat", r#"{"type":"object"}"#)];
    for tools in [&[][..], &others] {
        assert_eq!(remembered(tools, "read_file", sent), r#"{"path":"/test/file.txt"}"#);
        for name in ["write_to_file", "apply_diff"] {
            assert_eq!(remembered(tools, name, r#"{"file":"a","x":1}"#), r#"{"path":"a","x":1}"#);
        }
    }
}

#[test]
fn other_tools_of_a_history_keep_their_arguments() {
    let sent = r#"{"file_path": "a", "old_string": "x", "force": "true", "offset": 1}"#;
    for name in ["Edit", "cat", "read_lines"] {
        assert_eq!(remembered(&[], name, sent), sent, "{name}");
    }
    let two = r#"{"file_path": "a", "path": "b"}"#;
    assert_eq!(remembered(&[], "read_file", two), two);
    let right = r#"{ "path" : "a" }"#;
    assert_eq!(remembered(&[], "read_file", right), right);
}

#[test]
fn offset_and_limit_are_dropped_from_an_open_read_file_whatever_else_the_call_needs() {
    let open =
        tool("read_file", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
    let tools = [open];
    assert_eq!(every_way(&tools, "read_file", r#"{"path":"/x","offset":5,"limit":2}"#), r#"{"path":"/x"}"#);
    let window = tool(
        "read_file",
        r#"{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"}}}"#,
    );
    let sent = r#"{"path":"/x","offset":5}"#;
    assert_eq!(every_way(&[window], "read_file", sent), sent);
}

#[test]
fn a_history_that_passes_in_its_own_dialect_is_repaired_without_its_tool() {
    use toolwright_llm::Dialect;
    let arguments = r#"{"file_path":"a","offset":1}"#;
    let text = serde_json::Value::from(arguments).to_string();
    let chat = format!(
        r#"{{"model":"m","messages":[{{"role":"assistant","tool_calls":[{{"id":"c","type":"function","function":{{"name":"read_file","arguments":{text}}}}}]}}]}}"#
    );
    let messages = format!(
        r#"{{"model":"m","messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"read_file","input":{arguments}}}]}}]}}"#
    );
    let responses = format!(
        r#"{{"model":"m","input":[{{"type":"function_call","call_id":"c","name":"read_file","arguments":{text}}}]}}"#
    );
    let ollama = format!(
        r#"{{"model":"m","messages":[{{"role":"assistant","tool_calls":[{{"function":{{"name":"read_file","arguments":{arguments}}}}}]}}]}}"#
    );
    for (dialect, body) in [
        (Dialect::OpenAiChat, chat),
        (Dialect::AnthropicMessages, messages),
        (Dialect::OpenAiResponses, responses),
        (Dialect::OllamaChat, ollama),
    ] {
        let passed = toolwright_llm::pass::request(dialect, &body, None, &mender(&[], true));
        assert!(!passed.body.contains("file_path"), "{}", passed.body);
        assert_eq!(passed.reports.len(), 1, "{}", passed.body);
        let other = body.replace("read_file", "cat");
        assert_eq!(toolwright_llm::pass::request(dialect, &other, None, &mender(&[], true)).body, other);
    }
}
