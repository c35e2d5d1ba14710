//! `toolwright normalize` as a user runs it.

use crate::program;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use program::{command, run, scratch};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"raw":{"type":"boolean"}},"required":["path"],"additionalProperties":false}"#;

fn line(id: u32, arguments: &str) -> String {
    format!(r#"{{"id":{id},"tool":{{"name":"read_note","inputSchema":{SCHEMA}}},"arguments":{arguments}}}"#)
}

fn answers(input: &str) -> Vec<Value> {
    let done = run(&["normalize"], input);
    done.stdout.lines().map(|line| serde_json::from_str(line).expect("every answer is a JSON line")).collect()
}

#[test]
fn an_answer_has_exactly_the_shape_of_the_contract() {
    let done = run(&["normalize"], &line(1, r#"{"file_path": "a.md", "raw": "true"}"#));
    assert_eq!(done.code, 0);
    insta::assert_snapshot!(done.stdout, @r#"{"id":1,"name":"read_note","outcome":"repaired","arguments":{"path":"a.md","raw":true},"changes":[{"code":"N4","path":"/file_path","from":"file_path","to":"path"},{"code":"T1","path":"/raw","from":"true","to":true}],"problems":[]}"#);
}

#[test]
fn a_refusal_says_what_where_and_why() {
    let done = run(&["normalize"], &line(2, r#"{"raw": "maybe"}"#));
    insta::assert_snapshot!(done.stdout, @r#"{"id":2,"name":"read_note","outcome":"refused","arguments":null,"changes":[],"problems":[{"code":"R8","path":"/raw","message":"\"maybe\" is a string, but a boolean is expected"},{"code":"R1","path":"/path","message":"required parameter \"path\" is missing; send a string"}]}"#);
}

#[test]
fn a_valid_call_keeps_its_bytes_and_stays_on_one_line() {
    let sent = r#""{\n  \"path\": \"\\u0061.md\",\n  \"raw\": true }""#;
    let done = run(&["normalize"], &line(3, sent));
    let arguments = r#"{   "path": "\u0061.md",   "raw": true }"#;
    assert!(
        done.stdout.contains(&format!("\"outcome\":\"unchanged\",\"arguments\":{arguments}")),
        "{}",
        done.stdout
    );
    assert_eq!(done.stdout.lines().count(), 1);
}

#[test]
fn the_order_is_kept_over_all_threads() {
    let input: Vec<String> = (0..5000).map(|id| line(id, &format!(r#"{{"PATH": "f{id}"}}"#))).collect();
    let answers = answers(&input.join("\n"));
    assert_eq!(answers.len(), 5000);
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], id);
        assert_eq!(answer["arguments"], json!({"path": format!("f{id}")}));
    }
}

#[test]
fn wrong_lines_are_answered_with_their_number_and_do_not_stop_the_rest() {
    let input = format!(
        "{}\nnot json\n[]\n\n{{\"id\":\"x\",\"arguments\":{{}}}}\n{}\n",
        line(1, "{\"path\":\"a\"}"),
        line(9, "{\"path\":\"b\"}")
    );
    let done = run(&["normalize"], &input);
    assert_eq!(done.code, 1);
    insta::assert_snapshot!(done.stdout, @r#"
    {"id":1,"name":"read_note","outcome":"unchanged","arguments":{"path":"a"},"changes":[],"problems":[]}
    {"id":null,"line":2,"error":"the line is not JSON: unexpected character at byte 0"}
    {"id":null,"line":3,"error":"the line is an array, but an object with \"tool\" and \"arguments\" is expected"}
    {"id":"x","line":5,"error":"\"tool\" is missing; give {\"name\", \"inputSchema\"}, or \"name\" and \"tools\""}
    {"id":9,"name":"read_note","outcome":"unchanged","arguments":{"path":"b"},"changes":[],"problems":[]}
    "#);
}

#[test]
fn text_that_is_not_utf_8_and_a_bad_schema_are_wrong_lines() {
    let bad_schema = r#"{"tool":{"name":"x","inputSchema":[]},"arguments":{}}"#;
    let mut child =
        command(&["normalize"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("stdin");
    stdin.write_all(b"\xff\xfe\n").and_then(|()| stdin.write_all(bad_schema.as_bytes())).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("the line is not UTF-8") && text.contains("must be an object, but it is an array"),
        "{text}"
    );
}

#[test]
fn a_line_is_answered_before_the_next_is_sent() {
    let mut child =
        command(&["normalize"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout"));
    for id in 0..3 {
        writeln!(stdin, "{}", line(id, "{\"path\":\"a\"}")).expect("written");
        stdin.flush().expect("flushed");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("an answer");
        assert!(answer.starts_with(&format!("{{\"id\":{id},")), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("ends").success());
}

#[test]
fn a_tool_is_found_in_a_list_by_the_form_of_its_name() {
    let tools = format!(
        r#"[{{"name":"read_note","inputSchema":{SCHEMA}}},{{"name":"delete_note","inputSchema":{SCHEMA}}}]"#
    );
    let input = format!(
        "{{\"id\":1,\"name\":\"mcp__toolwright__ReadNote\",\"tools\":{tools},\"arguments\":{{\"path\":\"a\"}}}}\n{{\"id\":2,\"name\":\"delete_notes\",\"tools\":{tools},\"arguments\":{{\"path\":\"a\"}}}}"
    );
    let answers = answers(&input);
    assert_eq!((&answers[0]["name"], &answers[0]["outcome"]), (&json!("read_note"), &json!("repaired")));
    assert_eq!(answers[0]["changes"][0]["code"], "F2");
    assert_eq!(
        (&answers[1]["outcome"], &answers[1]["problems"][0]["code"]),
        (&json!("refused"), &json!("R10"))
    );
}

#[test]
fn rules_sets_summary_and_explain_work_together() {
    let folder = scratch("rules-and-summary");
    let rules = folder.join("rules.json");
    std::fs::write(
        &rules,
        r#"[{"id":"note-alias","tools":["read_*"],"type":"param_alias","from":"where","to":"path"}]"#,
    )
    .expect("written");
    let rules = rules.display().to_string();
    let done = run(&["normalize", "--rules", &rules, "--explain", "--summary"], &line(1, r#"{"where":"a"}"#));
    let answer: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(answer["changes"][0]["rule"], "note-alias");
    assert!(answer["explain"].as_array().is_some_and(|steps| !steps.is_empty()));
    assert!(done.stderr.contains("1 repaired") && done.stderr.contains("N3"), "{}", done.stderr);
}

#[test]
fn a_missing_file_and_an_unknown_set_are_errors_with_a_fix() {
    let done = run(&["normalize", "--rules", "nowhere.json"], "");
    assert_eq!(done.code, 3);
    assert!(
        done.stderr.contains("cannot read nowhere.json") && done.stderr.contains("fix: check the path"),
        "{}",
        done.stderr
    );
    let done = run(&["normalize", "--disable", "zwaev"], "");
    assert_eq!(done.code, 2);
    assert!(
        done.stderr.contains("no built-in set is called \"zwaev\"") && done.stderr.contains("zwave"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command(&["normalize"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin");
    for id in 0..20_000 {
        if writeln!(stdin, "{}", line(id, "{\"path\":\"a\"}")).is_err() {
            break;
        }
    }
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The error of a line that is no call.
#[track_caller]
fn error_of(input: &str) -> String {
    let done = run(&["normalize"], input);
    assert_eq!(done.code, 1, "{}", done.stdout);
    let answer: Value = serde_json::from_str(done.stdout.lines().next().expect("an answer")).expect("JSON");
    assert_eq!(answer["line"], 1);
    answer["error"].as_str().expect("an error").to_owned()
}

#[test]
fn a_line_without_arguments_is_no_call() {
    let input = format!(r#"{{"id":1,"tool":{{"name":"read_note","inputSchema":{SCHEMA}}}}}"#);
    insta::assert_snapshot!(error_of(&input), @r#""arguments" is missing; give an object, or a string with the text as the model wrote it ({} for a call without arguments)"#);
}

#[test]
fn the_end_of_a_turn_is_read_in_the_words_of_the_apis_and_never_ignored() {
    let with =
        |finish: &str| line(1, r#""{\"path\": \"a\"""#).replacen('{', &format!("{{\"finish\":{finish},"), 1);
    for (finish, outcome) in [
        (r#""stop""#, "repaired"),
        (r#""tool_calls""#, "repaired"),
        (r#""end_turn""#, "repaired"),
        (r#""max_tokens""#, "refused"),
        (r#""content_filter""#, "refused"),
        ("null", "refused"),
    ] {
        assert_eq!(answers(&with(finish))[0]["outcome"], outcome, "{finish}");
    }
    assert!(
        error_of(&with(r#""stopped""#))
            .starts_with(r#""finish": "stopped" is no known way to finish; use "stop""#)
    );
    assert_eq!(error_of(&with("1")), r#""finish" is a number; use "stop" or "length""#);
}

#[test]
fn a_key_that_stands_twice_is_an_error_of_the_line() {
    let twice = line(1, r#"{"path":"a"}"#).replacen('{', r#"{"arguments":{"path":"b"},"#, 1);
    assert_eq!(error_of(&twice), r#""arguments" stands twice on the line; keep one of them"#);
    let in_tool = line(1, r#"{"path":"a"}"#).replacen(r#""required""#, r#""properties":{},"required""#, 1);
    assert_eq!(
        error_of(&in_tool),
        r#"the tool has "properties" twice in one object with different values; keep one of them"#
    );
    // Inside the arguments it is the model's mistake, and a refusal.
    assert_eq!(answers(&line(1, r#"{"path":"a","path":"b"}"#))[0]["problems"][0]["code"], "R7");
}

#[test]
fn a_byte_order_mark_and_a_dash_for_standard_input_are_accepted() {
    let input = format!("\u{feff}{}", line(1, r#"{"path":"a"}"#));
    let done = run(&["normalize", "-"], &input);
    assert_eq!(done.code, 0, "{}", done.stdout);
    assert!(done.stdout.contains(r#""outcome":"unchanged""#), "{}", done.stdout);
}

#[test]
fn a_line_over_the_limit_is_passed_over_and_named() {
    let input = format!("{}\n{}", "x".repeat((64 << 20) + 10), line(2, r#"{"path":"a"}"#));
    insta::assert_snapshot!(error_of(&input), @"the line is longer than 64 MiB (67108864 bytes), the most that is read; send a shorter call");
    let answers = answers(&input);
    assert_eq!((answers.len(), &answers[1]["id"]), (2, &json!(2)));
}

#[test]
fn arguments_that_nest_too_deeply_are_refused_in_every_form() {
    let deep = format!("{}1{}", r#"{"path":"#.repeat(200), "}".repeat(200));
    for arguments in [deep.clone(), serde_json::to_string(&deep).expect("JSON")] {
        let answer = &answers(&line(1, &arguments))[0];
        assert_eq!(answer["problems"][0]["code"], "R12", "{answer}");
    }
}

#[test]
fn hint_and_evidence_come_with_explain_only() {
    let input = format!("{}\n{}", line(1, r#"{"raw": "maybe"}"#), line(2, r#"{"PATH": "a"}"#));
    let keys = |options: &[&str]| -> Vec<Vec<String>> {
        let done = run(&[&["normalize"], options].concat(), &input);
        let parsed = done.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        parsed.map(|answer| answer.as_object().expect("an object").keys().cloned().collect()).collect()
    };
    let contract = ["arguments", "changes", "id", "name", "outcome", "problems"];
    for answer in keys(&[]) {
        let mut answer = answer;
        answer.sort();
        assert_eq!(answer, contract);
    }
    let explained = keys(&["--explain"]);
    assert!(explained[0].contains(&"hint".to_owned()) && !explained[1].contains(&"hint".to_owned()));
    assert!(explained.iter().all(|answer| answer.contains(&"unjudged".to_owned())));
}

#[test]
fn a_long_value_is_shortened_and_not_encoded_twice() {
    let long = "y".repeat(600);
    let answer = &answers(&line(1, &format!(r#"{{"path":["{long}"]}}"#)))[0];
    assert_eq!(answer["arguments"]["path"], long);
    let (from, to) = (&answer["changes"][0]["from"][0], &answer["changes"][0]["to"]);
    for shown in [from, to] {
        let text = shown.as_str().expect("a text");
        assert!(text.starts_with("yyy") && text.ends_with("y…") && text.len() < 260, "{answer}");
    }
}

#[test]
fn of_two_tools_of_one_name_the_answer_names_the_server() {
    let tools = r#"[{"name":"read","server":"gitlab","inputSchema":{}},{"name":"read","server":"github","inputSchema":{}}]"#;
    let line = |name: &str| format!(r#"{{"id":1,"name":"{name}","tools":{tools},"arguments":{{}}}}"#);
    let first = run(&["normalize"], &line("github__read"));
    assert!(first.stdout.contains(r#""name":"github/read","outcome":"repaired""#), "{}", first.stdout);
    let second = run(&["normalize"], &line("github/read"));
    assert!(second.stdout.contains(r#""name":"github/read","outcome":"unchanged""#), "{}", second.stdout);
}

#[test]
fn a_line_that_says_two_things_is_wrong() {
    let good = line(1, r#"{"path":"a"}"#);
    let with = |more: &str| good.replacen('{', &format!("{{{more},"), 1);
    assert_eq!(answers(&with(r#""name":"read_note""#))[0]["outcome"], "unchanged");
    assert_eq!(answers(&with(r#""name":"ReadNote""#))[0]["changes"][0]["code"], "F1");
    assert_eq!(answers(&with(r#""name":"delete_note""#))[0]["problems"][0]["code"], "R10");
    assert_eq!(error_of(&with(r#""tools":[]"#)), r#""tool" and "tools" are both there; keep one of them"#);
    let schemas = |other: &str| {
        good.replacen(r#""inputSchema":"#, &format!(r#""input_schema":{other},"inputSchema":"#), 1)
    };
    assert_eq!(answers(&schemas(SCHEMA))[0]["outcome"], "unchanged");
    assert_eq!(
        error_of(&schemas(r#"{"type":"object"}"#)),
        "the tool has two different schemas, inputSchema and input_schema; keep one of them"
    );
}
