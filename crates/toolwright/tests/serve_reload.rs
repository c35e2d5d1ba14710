//! A configuration that changes while the gateway runs.

#![cfg(unix)]

use crate::gateway;

use std::path::{Path, PathBuf};
use std::time::Duration;

use gateway::{Gateway, Home, processes_with, until};
use serde_json::{Value, json};

fn beside(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name(name);
    assert!(program.exists(), "{} is missing: cargo build -p toolwright-testkit", program.display());
    program
}

#[test]
fn servers_come_and_go_with_the_file_and_a_wrong_file_changes_nothing() {
    let home = Home::new();
    let mark = format!("--mark={}", home.path().display());
    let one = json!({ "command": beside("hostile-server"), "args": ["--lists-habits", mark] });
    let two = json!({ "command": beside("switch-server"), "args": [mark] });
    let file = home.put("toolwright.json", &json!({ "mcpServers": { "one": one } }).to_string());
    let gateway = Gateway::start(&home, &["--config", &file.display().to_string(), "--rate", "0"]);
    let names = || -> Vec<String> {
        let listed = gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
        let tools = listed["tools"].as_array().expect("tools").clone();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    };
    let has = |server: &str| names().iter().any(|name| name.contains(server));
    let works = || {
        let call = json!({ "name": "default__one__crlf", "arguments": { "text": "hello" } });
        gateway.modern("/mcp/all", "tools/call", call).is_ok_and(|it: Value| it.to_string().contains("hello"))
    };
    until("the first server is there", || has("one__crlf"));
    assert!(!has("two__") && works());
    home.put("toolwright.json", &json!({ "mcpServers": { "one": one, "two": two } }).to_string());
    until("the second server is there", || has("two__"));
    assert!(works());
    home.put("toolwright.json", "{\"mcpServers\": {");
    std::thread::sleep(Duration::from_millis(2000));
    assert!(has("two__") && works(), "the last good configuration stays");
    let status = || home.run(&["status", "--config", &file.display().to_string()]).1;
    let wrong = "the configuration was changed and is not in force: ";
    assert!(status().contains(wrong), "{}", status());
    home.put("toolwright.json", &json!({ "mcpServers": { "one": one } }).to_string());
    gateway.signal("HUP");
    until("the second server is gone", || !has("two__"));
    assert!(works() && !status().contains(wrong), "{}", status());
    until("its process is gone", || processes_with(&mark).len() == 1);
}

#[test]
fn our_own_tools_come_and_go_and_a_server_that_is_switched_off_is_listed_no_more() {
    let home = Home::new();
    let one = json!({ "command": beside("hostile-server"), "args": ["--lists-habits"] });
    let two = json!({ "command": beside("switch-server") });
    let file = home.put("toolwright.json", &json!({ "mcpServers": { "one": one, "two": two } }).to_string());
    let gateway = Gateway::start(&home, &["--config", &file.display().to_string(), "--rate", "0"]);
    let has = |part: &str| {
        let listed = gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
        listed["tools"].to_string().contains(part)
    };
    until("both servers are there", || has("one__crlf") && has("two__"));
    assert!(!has("read_file"));
    let off = json!({ "command": beside("switch-server"), "disabled": true });
    let changed = json!({ "builtinTools": true, "mcpServers": { "one": one, "two": off } });
    home.put("toolwright.json", &changed.to_string());
    until("our own tools are there", || has("read_file"));
    until("the one that is off is gone", || !has("two__"));
    assert!(has("one__crlf"));
    let call = json!({ "name": "builtin__builtin__get_current_datetime", "arguments": {} });
    let answer = gateway.modern("/mcp/all", "tools/call", call).expect("it is called");
    assert_ne!(answer["isError"], json!(true), "{answer}");
    home.put("toolwright.json", &json!({ "mcpServers": { "one": one, "two": two } }).to_string());
    until("our own tools are gone", || !has("read_file"));
    until("the other server is back", || has("two__"));
}
