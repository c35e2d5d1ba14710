//! `toolwright serve` as a user runs it.

#![cfg(unix)]

use crate::gateway;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gateway::{Gateway, Home, until};
use serde_json::{Value, json};

/// What differs from run to run.
fn comparable(text: &str, home: &Home, port: u16) -> String {
    let home = std::fs::canonicalize(home.path()).expect("a path").display().to_string();
    text.replace(&home, "HOME").replace(&format!(":{port}"), ":PORT")
}

/// Starts it with these arguments and reads what it says until it waits.
fn spoken(home: &Home, arguments: &[&str]) -> (Gateway, String) {
    let mut child = home
        .command(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut text = String::new();
    for line in BufReader::new(child.stdout.take().expect("stdout")).lines() {
        let line = line.expect("a line");
        text.push_str(&line);
        text.push('\n');
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    let port = text.lines().next().and_then(|line| line.rsplit_once(':')).expect("a port").1;
    let port = port.parse().expect("a number");
    let token = std::fs::read_to_string(home.path().join("state/toolwright/token")).expect("a token");
    let token = token.trim().to_owned();
    (Gateway { child, said: Value::Null, port, token }, text)
}

#[test]
fn it_says_what_it_serves_and_what_to_do_next() {
    let home = Home::new();
    let (gateway, text) = spoken(&home, &["serve", "--port", "0"]);
    insta::assert_snapshot!(comparable(&text, &home, gateway.port));
    // Everything that it tells to do works.
    let answer = gateway.send("GET", "/readyz", "", "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(gateway.send("POST", "/mcp", "", "").status, 401);
    let listed = gateway.modern("/mcp/t/builtin", "tools/list", json!({})).expect("a list");
    assert!(listed["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{listed}");
}

#[test]
fn a_tool_is_called_over_the_port_and_its_arguments_are_mended() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let listed = gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
    let names: Vec<&str> =
        listed["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    let read = names.iter().find(|name| name.ends_with("read_file")).expect("a tool that reads");
    let call = json!({ "name": read, "arguments": { "file_path": "notes.md" } });
    let result = gateway.modern("/mcp/all", "tools/call", call).expect("a result");
    assert!(result.to_string().contains("buy milk"), "{result}");
    assert_ne!(result["isError"], true, "{result}");
    let outside = json!({ "name": read, "arguments": { "path": "/etc/hostname" } });
    let result = gateway.modern("/mcp/all", "tools/call", outside).expect("a result");
    assert_eq!(result["isError"], true, "files are limited to the folder: {result}");
    let page = gateway.send("GET", "/metrics", &gateway.headers(), "").body;
    assert!(page.contains("toolwright_calls_total{outcome=\"ok\"} 1"), "{page}");
    assert!(page.contains("toolwright_calls_repaired_total 1"), "{page}");
}

#[test]
fn the_token_is_the_same_after_a_restart_and_another_in_another_home() {
    let (home, other) = (Home::new(), Home::new());
    let first = Gateway::start(&home, &[]).token.clone();
    let second = Gateway::start(&home, &[]).token.clone();
    assert!(first.starts_with("tw_") && first == second);
    assert_ne!(Gateway::start(&other, &[]).token, first);
    let (code, shown, _) = home.run(&["token", "show"]);
    assert_eq!((code, shown.trim()), (0, first.as_str()));
}

/// What is on a pipe ends up in the journal of systemd or the log of a container.
#[test]
fn neither_output_nor_log_holds_the_token_or_a_login_link_unless_stdout_is_a_terminal() {
    let home = Home::new();
    let log = home.path().join("log");
    for flags in [&["--json"][..], &[]] {
        let file = std::fs::File::create(&log).expect("a file");
        let mut command = home.command(&[&["serve", "--port", "0"], flags].concat());
        command.env("TOOLWRIGHT_LOG", "trace").stdin(Stdio::null());
        command.stdout(file.try_clone().expect("a file")).stderr(file);
        let child = command.spawn().expect("it starts");
        let read = || std::fs::read_to_string(&log).unwrap_or_default();
        until("it says where it is", || read().contains("/mcp/t/builtin"));
        drop(Gateway { child, said: Value::Null, port: 0, token: String::new() });
        let (_, token, _) = home.run(&["token", "show"]);
        let said = read();
        assert!(!said.contains(token.trim()) && !said.contains("tw_") && !said.contains("once="), "{said}");
        assert!(said.contains("state/toolwright/token"), "it says where the token is: {said}");
    }
    // With nowhere to put it nobody could ever learn it.
    let mut command = home.command(&["serve", "--port", "0"]);
    command.env_remove("HOME").env_remove("XDG_STATE_HOME").stdin(Stdio::null());
    let output = command.output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && errors.contains("set HOME or XDG_STATE_HOME"), "{errors}");
}

#[test]
fn it_is_ready_soon() {
    let home = Home::new();
    drop(Gateway::start(&home, &[]));
    let started = Instant::now();
    let gateway = Gateway::start(&home, &[]);
    assert_eq!(gateway.send("GET", "/readyz", "", "").status, 200);
    // The figure is 100 ms; a busy machine and a build without optimisation get more.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn a_port_that_is_taken_is_told_with_what_to_do() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let (code, stdout, stderr) = home.run(&["serve", "--port", &port.to_string()]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    let next = format!("--port {}", port.wrapping_add(1));
    insta::assert_snapshot!(stderr.replace(&next, "--port NEXT").replace(&port.to_string(), "PORT"));
}

#[test]
fn other_machines_are_let_in_only_when_that_is_said() {
    let home = Home::new();
    let (code, _, stderr) = home.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(stderr);
    let (code, _, stderr) = home.run(&["serve", "--listen", "0.0.0.0:0", "--listen-anywhere", "--no-auth"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("--no-auth is for 127.0.0.1 alone"), "{stderr}");
    for (flag, value) in
        [("--allow-host", "http://x"), ("--allow-origin", "x"), ("--listen", "x"), ("--port", "x")]
    {
        let (code, _, stderr) = home.run(&["serve", "--port", "0", flag, value]);
        assert_eq!(code, 2, "{flag}: {stderr}");
    }
}

#[test]
fn without_tokens_it_says_so_loudly_and_serves_everybody() {
    let home = Home::new();
    let mut child = home
        .command(&["serve", "--port", "0", "--no-auth", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(said["token"], Value::Null);
    let mut warning = String::new();
    BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut warning).expect("a line");
    assert!(warning.starts_with("WARNING: --no-auth: nobody is asked for a token"), "{warning}");
    let port = said["address"].as_str().and_then(|it| it.rsplit_once(':')).expect("a port").1;
    let gateway =
        Gateway { child, port: port.parse().expect("a number"), said: Value::Null, token: String::new() };
    assert!(gateway.modern("/mcp/t/builtin", "tools/list", json!({})).is_ok());
}

#[test]
fn rules_are_put_into_force_when_their_file_changes_and_a_wrong_file_changes_nothing() {
    let home = Home::new();
    let rule = |from: &str| {
        format!(r#"[{{"id":"mine","tools":["read_file"],"type":"param_alias","from":"{from}","to":"path"}}]"#)
    };
    let file = home.put("rules.json", &rule("first_word"));
    let gateway = Gateway::start(&home, &["--rules", &file.display().to_string(), "--rate", "0"]);
    let tools = gateway.modern("/mcp/all", "tools/list", json!({})).expect("a list");
    let tools: Vec<Value> = tools["tools"].as_array().expect("tools").clone();
    let name = tools.iter().filter_map(|tool| tool["name"].as_str()).find(|name| name.ends_with("read_file"));
    let name = name.expect("a tool").to_owned();
    let reads_by = |word: &str| {
        let call = json!({ "name": name, "arguments": { word: "notes.md" } });
        let result = gateway.modern("/mcp/all", "tools/call", call).expect("a result");
        result["isError"] != true
    };
    assert!(reads_by("first_word") && !reads_by("zzq_other"));
    home.put("rules.json", &rule("zzq_other"));
    until("the second rules are in force", || reads_by("zzq_other"));
    home.put("rules.json", "[{");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(reads_by("zzq_other"), "the last good rules stay");
    home.put("rules.json", &rule("third_word"));
    until("the third rules are in force", || reads_by("third_word"));
}

#[test]
fn without_a_command_it_serves() {
    let home = Home::new();
    let mut child = home
        .command(&[])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let (mut said, mut error) = (String::new(), String::new());
    BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut said).expect("a line");
    if said.is_empty() {
        // Somebody else may have the port here.
        BufReader::new(child.stderr.take().expect("stderr")).read_line(&mut error).expect("a line");
    }
    child.kill().expect("ended");
    child.wait().expect("gone");
    let serves = said.ends_with(" serves on 127.0.0.1:8484\n");
    assert!(serves || error.contains("127.0.0.1:8484 is taken"), "{said}{error}");
}

#[test]
fn help_lists_the_commands() {
    let home = Home::new();
    let (code, stdout, _) = home.run(&["--help"]);
    assert_eq!(code, 0);
    for word in ["serve", "stdio", "token", "call", "servers", "Without a command it serves"] {
        assert!(stdout.contains(word), "{word}: {stdout}");
    }
}

/// The log file of a service may be on the disk that is full, and a client may close the pipe that it reads the log from.
#[test]
#[cfg(target_os = "linux")]
fn it_serves_on_when_its_log_cannot_be_written() {
    let home = Home::new();
    home.put("toolwright.json", r#"{"builtinTools": true}"#);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let mut command = home.command(&["serve", "--port", "0", "--json"]);
    let mut gateway = Gateway::of(command.env("TOOLWRIGHT_LOG", "debug").stderr(full));
    let call = |gateway: &Gateway| {
        let params = json!({ "name": "get_current_datetime", "arguments": {} });
        gateway.modern("/mcp/t/builtin", "tools/call", params).expect("a result")
    };
    assert_eq!(call(&gateway)["isError"], Value::Null);
    home.put("toolwright.json", r#"{"builtinTools": true, "redact": {"patterns": ["emp-1"]}}"#);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(gateway.child.try_wait().expect("a status"), None, "it ended");
    assert_eq!(call(&gateway)["isError"], Value::Null);
}
