//! A graceful shutdown leaves no process behind, also while servers that ignore the end of their stdin are starting.

#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Gateway, Home, modern_request, processes_with, until};

/// How many servers are still starting.
const STARTING: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);

/// Servers that never answer, read nothing and stay when their stdin is closed, with a word that their processes can
/// be found by. Every second one ignores SIGTERM as well.
fn stuck(home: &Home) -> (String, String) {
    let mark = format!("stuck-in {}", home.path().display());
    let server = |number: usize| {
        let trap = if number.is_multiple_of(2) { "trap '' TERM; " } else { "" };
        json!({ "command": "sh", "args": ["-c", format!(": {mark}; {trap}while :; do sleep 0.2; done")] })
    };
    let servers: Value = (0..STARTING).map(|number| (format!("stuck{number}"), server(number))).collect();
    let file = home.put("toolwright.json", &json!({ "mcpServers": servers }).to_string());
    (file.display().to_string(), mark)
}

fn all_started(mark: &str) {
    until("the start of all servers", || processes_with(mark).len() == STARTING);
}

fn none_is_left(mark: &str) {
    // The guardian ends what could not be ended in time, a moment after the program.
    until("the end of all servers", || processes_with(mark).is_empty());
}

#[test]
fn serve_ended_by_sigterm_leaves_no_server_that_was_starting() {
    let home = Home::new();
    let (file, mark) = stuck(&home);
    let mut gateway = Gateway::start(&home, &["--config", &file]);
    let (body, headers) = modern_request("tools/list", json!({}));
    let (port, headers) = (gateway.port, format!("{}{headers}", gateway.headers()));
    let asking = std::thread::spawn(move || {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        let length = body.len();
        let request = format!(
            "POST /mcp/all HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        // Whatever is answered, the servers are asked for.
        let _ = BufReader::new(stream).read_line(&mut String::new());
    });
    all_started(&mark);
    gateway.signal("TERM");
    assert!(gateway.end(PATIENCE).is_some(), "it ends");
    none_is_left(&mark);
    asking.join().expect("asked");
}

#[test]
fn stdio_whose_input_is_closed_leaves_no_server_that_was_starting() {
    let home = Home::new();
    let (file, mark) = stuck(&home);
    let mut command = home.command(&["stdio", "--all", "--config", &file]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.as_mut().expect("it starts");
    let mut input = child.stdin.take().expect("stdin");
    let client = json!({ "name": "test", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    for message in [
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }),
    ] {
        writeln!(input, "{message}").expect("sent");
    }
    all_started(&mark);
    drop(input);
    assert!(child.wait().expect("it ends").success());
    none_is_left(&mark);
}

#[test]
fn a_command_that_gave_up_waiting_leaves_no_server_that_was_starting() {
    for arguments in [&["call", "stuck0/anything", "--timeout", "1"][..], &["doctor", "--timeout", "1"]] {
        let home = Home::new();
        let (file, mark) = stuck(&home);
        let (code, ..) = home.run(&[arguments, &["--config", &file]].concat());
        assert_ne!(code, 0, "{arguments:?}");
        none_is_left(&mark);
    }
}
