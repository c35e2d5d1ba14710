//! Nothing that comes through the port starts a program (T02): every path and method, with everything that
//! other gateways took a command from.

#![cfg(unix)]

use crate::gateway;

use gateway::{Gateway, Home};
use serde_json::json;

/// The processes whose parent is this one.
fn children(parent: u32) -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|id| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status
            .lines()
            .any(|line| line.strip_prefix("PPid:").is_some_and(|it| it.trim() == parent.to_string()))
    })
    .collect()
}

#[test]
fn no_path_method_or_field_starts_a_program() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &["--rate", "0"]);
    let before = children(gateway.child.id());
    let proof = home.path().join("started");
    let command = json!({
        "command": "touch", "args": [proof], "env": { "A": "b" }, "cwd": "/", "transport": "stdio", "type": "stdio",
        "url": format!("stdio://touch {}", proof.display()), "name": "evil", "toolbox": "builtin", "server": "evil",
    });
    let bodies = [
        command.clone(),
        json!({ "mcpServers": { "evil": command } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "servers/add", "params": command }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": { "experimental": command }, "clientInfo": command,
            "mcpServers": { "evil": command } } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "open_toolbox", "arguments": command } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "use_tool", "arguments": {
            "tool": { "toolbox": "builtin", "server": "evil", "name": "evil", "command": "touch" }, "arguments": command } } }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "touch", "arguments": command } }),
    ];
    let query = format!("?command=touch&args={}&transportType=stdio&env=A%3Db", proof.display());
    let paths = [
        "/",
        "/mcp",
        "/mcp/all",
        "/mcp/t/builtin",
        "/mcp/t/evil",
        "/healthz",
        "/readyz",
        "/metrics",
        "/servers",
        "/api/servers",
        "/stdio",
        "/sse",
        "/config",
        "/mcp-rest/test/connection",
        "/mcp/t/$(touch%20x)",
    ];
    for path in paths {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] {
            for body in &bodies {
                let headers = format!("{}X-Custom-Command: touch {}\r\n", gateway.headers(), proof.display());
                // A stream that stays open is no answer to wait for.
                if method == "GET" && path.starts_with("/mcp") {
                    continue;
                }
                let answer = gateway.send(method, &format!("{path}{query}"), &headers, &body.to_string());
                assert_ne!(answer.status, 0, "{method} {path}");
                assert_ne!(answer.status, 500, "{method} {path}: {}", answer.body);
            }
        }
    }
    assert_eq!(children(gateway.child.id()), before, "no child was started");
    assert!(!proof.exists(), "nothing was run");
    assert_eq!(gateway.send("GET", "/healthz", "", "").status, 200);
}
