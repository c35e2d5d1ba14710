//! The clients that people have: the MCP Inspector and Claude Code, as npm brings them.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;
use toolwright_testkit::load::Served;

use crate::{configuration, installed, one_each, programs, serve, server, url};

/// Longer than node takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs a program of npm with a home of its own; what it printed.
async fn run(program: &str, home: &Path, words: &[&str]) -> String {
    let node = installed::node();
    let programs = installed::client("npm-clients/node_modules/.bin");
    let folder = node.parent().expect("a folder").to_owned();
    let path = std::env::join_paths([folder, "/usr/local/bin".into(), "/usr/bin".into(), "/bin".into()]);
    let mut command = Command::new(programs.join(program));
    command.args(words).current_dir(home).stdin(Stdio::null()).kill_on_drop(true);
    command.env("HOME", home).env("PATH", path.expect("folders"));
    // It is to speak with us and with nobody else.
    command.env("DISABLE_TELEMETRY", "1").env("DISABLE_AUTOUPDATER", "1");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    for name in ["ANTHROPIC_API_KEY", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"] {
        command.env_remove(name);
    }
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {words:?}: {said}{told}");
    said.into_owned()
}

fn gateway() -> Served {
    serve(&[("echo", server("load-server", &[])), ("room", server("rmcp-server", &["--era", "modern"]))])
}

#[tokio::test]
async fn the_inspector_lists_and_calls() {
    let gateway = gateway();
    let home = tempfile::tempdir().expect("a folder");
    let all = url(&gateway, "/mcp/all");
    let start = ["--cli", all.as_str(), "--transport", "http", "--method"];
    let listed = run("mcp-inspector", home.path(), &[&start[..], &["tools/list"]].concat()).await;
    let listed: Value = serde_json::from_str(&listed).unwrap_or_else(|error| panic!("{error}: {listed}"));
    let tools = listed["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names.len(), 18, "{names:?}");
    let echo = names.iter().find(|name| name.ends_with("echo")).expect("echo");
    let words = ["tools/call", "--tool-name", echo, "--tool-arg", "text=hello there"];
    let called = run("mcp-inspector", home.path(), &[&start[..], &words].concat()).await;
    assert!(called.contains("hello there"), "{called}");
    let meta = url(&gateway, "/mcp");
    let start = ["--cli", meta.as_str(), "--transport", "http", "--method"];
    let listed = run("mcp-inspector", home.path(), &[&start[..], &["tools/list"]].concat()).await;
    assert!(listed.contains("open_toolbox") && listed.contains("use_tool"), "{listed}");
}

#[tokio::test]
async fn claude_code_is_connected_over_http_and_stdio() {
    let gateway = gateway();
    let home = tempfile::tempdir().expect("a folder");
    let claude = async |words: &[&str]| run("claude", home.path(), words).await;
    claude(&["mcp", "add", "--transport", "http", "over-http", &url(&gateway, "/mcp")]).await;
    let program = programs().toolwright;
    let program = program.to_str().expect("UTF-8");
    let file = configuration(&gateway);
    let file = file.to_str().expect("UTF-8");
    claude(&["mcp", "add", "over-stdio", "--", program, "stdio", "--all", "--config", file]).await;
    let listed = claude(&["mcp", "list"]).await;
    for name in ["over-http", "over-stdio"] {
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(line.contains("Connected"), "{listed}");
    }
    let got = claude(&["mcp", "get", "over-http"]).await;
    assert!(got.contains("Connected"), "{got}");
}

#[tokio::test]
async fn a_token_is_wanted_where_it_is_on() {
    let gateway = Served::start_guarded(&programs(), &one_each(&[("echo", server("load-server", &[]))]));
    let home = tempfile::tempdir().expect("a folder");
    let address = url(&gateway, "/mcp");
    run("claude", home.path(), &["mcp", "add", "--transport", "http", "without", &address]).await;
    let listed = run("claude", home.path(), &["mcp", "list"]).await;
    assert!(!listed.contains("Connected"), "{listed}");
    let mut added = Command::new(programs().toolwright);
    added.args(["token", "add", "claude"]).env("HOME", gateway.folder());
    added.env("XDG_STATE_HOME", gateway.folder());
    let added = added.output().await.expect("it runs");
    let said = String::from_utf8_lossy(&added.stdout).into_owned();
    assert!(added.status.success(), "{said}{}", String::from_utf8_lossy(&added.stderr));
    let token = said.split_whitespace().max_by_key(|word| word.len()).expect("a token").to_owned();
    let header = format!("Authorization: Bearer {token}");
    let words = ["mcp", "add", "--transport", "http", "with", &address, "--header", &header];
    run("claude", home.path(), &words).await;
    let listed = run("claude", home.path(), &["mcp", "list"]).await;
    let line = listed.lines().find(|line| line.starts_with("with:")).unwrap_or_default();
    assert!(line.contains("Connected"), "{listed}\n{}", gateway.log());
}

/// Runs `toolwright install` for a home, against the servers of a gateway.
async fn install(gateway: &Served, home: &Path, words: &[&str]) {
    let file = configuration(gateway);
    let mut command = Command::new(programs().toolwright);
    command.arg("install").args(words).arg("--config").arg(file).current_dir(home).stdin(Stdio::null());
    // The token is that of the gateway that runs.
    command.env("HOME", home).env("XDG_STATE_HOME", gateway.folder()).env_remove("XDG_CONFIG_HOME");
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("WORKBENCH_CONFIG");
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn claude_code_is_connected_by_what_install_writes() {
    let gateway = Served::start_guarded(&programs(), &one_each(&[("echo", server("load-server", &[]))]));
    let home = tempfile::tempdir().expect("a folder");
    // A file that Claude Code wrote itself is there first.
    run("claude", home.path(), &["mcp", "list"]).await;
    let before = std::fs::read_to_string(home.path().join(".claude.json")).ok();
    let address = format!("http://{}", gateway.address);
    install(&gateway, home.path(), &["claude-code", "--all"]).await;
    install(&gateway, home.path(), &["claude-code", "--name", "over-http", "--http", "--url", &address])
        .await;
    let listed = run("claude", home.path(), &["mcp", "list"]).await;
    for name in ["toolwright:", "over-http:"] {
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(line.contains("Connected"), "{listed}\n{}", gateway.log());
    }
    for name in ["over-http", "toolwright"] {
        install(&gateway, home.path(), &["claude-code", "--name", name, "--undo"]).await;
    }
    let listed = run("claude", home.path(), &["mcp", "list"]).await;
    assert!(!listed.contains("Connected"), "{listed}");
    if before.is_some() {
        assert!(home.path().join(".claude.json").exists());
    }
}

#[tokio::test]
async fn the_inspector_works_with_what_install_writes() {
    let gateway = Served::start_guarded(&programs(), &one_each(&[("echo", server("load-server", &[]))]));
    let home = tempfile::tempdir().expect("a folder");
    let address = format!("http://{}", gateway.address);
    install(&gateway, home.path(), &["claude-code", "--all"]).await;
    install(
        &gateway,
        home.path(),
        &["claude-code", "--name", "over-http", "--all", "--http", "--url", &address],
    )
    .await;
    let file = home.path().join(".claude.json");
    let file = file.to_str().expect("UTF-8");
    for name in ["toolwright", "over-http"] {
        let start = ["--cli", "--config", file, "--server", name, "--method"];
        let listed = run("mcp-inspector", home.path(), &[&start[..], &["tools/list"]].concat()).await;
        let listed: Value = serde_json::from_str(&listed).unwrap_or_else(|error| panic!("{error}: {listed}"));
        let tools = listed["tools"].as_array().expect("tools");
        let echo = tools.iter().filter_map(|tool| tool["name"].as_str()).find(|name| name.ends_with("echo"));
        let words = ["tools/call", "--tool-name", echo.expect("echo"), "--tool-arg", "text=hello there"];
        let called = run("mcp-inspector", home.path(), &[&start[..], &words].concat()).await;
        assert!(called.contains("hello there"), "{called}");
    }
}
