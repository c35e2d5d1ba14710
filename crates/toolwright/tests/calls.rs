//! `toolwright tools` and `toolwright call` as a user runs them, each test in a folder of its own.

mod desk;
mod program;

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

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
fn a_refused_call_says_why_and_runs_nothing() {
    let desk = Desk::new();
    let done = desk.call(&["write_to_file", r#"{"path": "notes.md", "text": 3, "mode": "w"}"#]);
    assert_eq!((done.code, done.stdout.as_str()), (1, ""));
    // What does not fit is worded by the normalizer, whose own tests hold the words.
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert!(lines[0].starts_with("error: I did not use the write to file tool"), "{}", done.stderr);
    assert!(lines[1].starts_with("- /mode: "), "{}", done.stderr);
    assert_eq!(lines.last(), Some(&r#"Sent: {"path":"notes.md","text":3,"mode":"w"}"#));
    assert_eq!(desk.get("notes.md"), "# Notes\nbuy milk\n");
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

/// A server that takes requests and never answers.
fn silent_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || while stream.read(&mut [0; 1024]).is_ok_and(|read| read > 0) {});
        }
    });
    url
}

#[test]
fn a_call_ends_at_its_timeout() {
    let started = Instant::now();
    let mut command = command(&["call", "search_web", r#"{"query": "rust"}"#, "--timeout", "1", "--json"]);
    let output = command
        .env("TOOLWRIGHT_SEARCH", "searxng")
        .env("TOOLWRIGHT_SEARCH_URL", silent_server())
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .expect("it runs");
    let took = started.elapsed();
    assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(8), "{took:?}");
    assert_eq!(output.status.code(), Some(1));
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(answer["error"]["code"], "timeout");
    assert_eq!(answer["run"], true);
}

#[test]
fn without_a_search_engine_the_way_to_one_is_told() {
    let mut command = command(&["call", "search_web", r#"{"query": "rust"}"#]);
    let output = command.env_remove("TOOLWRIGHT_SEARCH").output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr.contains("no search provider is configured"), "{stderr}");
    assert!(stderr.contains("\nfix: set TOOLWRIGHT_SEARCH=duckduckgo; or "), "{stderr}");
}

#[test]
fn a_search_engine_that_cannot_be_used_is_wrong_use() {
    for (engine, url, expected) in [
        ("altavista", "", "fix: use searxng, brave, google or duckduckgo"),
        ("searxng", "", "fix: set TOOLWRIGHT_SEARCH_URL"),
        ("searxng", "ftp://a", "fix: correct TOOLWRIGHT_SEARCH_URL"),
    ] {
        let mut command = command(&["tools"]);
        let command = command.env("TOOLWRIGHT_SEARCH", engine).env("TOOLWRIGHT_SEARCH_URL", url);
        let output = command.output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{engine} {url}: {stderr}");
        assert_eq!(stderr.trim_end().lines().last(), Some(expected));
    }
}

#[test]
fn the_log_goes_to_stderr_when_it_is_asked_for() {
    let desk = Desk::new();
    let root = desk.root();
    let mut command = command(&["call", "--root", &root, "read_file", r#"{"file_path": "notes.md"}"#]);
    let output = command.env("TOOLWRIGHT_LOG", "debug").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "# Notes\nbuy milk\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("read_file") && stderr.contains("INFO"), "{stderr}");
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
