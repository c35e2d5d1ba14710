//! `toolwright tools` and `toolwright call` as a user runs them, each test in a folder of its own.

use crate::desk;
use crate::program;

use std::net::TcpListener;

use desk::Desk;
use program::{command, run};
use serde_json::{Value, json};

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().map(|members| members.keys().map(String::as_str).collect()).unwrap_or_default();
    keys.sort_unstable();
    keys
}

// tools

#[test]
fn the_tools_are_listed_by_name_with_where_they_come_from() {
    let done = run(&["tools"], "");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(done.stdout);
    assert_eq!(run(&["tools", "list"], "").stdout, done.stdout);
}

#[test]
fn a_tool_is_shown_with_what_it_takes() {
    let done = run(&["tools", "show", "edit_file"], "");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(done.stdout);
}

#[test]
fn a_tool_is_shown_as_json() {
    let done = run(&["tools", "show", "delete_file", "--json"], "");
    assert_eq!(done.code, 0);
    let tool: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(keys(&tool), ["description", "destructive", "inputSchema", "name", "outputSchema", "source"]);
    assert_eq!(tool["name"], "delete_file");
    assert_eq!(tool["source"], "files");
    assert_eq!(tool["destructive"], true);
    assert_eq!(tool["inputSchema"]["required"], json!(["path"]));
}

#[test]
fn a_tool_is_shown_under_every_name_that_calls_it() {
    let exact = run(&["tools", "show", "read_file"], "");
    for name in ["read-file", "files/read_file", "ReadFile"] {
        let shown = run(&["tools", "show", name], "");
        assert_eq!((shown.code, &shown.stdout), (0, &exact.stdout), "{name}: {}", shown.stderr);
        let called = Desk::new().call(&[name, r#"{"path": "notes.md"}"#]);
        assert_eq!(called.code, 0, "{name}");
    }
    let shown = run(&["tools", "show", "read-file"], "");
    assert_eq!(shown.stderr, "\"read-file\" is understood as read_file, as in a call\n");
    let json = run(&["tools", "show", "read-file", "--json"], "");
    assert_eq!((json.code, json.stderr.as_str()), (0, ""));
    assert!(json.stdout.starts_with("{\"name\":\"read_file\""), "{}", json.stdout);
}

#[test]
fn a_tool_that_is_not_there_is_wrong_use_and_the_others_are_named() {
    let done = run(&["tools", "show", "raed_file"], "");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(done.stderr);
}

#[test]
fn definitions_come_in_the_form_of_each_api() {
    type Place = fn(&Value) -> (&Value, &Value, &Value);
    let flat_mcp: Place = |tool| (&tool["name"], &tool["description"], &tool["inputSchema"]);
    let flat_anthropic: Place = |tool| (&tool["name"], &tool["description"], &tool["input_schema"]);
    let function: Place = |tool| {
        assert_eq!(tool["type"], "function");
        let function = &tool["function"];
        (&function["name"], &function["description"], &function["parameters"])
    };
    let listed = |arguments: &[&str]| -> Vec<Value> {
        let done = run(&[&["tools", "list"], arguments].concat(), "");
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments:?}");
        serde_json::from_str(&done.stdout).expect("a JSON list")
    };
    for (format, place) in
        [("mcp", flat_mcp), ("anthropic", flat_anthropic), ("openai", function), ("ollama", function)]
    {
        let tools = listed(&["--format", format]);
        assert_eq!(tools.len(), 12, "{format}");
        for tool in &tools {
            let (name, description, schema) = place(tool);
            assert!(name.is_string() && description.is_string(), "{format}: {tool}");
            assert_eq!(schema["type"], "object", "{format}: {tool}");
        }
    }
    assert_eq!(listed(&["--json"]), listed(&["--format", "mcp"]));
    for options in [&["--json"][..], &["--format", "openai"]] {
        let short = run(&[&["tools"], options].concat(), "");
        assert_eq!(short.stdout, run(&[&["tools", "list"], options].concat(), "").stdout, "{options:?}");
        let misplaced = run(&[&["tools"], options, &["show", "read_file"]].concat(), "");
        assert_eq!((misplaced.code, misplaced.stdout.as_str()), (2, ""), "{options:?}");
    }
}

#[test]
fn json_and_a_format_are_two_answers_to_one_question() {
    let done = run(&["tools", "list", "--json", "--format", "openai"], "");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.contains("'--json' cannot be used with '--format"), "{}", done.stderr);
}

#[test]
fn a_format_that_no_api_has_is_wrong_use() {
    let done = run(&["tools", "list", "--format", "soap"], "");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.contains("mcp, anthropic, openai, ollama"), "{}", done.stderr);
}

// call

#[test]
fn a_call_that_fits_prints_its_result_and_nothing_else() {
    let desk = Desk::new();
    let done = desk.call(&["read_file", r#"{"path": "notes.md"}"#]);
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "# Notes\nbuy milk\n", ""));
    desk.put("empty.md", "");
    let done = desk.call(&["read_file", r#"{"path": "empty.md"}"#]);
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "", ""));
}

#[test]
fn a_call_without_arguments_takes_none() {
    let done = Desk::new().call(&["get_current_datetime"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert!(done.stdout.starts_with("It is currently "), "{}", done.stdout);
}

#[test]
fn without_a_root_the_files_tools_work_in_the_current_folder() {
    let desk = Desk::new();
    let mut command = command(&["call", "read_file", r#"{"path": "notes.md"}"#]);
    let output = command.current_dir(desk.path("")).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "# Notes\nbuy milk\n");
}

#[test]
fn a_mended_call_shows_before_and_after_on_stderr_and_the_result_alone_on_stdout() {
    let desk = Desk::new();
    let sent = r#"{"path": "notes.md", "old_str": "milk", "new_str": "bread", "dry_run": "false"}"#;
    let done = desk.call(&["edit-file", sent]);
    insta::assert_snapshot!(desk.shown(&done));
    assert_eq!(desk.get("notes.md"), "# Notes\nbuy bread\n");
}

#[test]
fn the_same_repair_in_many_steps_is_one_line_and_whole_in_json() {
    let desk = Desk::new();
    let steps = vec![json!({"action": "read", "path": "notes.md"}); 12];
    let sent = json!({"pipeline_json": json!({"steps": steps}).to_string()}).to_string();
    let done = desk.call(&["batch_operations", &sent]);
    let lines: Vec<&str> = done.stderr.lines().skip(2).collect();
    assert_eq!(lines, ["  D2  /pipeline_json/steps/*/id  default, rule pipeline-step-id-default (12 times)"]);
    let (_, answer) = desk.json(&["batch_operations", &sent]);
    assert_eq!(answer["changes"].as_array().map(Vec::len), Some(12));
}

#[test]
fn a_refused_call_says_why_and_runs_nothing() {
    let desk = Desk::new();
    let done = desk.call(&["write_to_file", r#"{"path": "notes.md", "text": 3, "mode": "w"}"#]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    // What does not fit is worded by the normalizer, whose own tests hold the words.
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert!(lines[0].starts_with("error: The call of write_to_file was refused"), "{}", done.stderr);
    assert!(lines[1].starts_with("- /mode: "), "{}", done.stderr);
    assert_eq!(lines.last(), Some(&r#"Sent: {"path":"notes.md","text":3,"mode":"w"}"#));
    assert_eq!(desk.get("notes.md"), "# Notes\nbuy milk\n");
}

#[test]
fn quotes_that_a_shell_has_eaten_are_explained() {
    let done = Desk::new().call(&["read_file", "{path:x}"]);
    assert_eq!(done.code, 1);
    assert!(done.stderr.contains("fix: put the JSON in single quotes"), "{}", done.stderr);
    let done = Desk::new().call(&["read_file", r#"{"path": "no-such-file"}"#]);
    assert!(!done.stderr.contains("single quotes"), "{}", done.stderr);
}

#[test]
fn a_call_that_was_cut_off_runs_nothing() {
    let desk = Desk::new();
    let (code, answer) = desk.json(&["write_to_file", r#"{"path": "notes.md", "content": "No"#]);
    assert_eq!((code, &answer["error"]["problems"][0]["code"]), (1, &json!("S2")));
    assert_eq!(desk.get("notes.md"), "# Notes\nbuy milk\n");
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_and_all_others() {
    let desk = Desk::new();
    let done = desk.call(&["raed_fil", "{}"]);
    insta::assert_snapshot!(desk.shown(&done));
}

#[test]
fn a_path_outside_of_the_root_is_not_touched() {
    let (desk, other) = (Desk::new(), Desk::new());
    let done = desk.call(&["read_file", r#"{"path": "../secret.txt"}"#]);
    insta::assert_snapshot!(desk.shown(&done));
    let foreign = other.path("notes.md").display().to_string();
    let sent = json!({"path": foreign, "content": "gone"}).to_string();
    let (code, answer) = desk.json(&["write_to_file", &sent]);
    assert_eq!((code, &answer["ok"], &answer["run"]), (1, &json!(false), &json!(true)));
    assert_eq!(other.get("notes.md"), "# Notes\nbuy milk\n");
    // A second root makes it a place of its own right.
    let (code, _) = desk.json(&["write_to_file", &sent, "--root", &other.root()]);
    assert_eq!((code, other.get("notes.md")), (0, "gone".to_owned()));
}

#[test]
fn a_tool_that_says_no_is_exit_code_1_with_its_own_words() {
    let desk = Desk::new();
    let done = desk.call(&["delete_file", r#"{"path": "none.md"}"#]);
    insta::assert_snapshot!(desk.shown(&done));
}

#[test]
fn a_failure_names_its_own_cause_and_no_other() {
    let desk = Desk::new();
    for (sent, expected) in [
        (
            r#"{"path": "notes.md", "start_line": 5}"#,
            "error: start_line is 5, but \"notes.md\" has 2 lines\n",
        ),
        (r#"{"path": ""}"#, "error: the path is empty. Send the path of a file or folder"),
        (r#"{"path": "no/such.txt"}"#, "error: \"no/such.txt\" does not exist. Use list_directory"),
        (r#"{"path": "~/a"}"#, "error: the path \"~/a\" begins with ~"),
    ] {
        let done = desk.call(&["read_file", sent]);
        assert_eq!(done.code, 1, "{sent}");
        assert!(done.stderr.starts_with(expected), "{}", done.stderr);
        assert!(!done.stderr.contains("It needs path"), "{}", done.stderr);
    }
    let mut command = command(&["call", "control_speaker_volume", r#"{"action": "get"}"#, "--json"]);
    let output = command.env("PATH", desk.root()).output().expect("it runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["error"]["code"], "unavailable");
    let message = answer["error"]["message"].as_str().expect("a sentence");
    assert!(message.starts_with("No sound system was found: none of wpctl"), "{message}");
}

#[test]
fn json_has_one_shape_for_each_way_a_call_ends() {
    let desk = Desk::new();
    let always = ["arguments", "changes", "name", "ok", "run"];
    let with = |more: &[&'static str]| {
        let mut keys = [&always[..], more].concat();
        keys.sort_unstable();
        keys
    };

    let (code, answer) = desk.json(&["read-file", r#"{"file_path": "notes.md"}"#]);
    assert_eq!((code, keys(&answer)), (0, with(&["text", "structured", "duration_ms"])));
    assert_eq!(answer["name"], "read_file");
    assert_eq!(answer["arguments"], json!({"path": "notes.md"}));
    assert_eq!(answer["changes"][0]["code"], "F1");
    assert_eq!(answer["changes"][1]["rule"], "read_file-file_path");
    assert_eq!((&answer["run"], &answer["ok"]), (&json!(true), &json!(true)));
    assert_eq!(answer["text"], "# Notes\nbuy milk\n");

    let took = answer["duration_ms"].as_f64().expect("a number");
    let micros = took * 1000.0;
    assert!(took > 0.0 && (micros - micros.round()).abs() < 1e-6, "milliseconds to the microsecond: {took}");

    let (code, answer) = desk.json(&["list_directory", "{\n\"path\":\n\".\"\n}"]);
    assert_eq!((code, &answer["arguments"]), (0, &json!({"path": "."})));
    assert!(answer["structured"].is_object(), "{answer}");

    let (code, answer) = desk.json(&["read_file", r#"{"path": "notes.md"}"#, "--dry-run"]);
    assert_eq!((code, keys(&answer)), (0, with(&[])));
    assert_eq!((&answer["run"], &answer["ok"]), (&json!(false), &json!(true)));

    let error = ["code", "details", "message", "problems"];
    for flags in [&[][..], &["--dry-run"]] {
        let (code, answer) = desk.json(&[&["read_file", r#"{"colour": 1}"#], flags].concat());
        assert_eq!((code, keys(&answer), keys(&answer["error"])), (1, with(&["error"]), error.to_vec()));
        assert_eq!((&answer["run"], &answer["ok"]), (&json!(false), &json!(false)));
        assert_eq!(answer["arguments"], Value::Null);
        assert_eq!(answer["error"]["code"], "invalid_arguments");
        let problem = &answer["error"]["problems"][0];
        assert_eq!(keys(problem), ["code", "message", "path"]);

        let (code, answer) = desk.json(&[&["raed_fil", "{}"], flags].concat());
        assert_eq!((code, keys(&answer)), (1, with(&["error"])));
        assert_eq!((&answer["name"], &answer["error"]["code"]), (&json!("raed_fil"), &json!("unknown_tool")));
    }

    let (code, answer) = desk.json(&["read_file", r#"{"file_path": "none.md"}"#]);
    assert_eq!((code, keys(&answer)), (1, with(&["error", "duration_ms"])));
    assert_eq!((&answer["run"], &answer["ok"]), (&json!(true), &json!(false)));
    assert_eq!(answer["arguments"], json!({"path": "none.md"}));
    assert_eq!(answer["error"]["code"], "tool_error");
}

#[test]
fn a_dry_run_shows_the_call_and_runs_nothing() {
    let desk = Desk::new();
    let done = desk.call(&["delete_file", r#"{"path": "notes.md", "permanent": "true"}"#, "--dry-run"]);
    insta::assert_snapshot!(desk.shown(&done));
    assert_eq!(desk.get("notes.md"), "# Notes\nbuy milk\n");
}

#[test]
fn arguments_are_read_from_a_file() {
    let desk = Desk::new();
    desk.put("arguments.txt", "\u{feff}```json\n{'path': 'notes.md',}\n```\n");
    let file = format!("@{}", desk.path("arguments.txt").display());
    let done = desk.call(&["read_file", &file]);
    assert_eq!((done.code, done.stdout.as_str()), (0, "# Notes\nbuy milk\n"));
    assert!(done.stderr.contains("+ read_file {\"path\":\"notes.md\"}"), "{}", done.stderr);
    let done = desk.call(&["read_file", "@/nowhere/arguments.txt"]);
    assert_eq!((done.code, done.stdout.as_str()), (3, ""));
    assert!(done.stderr.starts_with("error: cannot read /nowhere/arguments.txt: "), "{}", done.stderr);
}

#[test]
fn arguments_are_read_from_standard_input() {
    let desk = Desk::new();
    let root = desk.root();
    let done = run(&["call", "--root", &root, "read_file", "@-"], "{\"path\": \"notes.md\"}\n");
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "# Notes\nbuy milk\n", ""));
    let done = desk.call(&["read_file", "@"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.starts_with("error: there is no file after @\nfix: "), "{}", done.stderr);
}

#[test]
fn rules_of_the_user_mend_calls_and_built_in_sets_can_be_switched_off() {
    let desk = Desk::new();
    desk.put(
        "rules.json",
        r#"[{"id":"mine","tools":["read_file"],"type":"param_alias","from":"wo","to":"path"}]"#,
    );
    let rules = desk.path("rules.json").display().to_string();
    let (code, answer) = desk.json(&["read_file", r#"{"wo": "notes.md"}"#, "--rules", &rules]);
    assert_eq!((code, &answer["changes"][0]["rule"]), (0, &json!("mine")));
    let sent = r#"{"file_path": "notes.md"}"#;
    let (_, answer) = desk.json(&["read_file", sent, "--disable", "file-path"]);
    assert_eq!(answer["changes"][0]["rule"], Value::Null);
    assert_eq!(answer["changes"][0]["code"], "N4");
}

#[test]
fn wrong_use_is_exit_code_2_and_prints_nothing_to_stdout() {
    let desk = Desk::new();
    for arguments in [
        &[][..],
        &["read_file", "{}", "{}"],
        &["read_file", "{}", "--timeout", "0"],
        &["read_file", "{}", "--timeout", "soon"],
        &["read_file", "{}", "--finish", "perhaps"],
        &["read_file", "{}", "--enable", "nothing"],
        &["read_file", "{}", "--root", "/nowhere/at/all"],
    ] {
        let done = desk.call(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments:?}: {}", done.stderr);
        assert!(done.stderr.starts_with("error: "), "{arguments:?}: {}", done.stderr);
    }
    assert_eq!(run(&["tools", "frobnicate"], "").code, 2);
    assert_eq!(run(&["tools", "show"], "").code, 2);
    let done = run(&["tools", "--root", "/nowhere/at/all"], "");
    insta::assert_snapshot!(done.stderr);
}

/// Starts a call that waits for a server, and ends it with this signal once it waits.
#[cfg(unix)]
fn ended_by(signal: &str) -> (Option<i32>, Value) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let child = command(&["call", "search_web", r#"{"query": "rust"}"#, "--json"])
        .env("TOOLWRIGHT_SEARCH", "searxng")
        .env("TOOLWRIGHT_SEARCH_URL", url)
        .env("NO_PROXY", "127.0.0.1")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let _connection = listener.accept().expect("the tool asks");
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), answer)
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_stop_the_tool_and_are_told_apart() {
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let (code, answer) = ended_by(signal);
        assert_eq!((code, &answer["error"]["code"]), (Some(expected), &json!("cancelled")), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn the_current_folder_goes_by_the_name_that_the_user_came_by() {
    let desk = Desk::new();
    desk.put("real/a.txt", "A\n");
    std::os::unix::fs::symlink("real", desk.path("link")).expect("a link");
    let link = desk.path("link");
    for roots in [&[][..], &["--root", "."]] {
        let path = json!({"path": link.join("a.txt")}).to_string();
        let output = command(&[&["call", "read_file", &path], roots].concat())
            .current_dir(&link)
            .env("PWD", &link)
            .output()
            .expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "A\n", "{output:?}");
    }
    // A variable that is not true is not believed.
    let output = command(&["call", "read_file", r#"{"path": "a.txt"}"#])
        .current_dir(&link)
        .env("PWD", "/")
        .output()
        .expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "A\n", "{output:?}");
}
