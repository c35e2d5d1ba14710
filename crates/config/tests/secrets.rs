//! Secrets of a server that must not appear in logs.

use crate::support;

use support::{clean, entry};

fn secrets(text: &str) -> Vec<String> {
    entry(text).secrets()
}

#[test]
fn values_from_the_environment_and_of_secret_keys_are_hidden() {
    for (text, hidden) in [
        (r#"{"command": "x", "env": {"ANY": "${TOKEN}"}}"#, vec!["t0ken-of-ann"]),
        (r#"{"command": "x", "env": {"ANY": "id:${TOKEN}"}}"#, vec!["id:t0ken-of-ann", "t0ken-of-ann"]),
        (r#"{"command": "x", "env": {"API_KEY": "hunter2"}}"#, vec!["hunter2"]),
        (r#"{"command": "x", "env": {"API_KEY": "short"}}"#, vec![]),
        (r#"{"command": "x", "env": {"LEVEL": "verbose"}}"#, vec![]),
        (r#"{"command": "x", "env": {"LEVEL": "${LEVEL:-verbose}"}}"#, vec![]),
        (r#"{"command": "x", "env": {"DIR": "${HOME}/data"}}"#, vec![]),
        (r#"{"command": "x", "args": ["--token", "${TOKEN}"]}"#, vec!["t0ken-of-ann"]),
        (r#"{"command": "x", "args": ["--token", "hunter2", "--dir", "folder"]}"#, vec!["hunter2"]),
        (r#"{"command": "x", "args": ["--api-key=hunter2", "-y"]}"#, vec!["hunter2"]),
        (r#"{"command": "x", "args": ["ghp_0123456789abcdef"]}"#, vec!["ghp_0123456789abcdef"]),
        (r#"{"command": "x", "env_from": ["TOKEN", "PORT", "HOME"]}"#, vec!["t0ken-of-ann"]),
        (
            r#"{"url": "http://localhost/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}"#,
            vec!["Bearer t0ken-of-ann", "t0ken-of-ann"],
        ),
        (
            r#"{"url": "http://localhost/mcp", "headers": {"Authorization": "Bearer hunter2"}}"#,
            vec!["Bearer hunter2", "hunter2"],
        ),
        (r#"{"url": "http://localhost/mcp", "headers": {"X-Trace": "plain-text"}}"#, vec![]),
        (r#"{"url": "http://localhost/mcp?key=hunter2&page=second"}"#, vec!["hunter2"]),
        (r#"{"url": "http://ann:hunter2@localhost/mcp"}"#, vec!["hunter2"]),
        (r#"{"url": "${API_URL}/mcp"}"#, vec![]),
    ] {
        assert_eq!(secrets(text), hidden, "{text}");
    }
}

#[test]
fn longest_secret_comes_first() {
    let server = entry(r#"{"command": "x", "env": {"A_TOKEN": "secret", "B_TOKEN": "secret-and-more"}}"#);
    assert_eq!(server.secrets(), ["secret-and-more", "secret"]);
    assert_eq!(server.redacted("secret-and-more, secret"), "[redacted], [redacted]");
}

#[test]
fn debug_output_contains_no_secret() {
    let configuration = clean(
        r#"{"mcpServers": {
            "a": {"command": "x", "args": ["--token", "hunter2-arg"], "env": {"K": "${TOKEN}", "PASSWORD": "hunter2-env"}},
            "b": {"url": "http://ann:hunter2-url@localhost/mcp?token=hunter2-query", "headers": {"Cookie": "hunter2-header"}}}}"#,
    );
    let mut printed = format!("{configuration:?} {configuration:#?}");
    for (_, server) in configuration.servers() {
        printed.push_str(&server.describe());
    }
    assert!(!printed.contains("hunter2") && !printed.contains("t0ken"), "{printed}");
    assert!(printed.contains("x --token [redacted]"), "{printed}");
}
