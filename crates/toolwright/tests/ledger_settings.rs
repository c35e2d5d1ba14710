//! What the configuration says of the ledger and of what is hidden, in a gateway that runs.

#![cfg(unix)]

use crate::gateway;

use std::fs;
use std::path::Path;
use std::time::Duration;

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

fn start(home: &Home, file: &Value, flags: &[&str]) -> Gateway {
    let file = home.put("toolwright.json", &file.to_string()).display().to_string();
    let flags = [&["--config", &file, "--rate", "0"], flags].concat();
    let arguments = [&["serve", "--port", "0", "--json"], &flags[..]].concat();
    let said = fs::File::create(home.path().join("said")).expect("a file");
    Gateway::of(home.command(&arguments).stderr(said))
}

fn said(home: &Home) -> String {
    fs::read_to_string(home.path().join("said")).unwrap_or_default()
}

fn read(gateway: &Gateway, path: &str) {
    let params = json!({ "name": "builtin__files__read_file", "arguments": { "path": path } });
    let _ = gateway.modern("/mcp/all", "tools/call", params);
}

fn exported(home: &Home) -> String {
    home.run(&["audit", "export"]).1
}

fn end(mut gateway: Gateway) {
    gateway.signal("TERM");
    assert!(gateway.end(Duration::from_secs(20)).is_some_and(|status| status.success()));
}

/// The files of the journal.
fn segments(home: &Home) -> usize {
    let journal = home.path().join("state/toolwright/journal/main");
    let names = fs::read_dir(journal).expect("a folder").flatten();
    names.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl")).count()
}

#[test]
fn the_sizes_of_the_file_are_those_of_the_journal() {
    let home = Home::new();
    let file = json!({ "ledger": { "segmentBytes": 4096, "keepBytes": 12288 } });
    let gateway = start(&home, &file, &[]);
    for number in 0..60 {
        read(&gateway, &format!("{number}-{}.txt", "x".repeat(300)));
    }
    until("old files go", || (2..=4).contains(&segments(&home)));
    let (code, verified, _) = home.run(&["audit", "verify"]);
    assert!(code == 0 && verified.contains("whole"), "{verified}");
}

#[test]
fn a_folder_for_numbers_comes_from_the_file_and_a_flag_counts_more() {
    let home = Home::new();
    let file = json!({ "ledger": { "logDir": "numbers" } });
    let at = |name: &str| home.work().join(name).join("normalizer_stats.json");
    let gateway = start(&home, &file, &[]);
    read(&gateway, "notes.md");
    // It is ours: no tool sees into it.
    let params = json!({ "name": "builtin__files__list_directory", "arguments": { "path": "numbers" } });
    let answer = gateway.modern("/mcp/all", "tools/call", params).expect("a result");
    assert_eq!(answer["isError"], json!(true), "{answer}");
    end(gateway);
    assert!(at("numbers").exists() && !at("others").exists());
    let gateway = start(&home, &file, &["--log-dir", "others"]);
    read(&gateway, "notes.md");
    end(gateway);
    assert!(at("others").exists());
}

#[test]
fn calls_are_not_run_without_a_journal_when_the_file_says_so_and_a_flag_counts_more() {
    let home = Home::new();
    // There is no place for the journal: a file stands where its folder should be.
    fs::create_dir_all(home.path().join("state/toolwright")).expect("a folder");
    fs::write(home.path().join("state/toolwright/journal"), "in the way").expect("written");
    let file = json!({ "ledger": { "onFailure": "block" } });
    let file = home.put("toolwright.json", &file.to_string()).display().to_string();
    let (code, _, told) = home.run(&["serve", "--port", "0", "--config", &file]);
    assert!(code != 0 && told.contains("calls cannot be written down"), "{code}: {told}");
    let file: Value = json!({ "ledger": { "onFailure": "block" } });
    let gateway = start(&home, &file, &["--without-journal", "allow"]);
    assert!(said(&home).contains("calls are NOT written down"), "{}", said(&home));
    drop(gateway);
}

#[test]
fn what_is_hidden_follows_the_file_and_what_needs_a_restart_is_said() {
    let home = Home::new();
    let file = json!({ "redact": { "patterns": ["emp-\\d+"], "keys": ["path"] } });
    let gateway = start(&home, &file, &[]);
    read(&gateway, "first.txt");
    let params =
        json!({ "name": "builtin__files__list_directory", "arguments": { "bogus": "emp-1234 and emp-x" } });
    let _ = gateway.modern("/mcp/all", "tools/call", params);
    let text = exported(&home);
    assert!(text.contains(r#""path":"[redacted:"#), "{text}");
    assert!(!text.contains("emp-1234") && text.contains("emp-x"), "{text}");

    let file = json!({ "redact": { "patterns": ["second"] }, "ledger": { "durability": "power" } });
    home.put("toolwright.json", &file.to_string());
    until("it is read again", || said(&home).contains("ledger: in force after a restart"));
    assert!(said(&home).contains("what is hidden in records has changed"), "{}", said(&home));
    read(&gateway, "second.txt");
    read(&gateway, "third.txt");
    let text = exported(&home);
    assert!(!text.contains("second.txt") && text.contains("third.txt"), "{text}");

    // A mistake changes nothing, and nothing that was hidden is shown.
    home.put("toolwright.json", &json!({ "redact": { "patterns": ["("] } }).to_string());
    until("the mistake is told", || said(&home).contains("this regular expression cannot be used"));
    read(&gateway, "second-again.txt");
    assert!(!exported(&home).contains("second-again"));
}

#[test]
fn a_mistake_about_what_is_hidden_keeps_the_gateway_from_starting() {
    let home = Home::new();
    let file =
        home.put("toolwright.json", "{\n  \"redact\": {\"patterns\": [\"(\"]}\n}").display().to_string();
    let (code, _, told) = home.run(&["serve", "--port", "0", "--config", &file]);
    assert_ne!(code, 0);
    assert!(told.contains(":2:") && told.contains("this regular expression cannot be used"), "{told}");
    assert!(!Path::new(&home.path().join("state/toolwright/journal")).exists());
}

#[test]
fn a_secret_of_the_settings_is_never_written_down() {
    let home = Home::new();
    let file = json!({ "telemetry": { "headers": { "x-team": "meadow-lark-of-ours" } } });
    let gateway = start(&home, &file, &[]);
    read(&gateway, "about meadow-lark-of-ours and meadow-lark.txt");
    let text = exported(&home);
    assert!(!text.contains("lark-of-ours") && text.contains("meadow-lark.txt"), "{text}");
}
