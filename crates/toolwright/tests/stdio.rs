//! `toolwright stdio` as a client starts it.

#![cfg(unix)]

use crate::gateway;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use gateway::Home;
use serde_json::{Value, json};

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Client {
    fn start(home: &Home, flags: &[&str]) -> Client {
        let mut child = home
            .command(&[&["stdio"], flags].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("stdout"));
        Client { child, input, output: BufReader::new(output) }
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{message}").expect("sent");
    }

    /// Asks and waits for the answer with the same id.
    fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("a line"), 0, "it ended");
            let message: Value = serde_json::from_str(&line).expect("only messages are on standard output");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn begin(&mut self) {
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
        });
        let answer = self.ask(0, "initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    fn end(mut self) -> i32 {
        drop(self.input.take());
        let late = Instant::now() + Duration::from_secs(60);
        while Instant::now() < late {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code().unwrap_or(-1);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it did not end with its input");
    }
}

#[test]
fn a_client_lists_and_calls_and_it_ends_with_its_input() {
    let home = Home::new();
    let mut client = Client::start(&home, &["--all"]);
    client.begin();
    let listed = client.ask(1, "tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let name = tools.iter().filter_map(|tool| tool["name"].as_str()).find(|name| name.ends_with("read_file"));
    let call = json!({ "name": name.expect("a tool"), "arguments": { "file_path": "notes.md" } });
    let result = client.ask(2, "tools/call", call);
    assert!(result.to_string().contains("buy milk"), "{result}");
    assert_eq!(client.end(), 0);
}

#[test]
fn a_client_without_flags_gets_the_meta_tools_and_one_toolbox_gets_its_tools() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    client.begin();
    let listed = client.ask(1, "tools/list", json!({})).to_string();
    assert!(listed.contains("open_toolbox") && listed.contains("use_tool"), "{listed}");
    assert_eq!(client.end(), 0);
    let mut client = Client::start(&home, &["--toolbox", "builtin"]);
    client.begin();
    let listed = client.ask(1, "tools/list", json!({})).to_string();
    assert!(listed.contains("read_file") && !listed.contains("open_toolbox"), "{listed}");
    assert_eq!(client.end(), 0);
}

#[test]
fn an_unknown_toolbox_is_told_with_those_that_are_there() {
    let home = Home::new();
    let (code, stdout, stderr) = home.run(&["stdio", "--toolbox", "other"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    insta::assert_snapshot!(stderr);
    assert_eq!(home.run(&["stdio", "--toolbox", "builtin", "--all"]).0, 2);
}

/// A server with a tool that deletes rows; what it is called with is written into the file `called`.
const ROWS: &str = r#"while IFS= read -r line; do
  id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case "$line" in
    *'"method":"initialize"'*) result='"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"rows","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='"result":{"tools":[{"name":"delete_rows","inputSchema":{"type":"object","properties":{"filter":{"type":"object"}},"additionalProperties":false}}]}' ;;
    *'"method":"tools/call"'*) printf '%s\n' "$line" >> "$CALLED"; result='"result":{"content":[{"type":"text","text":"deleted"}]}' ;;
    *) result='"error":{"code":-32601,"message":"Method not found"}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$result"
done"#;

#[test]
fn null_for_all_arguments_of_a_tool_that_deletes_is_refused() {
    let home = Home::new();
    let (called, file) = (home.path().join("called"), home.path().join("rows.json"));
    let server = json!({ "command": "sh", "args": ["-c", ROWS], "env": { "CALLED": called } });
    std::fs::write(&file, json!({ "mcpServers": { "rows": server } }).to_string()).expect("written");
    let file = file.display().to_string();
    let mut client = Client::start(&home, &["--all", "--config", &file]);
    client.begin();
    client.ask(1, "tools/list", json!({}));
    let refused = client.ask(2, "tools/call", json!({ "name": "rows__delete_rows", "arguments": null }));
    assert!(refused.to_string().contains("may touch everything"), "{refused}");
    assert!(!called.exists(), "the server was called");
    let none = client.ask(3, "tools/call", json!({ "name": "rows__delete_rows" }));
    assert!(none.to_string().contains("deleted"), "{none}");
    assert_eq!(client.end(), 0);
    std::fs::remove_file(&called).expect("it was called");
    let mut client = Client::start(&home, &["--config", &file]);
    client.begin();
    client.ask(1, "tools/call", json!({ "name": "open_toolbox", "arguments": { "toolbox": "default" } }));
    let tool = json!({ "toolbox": "default", "server": "rows", "name": "delete_rows" });
    let sent = json!({ "name": "use_tool", "arguments": { "tool": tool, "arguments": null } });
    let refused = client.ask(2, "tools/call", sent);
    assert!(refused.to_string().contains("may touch everything"), "{refused}");
    assert!(!called.exists(), "the server was called");
    assert_eq!(client.end(), 0);
}

#[test]
fn a_front_without_local_tools_does_not_say_that_it_goes_on_with_them() {
    let home = Home::new();
    let file = home.path().join("away.json");
    let away = json!({ "mcpServers": { "zwave": { "command": "zwave-mcp-server-that-is-away" } } });
    std::fs::write(&file, away.to_string()).expect("written");
    let mut child = home
        .command(&["stdio", "--all", "--config", &file.display().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("stdin");
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }),
    ] {
        writeln!(input, "{message}").expect("sent");
    }
    let mut said = String::new();
    let lines = BufReader::new(child.stderr.take().expect("stderr")).lines();
    for line in lines.map_while(Result::ok) {
        said.push_str(&line);
        if line.contains("Continuing") {
            break;
        }
    }
    drop(input);
    let _ = child.kill();
    let _ = child.wait();
    assert!(said.contains("Continuing without it") && !said.contains("local tools"), "{said}");
}
