//! A configuration that changes while the gateway runs.

#![cfg(unix)]

mod gateway;
mod program;

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
    home.put("toolwright.json", &json!({ "mcpServers": { "one": one } }).to_string());
    gateway.signal("HUP");
    until("the second server is gone", || !has("two__"));
    assert!(works());
    until("its process is gone", || processes_with(&mark).len() == 1);
}
