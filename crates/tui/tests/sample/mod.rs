//! API responses of a gateway, and states made from them.

use serde_json::{Value, json};
use toolwright_tui::api_types::{ApiCall, ApiStatus, ApiSuggestion, numbers};
use toolwright_tui::state::{News, Older, PageKey, PageState};

/// The current time of the tests.
pub const NOW: &str = "2026-03-16T09:30:00Z";

/// A call that ended this number of seconds after nine.
pub fn call(number: u64, besides: &Value) -> ApiCall {
    let mut said = json!({
        "ts": format!("2026-03-16T09:{:02}:{:02}Z", number / 60 % 60, number % 60),
        "tool": "read_file", "server": "files", "req_id": format!("01J9{number:06}"), "duration_ms": 12.34,
        "node": "main", "seq": number, "state": "ok", "client": "claude-code", "front": "mcp", "session_id": "s-7",
        "changes": [], "arguments": { "path": format!("note {number}.md") },
    });
    for (key, value) in besides.as_object().into_iter().flatten() {
        said[key] = value.clone();
    }
    ApiCall::read(said.to_string().as_bytes()).expect("a call")
}

/// A repaired call.
pub fn repaired(number: u64) -> ApiCall {
    call(
        number,
        &json!({
            "tool": "send_note", "server": "notes", "client": "cursor",
            "arguments": { "recipient": "anna", "payload": "buy milk", "urgent": "true" },
            "normalized": { "recipient": "anna", "prose": "buy milk", "urgent": true },
            "changes": [
                { "code": "N3", "path": "/payload", "from": "\"payload\"", "to": "\"prose\"", "rule": "learned-0a1b2c" },
                { "code": "T1", "path": "/urgent", "from": "\"true\"", "to": "true" },
            ],
        }),
    )
}

/// An invalid call.
pub fn refused(number: u64) -> ApiCall {
    let error = "\"prose\" is missing, and \"message\" could be it or \"subject\".\nSend \"prose\".";
    call(
        number,
        &json!({ "tool": "send_note", "server": "notes", "state": "error", "error": error, "error_code": "invalid_arguments" }),
    )
}

/// A call that tries to control the terminal, with characters of many scripts.
pub fn hostile(number: u64) -> ApiCall {
    let long = "長い名前".repeat(20);
    call(
        number,
        &json!({
            "tool": format!("\u{1b}[2J\u{1b}[31mred\u{7}\u{202e}{long}"), "server": "e\u{301}vil\r\nserver",
            "client": "日本語のクライアント", "arguments": { "text": "\u{9b}2J\u{1b}]0;title\u{7}👩\u{200d}👩\u{200d}👧 \u{200b}end" },
            "state": "error", "error": "tool \u{1b}[5m said\u{0}no", "error_code": "tool_error", "error_is_from_tool": true,
        }),
    )
}

pub fn status(besides: &Value) -> ApiStatus {
    let mut said = json!({
        "status": "ok", "problems": [], "version": "0.1.0", "address": "http://127.0.0.1:8484", "uptime_seconds": 7_440,
        "servers": [
            { "name": "files", "toolbox": "default", "state": "ready", "era": "modern", "tools": 9, "problem": null },
            { "name": "notes", "toolbox": "default", "state": "ready", "era": "legacy", "tools": 1, "problem": null },
            { "name": "weather", "toolbox": "work", "state": "resting", "era": null, "tools": 3, "problem": null },
        ],
        "last_hour": { "calls": 42, "errors": 3, "repaired": 7 }, "suggestions": 1,
    });
    for (key, value) in besides.as_object().into_iter().flatten() {
        said[key] = value.clone();
    }
    serde_json::from_value(said).expect("a status")
}

/// A status with one failing server.
pub fn degraded() -> ApiStatus {
    let why = "the program \"uvx\" was not found\nstderr: sh: 1: uvx: not found";
    let servers = json!([
        { "name": "files", "toolbox": "default", "state": "ready", "era": "modern", "tools": 9, "problem": null },
        { "name": "time", "toolbox": "default", "state": "backoff", "era": null, "tools": 0, "problem": why },
    ]);
    let problem = "the server 'time' cannot be used: the program \"uvx\" was not found";
    status(&json!({ "status": "degraded", "problems": [problem], "servers": servers }))
}

pub fn suggestions() -> Vec<ApiSuggestion> {
    let suggestion = |id: &str, status: &str, rule: Value| {
        json!({
            "id": id, "status": status, "tool": "notes/send_note", "rule": rule, "confidence": 0.75,
            "reason": "calls that were refused for \"payload\" were sent again with \"prose\" and the same value",
            "evidence": { "observations": 3, "sessions": 2, "against": 0 },
            "replay": { "mends": 3, "of": 3, "changes_good": 0 },
        })
    };
    let said = json!({ "policy": "suggest", "suggestions": [
        suggestion("0a1b2c3d4e5f", "suggested", json!({ "type": "param_alias", "from": "payload", "to": "prose" })),
        suggestion("a1a1a1a1a1a1", "active", json!({ "type": "type_coerce", "from": "urgent", "coerce_to": "bool" })),
    ] });
    ApiSuggestion::read_all(said.to_string().as_bytes()).expect("suggestions")
}

/// The page of a gateway with some history.
pub fn state() -> PageState {
    let mut state = PageState::new();
    state.resize(24);
    state.tick(NOW.parse().expect("a moment"));
    state.take(News::Status(Box::new(status(&json!({})))));
    let counted = json!({ "by_server": [{ "server": "notes", "count": 30, "errors": 3, "normalized": 7 }] });
    state.take(News::Numbers(numbers(counted.to_string().as_bytes()).expect("numbers")));
    state.take(News::Suggestions(suggestions()));
    let before = (1..=40).map(|number| call(number, &json!({}))).collect();
    state.take(News::Before(before, Older::None));
    for call in [refused(41), hostile(42), repaired(43)] {
        state.take(News::Call(Box::new(call)));
    }
    state
}

/// Presses each key of a text.
pub fn write(state: &mut PageState, text: &str) {
    for char in text.chars() {
        state.press(PageKey::Char(char));
    }
}
