//! `toolwright servers`, `tools` and `call` with servers: what is shown, what is said of broken ones, and
//! that nothing is left behind.

#![cfg(unix)]

use crate::program;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use program::command;
use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(60);

/// A program of the testkit, which the build puts beside ours.
fn beside(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright")).with_file_name(name);
    assert!(program.exists(), "{} is missing: cargo build -p toolwright-testkit", program.display());
    program
}

/// A user's folder with a configuration.
struct Desk(TempDir);

impl Desk {
    fn new(servers: &Value) -> Desk {
        Desk::with(&json!({"mcpServers": servers}))
    }

    fn with(configuration: &Value) -> Desk {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("servers.json"), configuration.to_string()).expect("written");
        Desk(folder)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command.arg("--config").arg(self.0.path().join("servers.json"));
        command.env("XDG_STATE_HOME", self.0.path().join("state")).env("XDG_RUNTIME_DIR", self.0.path());
        command
    }

    /// Exit code, standard output and standard error.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).output().expect("the program ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }
}

fn switch(arguments: &[&str]) -> Value {
    json!({"command": beside("switch-server"), "args": arguments})
}

fn is_running(pid: u64) -> bool {
    // A dead process that nobody has asked for yet has no command line any more.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn servers_are_shown_in_a_table_with_what_is_wrong() {
    let secret = json!({"command": "sh", "args": ["-c", "echo password=hunter2-hunter2 wrong >&2; exit 7"]});
    let desk = Desk::new(&json!({
        "zwave": switch(&["--noisy"]),
        "missing": {"command": "no-such-program-anywhere"},
        "ends": secret,
        "off": {"command": "true", "disabled": true},
    }));
    let (code, stdout, stderr) = desk.run(&["servers"]);
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    let line =
        |name: &str| stdout.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{stdout}"));
    let cells = |name: &str| line(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let zwave = cells("zwave");
    assert_eq!(zwave[1..5], ["ready", "legacy", "2025-06-18", "stdio"]);
    assert_eq!(zwave[6..], ["0", "2"]);
    assert!(stdout.contains("no messages, skipped; the last: \"[debug] answering tools/list\""), "{stdout}");
    assert_eq!(cells("missing")[1], "backoff");
    assert!(stdout.contains("the program \"no-such-program-anywhere\" was not found"), "{stdout}");
    assert!(stdout.contains("ended with exit code 7") && stdout.contains("wrong"), "{stdout}");
    assert!(!stdout.contains("hunter2"), "{stdout}");
    assert_eq!(cells("off")[1], "disabled");
}

#[test]
fn a_tool_that_cannot_be_used_is_shown_with_its_reason_and_the_others_work() {
    let server = r#"while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*) result='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='"result":{"tools":[{"name":"bad","inputSchema":{"type":"objct"}},{"name":"good","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) result='"result":{"content":[{"type":"text","text":"done"}]}' ;;
    *) result='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done"#;
    let desk = Desk::new(&json!({"notes": {"command": "sh", "args": ["-c", server]}}));
    let (_, stdout, stderr) = desk.run(&["servers"]);
    let why = "the tool \"bad\" from notes cannot be registered: its input schema";
    assert!(stdout.contains(why), "{stdout}{stderr}");
    let (_, stdout, stderr) = desk.run(&["tools", "list"]);
    assert!(stderr.contains(why) && stdout.contains("good"), "{stdout}{stderr}");
    let (code, stdout, stderr) = desk.run(&["call", "notes/good", "{}"]);
    assert_eq!((code, stdout.trim()), (0, "done"), "{stderr}");
}

#[test]
fn json_tells_the_same_to_programs_and_nothing_is_left_behind() {
    let desk = Desk::new(&json!({"zwave": switch(&[])}));
    let (code, stdout, stderr) = desk.run(&["servers", "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let views: Value = serde_json::from_str(&stdout).expect("JSON");
    let zwave = &views[0];
    for (key, expected) in [
        ("name", json!("zwave")),
        ("toolbox", json!("default")),
        ("state", json!("ready")),
        ("era", json!("legacy")),
        ("transport", json!("stdio")),
        ("restarts", json!(0)),
        ("tools", json!(2)),
        ("tools_are_current", json!(true)),
        ("server", json!("switch 1.0.0")),
        ("last_error", Value::Null),
    ] {
        assert_eq!(zwave[key], expected, "{key} of {zwave}");
    }
    assert!(zwave["stderr_tail"].as_str().expect("text").contains("[debug] asked for tools/list"));
    assert!(!is_running(zwave["pid"].as_u64().expect("a pid")));
}

#[test]
fn logs_are_what_a_server_wrote_to_stderr() {
    let desk = Desk::new(&json!({"zwave": switch(&[])}));
    let (code, stdout, _) = desk.run(&["servers", "logs", "zwave"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("[debug] switch server started\n[debug] asked for initialize\n"), "{stdout}");
}

#[test]
fn wrong_use_is_told_with_what_to_do() {
    let desk = Desk::new(&json!({"zwave": switch(&[])}));
    for (arguments, said) in [
        (&["servers", "logs", "zwafe"][..], "there is no server \"zwafe\""),
        (&["servers", "restart", "zwave"], "no gateway is running with this configuration"),
        (&["servers", "login", "zwave"], "is a program on this machine and wants no login"),
    ] {
        let (code, stdout, stderr) = desk.run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(said) && stderr.contains("fix: "), "{stderr}");
    }
    let output = command(&["servers", "--config", "/no/such/file.json"]).output().expect("the program ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("/no/such/file.json"), "{stderr}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_call_of_one_server_starts_no_other() {
    let desk = Desk::new(&json!({
        "zwave": switch(&[]),
        "other": {"command": "sh", "args": ["-c", "touch started; exit 1"], "cwd": "."},
    }));
    let sent = r#"{"device_name": "Switch One", "command": "on"}"#;
    let (code, stdout, stderr) = desk.run(&["call", "zwave/control_zwave_device", sent]);
    assert_eq!(
        (code, stdout.as_str()),
        (0, "{\"deviceName\":\"Switch One\",\"action\":\"on\"}\n"),
        "{stderr}"
    );
    assert!(stderr.contains("+ control_zwave_device"), "{stderr}");
    let (_, stdout, _) = desk.run(&["call", "zwave/configure", "{}", "--json"]);
    let answer: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(answer["result"], json!({"content": [{"type": "text", "text": "{}"}]}), "the whole result");
    assert!(!desk.0.path().join("started").exists());
    let (code, _, stderr) = desk.run(&["call", "other/anything"]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("the server 'other' cannot be used: the server ended with exit code 1"),
        "{stderr}"
    );
}

#[test]
fn a_bare_name_is_found_among_all_servers_and_broken_ones_are_named_when_it_is_not() {
    let desk = Desk::new(&json!({"zwave": switch(&[]), "gone": {"command": "no-such-program-anywhere"}}));
    let (code, stdout, stderr) = desk.run(&["call", "configure", r#"{"value": "3"}"#]);
    assert_eq!((code, stdout.as_str()), (0, "{\"value\":3}\n"), "{stderr}");
    let (code, _, stderr) = desk.run(&["call", "unheard_of"]);
    assert_eq!(code, 1);
    assert!(stderr.contains("warning: the server 'gone' cannot be used"), "{stderr}");
    let (code, stdout, stderr) = desk.run(&["tools"]);
    assert!(code == 0 && stdout.contains("control_zwave_device") && stdout.contains("zwave"), "{stdout}");
    assert!(stderr.contains("warning: the server 'gone' cannot be used"), "{stderr}");
}

/// `servers watch` in the background; killed when it is dropped.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_watched_server_is_seen_and_restarted_from_outside_and_ends_with_the_watch() {
    let desk = Desk::new(&json!({"zwave": switch(&[])}));
    let mut watching = desk.command(&["servers", "watch"]);
    let child = watching.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut watch = Watch(child);
    let mut lines = BufReader::new(watch.0.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    while !next().contains("zwave  ready (legacy 2025-06-18, 2 tools)") {}
    let seen = || {
        let (_, stdout, stderr) = desk.run(&["servers", "--json"]);
        let views: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
        (views[0]["pid"].as_u64().expect("a pid"), views[0]["restarts"].as_u64().expect("a number"))
    };
    let (first, restarts) = seen();
    assert!(is_running(first) && restarts == 0, "the servers are those of the watch");
    let (code, stdout, stderr) = desk.run(&["servers", "restart", "zwave"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let (second, restarts) = seen();
    assert!(second != first && restarts == 1 && !is_running(first));
    // One that dies comes back by itself.
    Command::new("kill").args(["-9", &second.to_string()]).status().expect("kill");
    wait_until("the next one", || seen_alive(&desk, second));
    let (code, stdout, _) = desk.run(&["servers", "logs", "zwave"]);
    assert!(code == 0 && stdout.contains("[debug] switch server started"), "{stdout}");
    let (code, _, stderr) = desk.run(&["servers", "watch"]);
    assert!(code == 2 && stderr.contains("running with this configuration already"), "{stderr}");
    let (third, _) = seen();
    Command::new("kill").args(["-INT", &watch.0.id().to_string()]).status().expect("kill");
    assert_eq!(watch.0.wait().expect("it ends").code(), Some(0));
    assert!(!is_running(third));
}

fn seen_alive(desk: &Desk, not: u64) -> bool {
    let (_, stdout, _) = desk.run(&["servers", "--json"]);
    let views: Value = serde_json::from_str(&stdout).unwrap_or_default();
    views[0]["state"] == "ready" && views[0]["pid"].as_u64().is_some_and(|pid| pid != not)
}

#[test]
fn a_killed_watch_leaves_no_server_behind() {
    let stubborn = json!({"command": "sh", "args": ["-c", "trap '' TERM; while :; do sleep 1; done"]});
    let desk = Desk::new(&json!({"zwave": switch(&[]), "stubborn": stubborn}));
    let mut watching = desk.command(&["servers", "watch"]);
    let child = watching.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut watch = Watch(child);
    let mut lines = BufReader::new(watch.0.stdout.take().expect("a pipe")).lines();
    while !lines.next().expect("a line").expect("text").contains("zwave  ready") {}
    let own = watch.0.id();
    let children = move || -> Vec<u64> {
        let all = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        all.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    };
    wait_until("both servers and the guardian", || children().len() == 3);
    let children = children();
    watch.0.kill().expect("killed");
    watch.0.wait().expect("it ends");
    wait_until("the end of them all", || children.iter().all(|pid| !is_running(*pid)));
}

#[test]
fn of_two_servers_of_one_name_none_is_guessed() {
    let desk = Desk::with(&json!({
        "mcpServers": {"a": switch(&[])},
        "toolboxes": {"test": {"description": "for tests", "mcpServers": {"a": switch(&[])}}},
    }));
    let (code, stdout, stderr) = desk.run(&["call", "a/configure"]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert!(stderr.contains("fix: call default.a/configure or test.a/configure"), "{stderr}");
    let (code, stdout, _) = desk.run(&["call", "test.a/configure"]);
    assert_eq!((code, stdout.as_str()), (0, "{}\n"));
}

#[test]
fn a_server_that_cannot_be_used_is_json_where_that_was_asked_for() {
    let desk = Desk::new(&json!({"ends": {"command": "sh", "args": ["-c", "echo wrong >&2; exit 3"]}}));
    let (code, stdout, stderr) = desk.run(&["call", "ends/anything", "{}", "--json"]);
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    assert_eq!((code, stderr.as_str(), &answer["ok"]), (1, "", &json!(false)));
    assert_eq!(answer["error"]["code"], "unavailable");
    let details = answer["error"]["details"].as_str().expect("text");
    assert!(details.contains("exit code 3") && details.contains("wrong"), "{details}");
}

/// Answers every request with a status and everything that it was sent.
fn echoing(status: &'static str) -> u16 {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut sent = vec![0; 64 << 10];
            let length = stream.read(&mut sent).expect("a request");
            let body = String::from_utf8_lossy(&sent[..length]).replace("\r\n", " | ");
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            // One who does not wait for it is served all the same.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn no_secret_that_a_server_says_back_is_shown() {
    let port = echoing("500 Oops");
    let desk = Desk::new(&json!({
        "echo": {
            "url": format!("http://127.0.0.1:{port}/mcp?api_key=url-secret-1"),
            "headers": {"Authorization": "Bearer header-secret-2", "X-Other": "${OTHER}"},
        },
        "gone": {"url": "http://u:url-secret-3@127.0.0.1:9/mcp?token=url-secret-4"},
        "line": {"command": "no-such-program --token line-secret-5"},
    }));
    for arguments in [
        &["servers"][..],
        &["call", "echo/x", "{}", "--json"],
        &["servers", "login", "gone"],
        &["servers", "login", "echo"],
    ] {
        let mut command = desk.command(arguments);
        let output = command.env("OTHER", "other-secret-6").env("TOOLWRIGHT_LOG", "trace").output();
        let output = output.expect("the program ends");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).expect("UTF-8");
            assert!(!text.contains("-secret-"), "{arguments:?}: {text}");
        }
    }
}
