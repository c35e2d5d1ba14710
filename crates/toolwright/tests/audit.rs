//! What `serve` writes down of calls, and what `audit` tells of it.

#![cfg(unix)]

use crate::gateway;
use crate::notes;

use std::fs;
use std::path::Path;
use std::time::Duration;

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

const SECRET: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

fn call(gateway: &Gateway, tool: &str, arguments: Value) {
    let params = json!({ "name": format!("builtin__files__{tool}"), "arguments": arguments });
    let _ = gateway.modern("/mcp/all", "tools/call", params);
}

/// Everything that stands in files below a folder.
fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => text.push_str(&all_text(&entry.path())),
            false => text.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap_or_default())),
        }
    }
    text
}

fn stats(logs: &Path) -> Value {
    let text = fs::read_to_string(logs.join("normalizer_stats.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

#[test]
fn every_call_is_written_down_and_survives_a_kill() {
    let home = Home::new();
    let logs = home.path().join("logs");
    let flags = ["--log-dir", &logs.display().to_string()];
    let mut gateway = Gateway::start(&home, &flags);
    fs::write(home.work().join("a.txt"), "hello").expect("written");
    call(&gateway, "read_file", json!({ "file_path": "a.txt" }));
    call(&gateway, "read_file", json!({ "path": "missing.txt" }));
    call(&gateway, "read_file", json!({ "bogus": format!("Bearer {SECRET}") }));
    call(&gateway, "delete_file", json!({ "path": "a.txt" }));
    let (code, tail, _) = home.run(&["audit", "tail"]);
    let lines: Vec<&str> = tail.lines().collect();
    assert_eq!((code, lines.len()), (0, 4), "{tail}");
    for (line, part) in lines.iter().zip(["mended (", "tool_error", "invalid_arguments", "ok"]) {
        assert!(line.contains(part), "{line}");
    }
    gateway.signal("KILL");
    gateway.end(Duration::from_secs(10));
    let (code, verified, _) = home.run(&["audit", "verify"]);
    // The destructive call has a record of its begin too.
    assert!(code == 0 && verified.contains("main: whole, 5 records"), "{verified}");
    let (_, exported, _) = home.run(&["audit", "export", "--tool", "files/delete_file"]);
    assert_eq!(exported.lines().count(), 2, "{exported}");
    let first: Value = serde_json::from_str(exported.lines().next().expect("a line")).expect("JSON");
    let (code, shown, _) = home.run(&["audit", "show", first["call"].as_str().expect("an id")]);
    assert!(code == 0 && shown.contains("\"kind\": \"call\""), "{shown}");

    // What was not in the file of numbers yet is counted from the journal.
    let mut gateway = Gateway::start(&home, &flags);
    call(&gateway, "read_file", json!({ "path": "b.txt" }));
    gateway.signal("TERM");
    assert!(gateway.end(Duration::from_secs(20)).is_some_and(|status| status.success()));
    until("the numbers are written", || stats(&logs)["total_processed"] == json!(5));
    let numbers = stats(&logs);
    assert_eq!(numbers["total_normalized"], json!(1), "{numbers}");
    assert_eq!(numbers["recent_normalizations"][0]["tool"], json!("read_file"), "{numbers}");
    for folder in [home.path().to_path_buf(), logs] {
        assert!(!all_text(&folder).contains(&SECRET[..12]), "a secret was written down");
    }
}

#[test]
fn a_changed_record_is_named_and_the_gateway_goes_on() {
    let home = Home::new();
    let mut gateway = Gateway::start(&home, &[]);
    for number in 0..3 {
        call(&gateway, "read_file", json!({ "path": format!("{number}.txt") }));
    }
    gateway.signal("TERM");
    gateway.end(Duration::from_secs(20));
    let (_, listed, _) = home.run(&["audit", "verify"]);
    assert!(listed.contains("main: whole, 3 records"), "{listed}");
    let find = |folder: &Path| -> std::path::PathBuf {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "jsonl") {
                    return path;
                }
            }
        }
        panic!("there is no journal")
    };
    let file = find(&home.path().join("state/toolwright/journal"));
    let text = fs::read_to_string(&file).expect("the journal");
    fs::write(&file, text.replacen("1.txt", "7.txt", 1)).expect("written");
    let (code, told, _) = home.run(&["audit", "verify"]);
    assert!(code == 1 && told.contains("NOT WHOLE") && told.contains("record 2"), "{told}");
    let gateway = Gateway::start(&home, &[]);
    call(&gateway, "read_file", json!({ "path": "x.txt" }));
    let (_, tail, _) = home.run(&["audit", "tail", "-n", "1"]);
    assert!(tail.contains("files/read_file"), "{tail}");
}

#[test]
fn the_type_of_the_rule_that_mended_a_call_is_told() {
    let home = Home::new();
    let logs = home.path().join("logs");
    let rules = json!([
        { "id": "our-name", "type": "param_alias", "tools": ["read_file"], "from": "which", "to": "path" },
        { "id": "our-drop", "type": "param_drop", "tools": ["files/*"], "from": "trace" },
    ]);
    let rules = home.put("rules.json", &rules.to_string()).display().to_string();
    let mut gateway = Gateway::start(&home, &["--log-dir", &logs.display().to_string(), "--rules", &rules]);
    call(&gateway, "read_file", json!({ "which": "notes.md", "trace": 1 }));
    call(&gateway, "read_file", json!({ "PATH": "notes.md" }));
    let (_, exported, _) = home.run(&["audit", "export"]);
    let records: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let types = |record: &Value| -> Vec<(Value, Value)> {
        let changes = record["changes"].as_array().cloned().unwrap_or_default();
        changes.iter().map(|change| (change["rule"].clone(), change["type"].clone())).collect()
    };
    assert_eq!(
        types(&records[0]),
        [(json!("our-name"), json!("param_alias")), (json!("our-drop"), json!("param_drop"))],
        "{exported}"
    );
    assert_eq!(types(&records[1]), [(Value::Null, Value::Null)], "{exported}");
    gateway.signal("TERM");
    gateway.end(Duration::from_secs(20));
    let numbers = stats(&logs);
    for (id, rule_type) in [("our-name", "param_alias"), ("our-drop", "param_drop"), ("N1", "schema")] {
        assert_eq!(numbers["by_rule"][id]["type"], json!(rule_type), "{numbers}");
        assert_eq!(numbers["by_rule"][id]["hits"], json!(1), "{numbers}");
    }
}

#[test]
fn a_secret_that_comes_with_a_reload_is_never_written_down() {
    // Nothing but its value tells that it is one.
    const VALUE: &str = "meadow-lark-under-ivy";
    const HARMLESS: &str = "meadow-lark-over-oak";
    let home = Home::new();
    let beside = |name: &str| Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name(name);
    assert!(beside("hostile-server").exists(), "servers are missing: cargo build -p toolwright-testkit");
    let one = json!({ "command": beside("hostile-server"), "args": ["--lists-habits"] });
    let file = home.put("toolwright.json", &json!({ "mcpServers": { "one": one } }).to_string());
    let gateway = Gateway::start(&home, &["--config", &file.display().to_string(), "--rate", "0"]);
    let has = |part: &str| {
        let listed = gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
        listed["tools"].to_string().contains(part)
    };
    until("the first server is there", || has("one__crlf"));
    let two = json!({ "command": beside("switch-server"), "env": { "SERVICE_TOKEN": VALUE } });
    home.put("toolwright.json", &json!({ "mcpServers": { "one": one, "two": two } }).to_string());
    until("the second server is there", || has("two__"));
    for (name, text) in [
        ("default__one__crlf", format!("say {VALUE} and {HARMLESS}")),
        ("default__two__nowhere", format!("{VALUE}/x")),
    ] {
        let params = json!({ "name": name, "arguments": { "text": text, "other": [VALUE] } });
        let _ = gateway.modern("/mcp/all", "tools/call", params);
    }
    until("the calls are written down", || all_text(&home.path().join("state")).contains(HARMLESS));
    drop(gateway);
    let written = all_text(&home.path().join("state"));
    assert!(!written.contains(VALUE), "a secret was written down");
}

#[test]
fn gateways_of_two_homes_with_one_folder_of_logs_add_up_over_restarts() {
    let (one, two) = (Home::new(), Home::new());
    let logs = one.path().join("logs");
    let flags = ["--log-dir", &logs.display().to_string()];
    let run = |home: &Home, calls: usize| {
        let mut gateway = Gateway::start(home, &flags);
        for _ in 0..calls {
            call(&gateway, "read_file", json!({ "path": "none.txt" }));
        }
        gateway.signal("TERM");
        assert!(gateway.end(Duration::from_secs(20)).is_some_and(|status| status.success()));
        stats(&logs)["total_processed"].clone()
    };
    assert_eq!(run(&one, 3), json!(3));
    assert_eq!(run(&two, 10), json!(13));
    assert_eq!(run(&two, 0), json!(13), "a restart counts nothing twice");
    assert_eq!(run(&one, 1), json!(14));
}

#[test]
fn a_call_that_means_no_tool_is_written_down_and_an_id_that_means_several_is_told() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    for _ in 0..2 {
        let params = json!({ "name": "use_tool", "arguments": { "what": "is this" } });
        let _ = gateway.modern("/mcp", "tools/call", params);
    }
    let (code, tail, _) = home.run(&["audit", "tail"]);
    assert!(code == 0 && tail.lines().count() == 2 && tail.contains("use_tool"), "{tail}");
    let first = tail.split_whitespace().nth(1).expect("an id");
    for (part, said) in [(&first[..8], "several calls begin with"), ("", "no call \"\" was written down")] {
        let (code, _, error) = home.run(&["audit", "show", part]);
        assert!(code == 1 && error.contains(said), "{error}");
    }
}

#[test]
fn a_call_that_was_cut_is_in_the_tail() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let mut gateway = Gateway::start(&home, &[]);
    assert!(notes::send(&gateway, "prose", "answered"));
    let arguments = json!({ "recipient": "anna", "prose": "never answer this" });
    let (body, headers) =
        gateway::modern_request("tools/call", json!({ "name": "send_note", "arguments": arguments }));
    let is_begun = || home.run(&["audit", "tail"]).1.contains("begun, without an end");
    let headers = format!("{}{headers}", gateway.headers());
    std::thread::scope(|scope| {
        // The gateway is gone before it answers.
        scope.spawn(|| drop(gateway.try_send("POST", "/mcp/t/default", &headers, &body)));
        until("the call is begun", is_begun);
        gateway.signal("KILL");
    });
    gateway.end(Duration::from_secs(10));
    let (_, tail, _) = home.run(&["audit", "tail"]);
    let lines: Vec<&str> = tail.lines().collect();
    assert!(lines.len() == 2 && lines[0].ends_with("ok") && is_begun(), "{tail}");
}

#[test]
fn an_index_that_can_never_be_opened_is_told_with_its_reason() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({ "store": "sqlite:/nonexistent/calls.db" })));
    let gateway = Gateway::start(&home, &[]);
    assert!(notes::send(&gateway, "prose", "calls go on"));
    let problem = || {
        let health = gateway.send("GET", "/api/health", &gateway.headers(), "").message();
        health["index"]["problem"].as_str().unwrap_or_default().to_owned()
    };
    until("the reason is told", || problem().contains("unable to open database file"));
}

#[test]
fn an_exchange_with_a_model_is_told_beside_calls() {
    use toolwright_ledger::journal::{Journal, JournalOptions};
    use toolwright_ledger::{Exchange, Failure, Kind, Record};
    let home = Home::new();
    let folder = home.path().join("state/toolwright/journal/main");
    let options = JournalOptions { node: Some("main".into()), ..JournalOptions::default() };
    let (journal, _) = Journal::open(&folder, options).expect("a journal");
    let about = Exchange {
        dialect: "anthropic-messages".into(),
        model: "claude-haiku-4-5".into(),
        upstream: "openai".into(),
        upstream_model: "gpt-4.1-mini".into(),
        status: 200,
        input_tokens: Some(12),
        output_tokens: Some(34),
        calls: 1,
        repaired: 1,
        ..Exchange::default()
    };
    let exchange = |call: &str, error: Option<Failure>| Record {
        ts: 1_790_000_000_900_000,
        kind: Kind::Exchange,
        call: call.into(),
        client: Some("claude".into()),
        front: "llm".into(),
        server: Some("openai".into()),
        duration_us: 1_500_000,
        error,
        exchange: Some(Box::new(about.clone())),
        ..Record::default()
    };
    let error = Failure { code: "upstream_error".into(), message: "overloaded".into(), ..Failure::default() };
    journal.append(exchange("x1", None)).expect("written");
    journal.append(exchange("x2", Some(error))).expect("written");
    drop(journal);
    let (code, tail, stderr) = home.run(&["audit", "tail"]);
    assert_eq!(code, 0, "{stderr}");
    let ends: Vec<&str> =
        tail.lines().map(|line| line.split_once("  claude  ").expect("a client").1).collect();
    assert_eq!(
        ends,
        [
            "claude-haiku-4-5 -> openai/gpt-4.1-mini  1.5s  200; 12 in, 34 out; 1 call, 1 mended",
            "claude-haiku-4-5 -> openai/gpt-4.1-mini  1.5s  upstream_error: overloaded",
        ]
    );
    assert!(tail.starts_with("2026-09-21T14:13:20Z"), "the second that it was in: {tail}");
    let (code, said, stderr) = home.run(&["explain", "x2"]);
    assert_eq!(code, 0, "{stderr}");
    for line in [
        "exchange  x2",
        "asked     claude-haiku-4-5 -> openai/gpt-4.1-mini in the dialect anthropic-messages, by llm from claude",
        "outcome   200; 12 in, 34 out; 1 call, 1 mended after 1.5s",
        "why       upstream_error: overloaded",
        "calls     toolwright explain x2-0 and so on, 1 of them",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    let (_, shown, _) = home.run(&["audit", "show", "x1"]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((&shown["kind"], &shown["exchange"]["output_tokens"]), (&json!("exchange"), &json!(34)));
    let (_, exported, _) = home.run(&["audit", "export"]);
    assert_eq!(exported.lines().count(), 2, "{exported}");
    assert!(home.run(&["audit", "verify"]).1.contains("main: whole, 2 records"));
}
