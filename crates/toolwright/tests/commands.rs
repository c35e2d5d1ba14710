//! `toolwright`, `toolwright explain` and `toolwright rules` as a user runs them.

use crate::program;

use program::{run, scratch};
use toolwright_model::Code;

#[test]
fn every_code_is_explained_by_its_page() {
    for code in Code::ALL {
        let done = run(&["explain", &code.as_str().to_lowercase()], "");
        assert_eq!(done.code, 0, "{code}");
        assert!(done.stdout.starts_with(&format!("# {code}: ")), "{code}");
    }
    let done = run(&["explain", "Q7"], "");
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("\"Q7\" is no code"), "{}", done.stderr);
}

#[test]
fn a_call_is_explained_step_by_step() {
    let folder = scratch("explain");
    let tool = folder.join("tool.json");
    let schema = r#"{"name":"read_note","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}}"#;
    std::fs::write(&tool, schema).expect("written");
    let tool = tool.display().to_string();
    let done = run(&["explain", "--tool", &tool, "--arguments", r#"{"file_path": "a", "limit": "5"}"#], "");
    assert_eq!(done.code, 0);
    insta::assert_snapshot!(done.stdout);
    let done = run(&["explain", "--tool", &tool, "--arguments", r#"{"radius": "a"}"#, "--json"], "");
    assert_eq!(done.code, 1);
    assert!(
        done.stdout.contains("\"outcome\":\"refused\"") && done.stdout.contains("\"explain\":["),
        "{}",
        done.stdout
    );
}

#[test]
fn rules_are_listed_with_their_sets() {
    let done = run(&["rules", "list"], "");
    assert_eq!(done.code, 0);
    insta::assert_snapshot!(done.stdout);
    let json = run(&["rules", "list", "--json", "--disable", "zwave"], "").stdout;
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(
        value["sets"]
            .as_array()
            .is_some_and(|sets| sets.iter().any(|set| set["name"] == "zwave" && set["on"] == false))
    );
}

#[test]
fn rules_are_listed_in_the_order_of_application() {
    let folder = scratch("list-order");
    let file = folder.join("rules.json");
    let rule = |id: &str, tools: &str| {
        format!(r#"{{"id":"{id}","tools":["{tools}"],"type":"param_drop","from":"{id}"}}"#)
    };
    let text = format!("\u{feff}[{},{}]", rule("for-all", "*"), rule("for-one", "read"));
    std::fs::write(&file, text).expect("written");
    let sets = ["claude-desktop", "file-path", "file-steps", "file-window-drop", "zwave"];
    let mut arguments = vec!["rules", "list", "--json", "--rules"];
    let file = file.display().to_string();
    arguments.push(&file);
    sets.iter().for_each(|set| arguments.extend(["--disable", set]));
    let json: serde_json::Value = serde_json::from_str(&run(&arguments, "").stdout).expect("JSON");
    let ids: Vec<&str> =
        json["rules"].as_array().expect("rules").iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids, ["for-one", "for-all", "snake-to-camel"]);
}

#[test]
fn rules_of_calls_of_language_models_are_listed_as_such() {
    let json = |arguments: &[&str]| -> serde_json::Value {
        let all = [&["rules", "list", "--json"], arguments].concat();
        serde_json::from_str(&run(&all, "").stdout).expect("JSON")
    };
    let active_for = |listed: &serde_json::Value| {
        let rules = listed["rules"].as_array().expect("rules").clone();
        let rule = rules.into_iter().find(|rule| rule["id"] == "read_file-offset-drop");
        rule.map(|rule| rule["active_for"].as_str().expect("a text").to_owned())
    };
    assert_eq!(active_for(&json(&[])).as_deref(), Some("model calls"));
    assert_eq!(active_for(&json(&["--enable", "file-window-drop"])).as_deref(), Some("every call"));
    assert_eq!(active_for(&json(&["--disable", "file-window-drop"])), None);
    let listed = run(&["rules", "list"], "").stdout;
    assert!(listed.contains("  llm file-window-drop"), "{listed}");
    assert!(listed.contains("2 more for calls of language models only, in the LLM proxy:"), "{listed}");
}

#[test]
fn a_rule_for_built_in_tools_only_is_warned_of() {
    let folder = scratch("check-idle");
    let file = folder.join("rules.json");
    let rule =
        |id: &str, tools: &str| format!(r#"{{"id":"{id}","tools":{tools},"type":"param_drop","from":"x"}}"#);
    let text = format!(
        "[{},{},{}]",
        rule("idle", r#"["search_web","builtin/get_current_datetime"]"#),
        rule("files", r#"["read_file"]"#),
        rule("both", r#"["search_web","find_pages"]"#)
    );
    std::fs::write(&file, text).expect("written");
    let file = file.display().to_string();
    let done = run(&["rules", "check", &file], "");
    assert_eq!(done.code, 0);
    assert_eq!(
        done.stderr.trim(),
        "warning: rule \"idle\" does not fire for search_web, builtin/get_current_datetime: the arguments of built-in \
         tools are validated and not changed; it fires only if a server offers a tool of that name"
    );
    let json: serde_json::Value =
        serde_json::from_str(&run(&["rules", "check", &file, "--json"], "").stdout).expect("JSON");
    assert_eq!(json["warnings"].as_array().map(Vec::len), Some(1), "{json}");
}

#[test]
fn a_mistake_in_a_very_long_line_is_shown_with_a_window_of_it() {
    let folder = scratch("check-long");
    let file = folder.join("rules.json");
    let rule = |at: usize| format!(r#"{{"id":"r{at}","tools":["t"],"type":"param_drop","from":"k{at}"}}"#);
    let mut rules: Vec<String> = (0..20).map(rule).collect();
    rules.insert(10, r#"{"id":"wrong","tools":["t"],"type":"param_dorp","from":"x"}"#.to_owned());
    std::fs::write(&file, format!("[{}]", rules.join(","))).expect("written");
    let done = run(&["rules", "check", &file.display().to_string()], "");
    let lines: Vec<&str> = done.stderr.lines().collect();
    let caret = lines[3].chars().position(|char| char == '^').expect("a caret");
    let marked: String = lines[2].chars().skip(caret).take(12).collect();
    assert_eq!(marked, "\"param_dorp\"", "{}", done.stderr);
    assert!(lines[2].chars().count() < 140, "{}", done.stderr);
}

#[test]
fn a_rules_file_is_checked_with_place_and_fix() {
    let folder = scratch("check");
    let file = folder.join("rules.json");
    let text = "[\n  {\"id\": \"a\", \"tools\": [\"x\"], \"type\": \"param_alias\", \"form\": \"b\", \"to\": \"c\"},\n  {\"id\": \"a\", \"tools\": [\"x\"], \"type\": \"param_drop\", \"from\": \"b\"}\n]\n";
    std::fs::write(&file, text).expect("written");
    let done = run(&["rules", "check", &file.display().to_string()], "");
    assert_eq!(done.code, 1);
    let shown = done.stderr.replace(&folder.display().to_string(), "…");
    insta::assert_snapshot!(shown);
    std::fs::write(&file, "[]").expect("written");
    assert_eq!(run(&["rules", "check", &file.display().to_string()], "").code, 0);
}

#[test]
fn rule_tests_pass_or_say_what_differs() {
    let folder = scratch("rule-tests");
    let (rules, cases) = (folder.join("rules.json"), folder.join("cases.jsonl"));
    std::fs::write(
        &rules,
        r#"[{"id":"custom-alias","tools":["read_file"],"type":"param_alias","from":"filename","to":"path"}]"#,
    )
    .expect("written");
    let tool = r#""tool":{"name":"read_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}"#;
    let good = format!(
        r#"{{{tool},"arguments":{{"filename":"a"}},"expect":{{"outcome":"repaired","arguments":{{"path":"a"}},"rules":["custom-alias"]}}}}"#
    );
    std::fs::write(&cases, &good).expect("written");
    let arguments = |cases: &std::path::Path| {
        [
            "rules".to_owned(),
            "test".into(),
            rules.display().to_string(),
            "--cases".into(),
            cases.display().to_string(),
        ]
    };
    let run_cases = || {
        let arguments = arguments(&cases);
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), "")
    };
    let done = run_cases();
    assert_eq!((done.code, done.stdout.trim()), (0, "1 passed, 0 failed"));
    std::fs::write(&cases, good.replace("\"path\":\"a\"}", "\"path\":\"b\"}")).expect("written");
    let done = run_cases();
    assert_eq!((done.code, done.stdout.trim()), (1, "0 passed, 1 failed"));
    assert!(done.stderr.contains("cases.jsonl:1: expected"), "{}", done.stderr);
}

#[test]
fn wrong_use_is_exit_code_2() {
    assert_eq!(run(&["frobnicate"], "").code, 2);
    assert_eq!(run(&["explain"], "").code, 2);
    assert_eq!(run(&["normalize", "--threads", "0"], "").code, 2);
}

#[test]
fn explain_says_what_is_missing_beside_what_is_given() {
    for (arguments, expected) in [
        (
            &["explain", "--tool", "x.json"][..],
            "error: --tool is given, but no arguments to explain\nfix: add them: toolwright explain --tool x.json --arguments '{}'",
        ),
        (&["explain", "--arguments", "{}"], "error: --arguments are given, but no tool to judge them by"),
        (
            &["explain"],
            "error: there is nothing to explain\nfix: give a code, such as N4, the id of a call or of a rule, or --tool FILE and --arguments TEXT",
        ),
        (
            &["explain", "N4", "--tool", "x.json"],
            "error: \"N4\" stands beside --tool or --arguments\nfix: ask for it alone: toolwright explain N4",
        ),
    ] {
        let done = run(arguments, "");
        assert_eq!(done.code, 2);
        assert!(done.stderr.starts_with(expected), "{}", done.stderr);
    }
}

#[test]
fn a_tool_file_may_start_with_a_byte_order_mark() {
    let file = scratch("byte-order-mark").join("tool.json");
    std::fs::write(&file, "\u{feff}{\"name\":\"ping\"}").expect("written");
    let done = run(&["explain", "--tool", &file.display().to_string(), "--arguments", "{}"], "");
    assert_eq!(done.code, 0, "{}", done.stderr);
}

#[test]
fn a_refusal_is_explained_with_a_hint_and_what_is_not_judged() {
    let tool = scratch("explain-refusal").join("tool.json");
    let schema = r##"{"name":"read_note","inputSchema":{"type":"object","properties":{"path":{"type":"string","pattern":"("},"limit":{"type":"integer","maximum":100},"a":{"$ref":"#/nope"},"b":{"$ref":"https://example.com/b"},"c":{"pattern":"^(?!x)"}},"required":["path"],"additionalProperties":false}}"##;
    std::fs::write(&tool, schema).expect("written");
    let tool = tool.display().to_string();
    let arguments =
        ["explain", "--tool", &tool, "--arguments", r#"{"input": {"file_path": "a", "limit": 500}}"#];
    let done = run(&arguments, "");
    assert_eq!(done.code, 1);
    insta::assert_snapshot!(done.stdout);
    let done = run(&[&arguments[..], &["--json"]].concat(), "");
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(answer["hint"], r#"send {"path": "a", "limit": <an integer of at most 100>}"#);
    assert_eq!(answer["unjudged"].as_array().map(Vec::len), Some(4));
    assert!(answer["explain"].as_array().is_some_and(|steps| !steps.is_empty()));
}

#[test]
fn a_keyword_that_cannot_be_read_is_listed_as_unjudged() {
    let tool = scratch("explain-unjudged").join("tool.json");
    let schema =
        r#"{"name":"t","inputSchema":{"type":"object","properties":{"a":{"enum":"x"}},"required":true}}"#;
    std::fs::write(&tool, schema).expect("written");
    let tool = tool.display().to_string();
    let arguments = ["explain", "--tool", &tool, "--arguments", r#"{"a": 1}"#];
    let done = run(&arguments, "");
    assert_eq!(done.code, 0);
    let notes: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("unjudged")).collect();
    let expected = [
        r#"unjudged  "required" is true where a list of names is expected: not validated"#,
        r#"unjudged  "enum" is "x" where a list of values is expected: not validated"#,
    ];
    assert_eq!(notes, expected);
    let done = run(&[&arguments[..], &["--json"]].concat(), "");
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(answer["unjudged"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_envelope_is_a_step_and_the_costs_add_up() {
    let tool = scratch("explain-envelope").join("tool.json");
    let schema = r#"{"name":"read_note","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}}"#;
    std::fs::write(&tool, schema).expect("written");
    let tool = tool.display().to_string();
    let sent = r#"{"arguments": {"file_path": "a", "Limit": "5", "note": null}}"#;
    let done = run(&["explain", "--tool", &tool, "--arguments", sent], "");
    insta::assert_snapshot!(done.stdout);
    let done = run(&["explain", "--tool", &tool, "--arguments", sent, "--json"], "");
    let answer: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(answer["changes"][0]["why"], "an envelope around the arguments");
}

#[test]
fn rule_tests_check_what_they_are_told_to_expect() {
    let folder = scratch("rule-test-expectations");
    let (rules, cases) = (folder.join("rules.json"), folder.join("cases.jsonl"));
    std::fs::write(
        &rules,
        r#"[{"id":"custom-alias","tools":["read_file"],"type":"param_alias","from":"filename","to":"path"}]"#,
    )
    .expect("written");
    let (rules, file) = (rules.display().to_string(), cases.display().to_string());
    let run_cases = |text: &str| {
        std::fs::write(&cases, text).expect("written");
        run(&["rules", "test", &rules, "--cases", &file], "")
    };
    let tool = r#""tool":{"name":"read_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}"#;
    let case = |expect: &str| format!(r#"{{{tool},"arguments":{{"filename":"a"}},"expect":{expect}}}"#);
    for expect in [
        r#"{"outcome":"repaired","codes":["N3"]}"#,
        r#"{"outcome":"repaired","codes":["N3","N3"],"rules":[]}"#,
    ] {
        let done = run_cases(&case(expect));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{expect}");
    }
    for (expect, message) in [
        (r#"{"outcome":"repaired","codes":["N3","T1"]}"#, "expected the codes N3, T1, got N3"),
        (r#"{"outcome":"repaired","codes":[]}"#, "expected the codes none, got N3"),
        (r#"{"outcome":"repaired","codes":["N99"]}"#, r#""codes": there is no code "N99""#),
        (r#"{"outcome":"repaired","codes":"N3"}"#, r#""codes" in "expect" is a list of texts"#),
        (r#"{"outcome":"mended"}"#, r#""mended" is no "outcome"; use unchanged, repaired, refused"#),
        (
            r#"{"outcome":"repaired","rule":["x"]}"#,
            r#""expect" has no "rule"; it takes outcome, arguments, rules, codes"#,
        ),
        (r#""repaired""#, r#""expect" is an object with an "outcome""#),
    ] {
        let done = run_cases(&case(expect));
        assert_eq!(done.code, 1, "{expect}");
        assert!(done.stderr.trim_end().ends_with(message), "{expect}: {}", done.stderr);
    }
    let tools = case(r#"{"outcome":"refused","codes":["R10"]}"#)
        .replace("\"tool\":", "\"name\":\"other\",\"tools\":[")
        .replace(",\"arguments\"", "],\"arguments\"");
    assert_eq!(run_cases(&tools).code, 0, "{tools}");
    for empty in ["", "\n\n"] {
        let done = run_cases(empty);
        assert_eq!((done.code, done.stdout.as_str()), (1, ""));
        assert!(done.stderr.contains("has no cases"), "{}", done.stderr);
    }
}

#[test]
fn the_other_name_of_an_option_is_in_the_help() {
    let done = run(&["normalize", "--help"], "");
    assert!(done.stdout.contains("--normalizer-rules"), "{}", done.stdout);
}
