//! A client of the gateway does not come by the gateway's own files with the files tools.

#![cfg(unix)]

use crate::gateway;

use std::time::Duration;

use gateway::{Gateway, Home, processes_with};
use serde_json::{Value, json};

#[test]
fn a_client_neither_starts_programs_nor_reads_tokens() {
    let home = Home::new();
    let first = r#"{"builtinTools": true, "mcpServers": {}}"#;
    let file = home.put("toolwright.json", first);
    let whole = home.path().display().to_string();
    // As if it was started in the home folder, with the configuration in the current one.
    let gateway = Gateway::start(&home, &["--root", ".", "--root", &whole, "--rate", "0"]);
    let list = || gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
    let name_of = |tool: &str| -> String {
        let listed = list();
        let mut names =
            listed["tools"].as_array().expect("tools").iter().filter_map(|it| it["name"].as_str());
        names.find(|name| name.ends_with(tool)).expect("the tool").to_owned()
    };
    let call = |tool: &str, arguments: Value| -> String {
        let params = json!({ "name": name_of(tool), "arguments": arguments });
        match gateway.modern("/mcp/all", "tools/call", params) {
            Ok(result) => result.to_string(),
            Err(error) => error.to_string(),
        }
    };
    let before = list();
    let mark = format!("kept-out-{}", whole.replace('/', "-"));
    let evil = json!({ "builtinTools": true, "mcpServers": { "evil": { "command": "sleep", "args": ["60", mark] } } });
    let config = home.path().join("config/toolwright/toolwright.json").display().to_string();
    for path in ["toolwright.json", "workbench-config.json", &config] {
        let said = call("write_to_file", json!({ "path": path, "content": evil.to_string(), "force": true }));
        assert!(said.contains("a file of the gateway itself"), "{path}: {said}");
    }
    // Longer than a reload takes.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), first);
    assert_eq!(list(), before);
    assert!(processes_with(&mark).is_empty());
    for name in ["token", "seal-key"] {
        let path = home.path().join("state/toolwright").join(name);
        assert!(path.is_file(), "{} is not there", path.display());
        let said = call("read_file", json!({ "path": path.display().to_string() }));
        assert!(said.contains("a file of the gateway itself"), "{name}: {said}");
    }
    let found = call("search_files", json!({ "path": whole, "pattern": gateway.token }));
    assert!(found.contains("No line holds"), "{found}");
    assert!(call("read_file", json!({ "path": "notes.md" })).contains("buy milk"));
}
