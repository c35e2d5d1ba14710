//! A gateway that runs as a user runs it, with a home of its own, and plain HTTP to speak to it.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::command;

/// A folder for the state, the configuration and the files of one test.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Home {
        let home = Home(tempfile::tempdir().expect("a folder"));
        std::fs::create_dir(home.work()).expect("a folder");
        std::fs::write(home.work().join("notes.md"), "buy milk\n").expect("written");
        home
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Where the program runs.
    pub fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    pub fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.work().join(name);
        // As editors do it: no reader sees half of it.
        let beside = path.with_extension("new");
        std::fs::write(&beside, text).expect("written");
        std::fs::rename(beside, &path).expect("placed");
        path
    }

    /// The program, with this home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(arguments);
        command
            .current_dir(self.work())
            .env("HOME", self.path())
            .env("PWD", self.work())
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_RUNTIME_DIR", self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env_remove("WORKBENCH_CONFIG");
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).stdin(Stdio::null()).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }
}

/// A gateway that serves.
pub struct Gateway {
    pub child: Child,
    pub said: Value,
    pub port: u16,
    pub token: String,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Gateway {
    /// Starts one at a free port, with these flags besides.
    pub fn start(home: &Home, flags: &[&str]) -> Gateway {
        let arguments = [&["serve", "--port", "0", "--json"], flags].concat();
        Gateway::of(home.command(&arguments).stderr(Stdio::null()))
    }

    /// The gateway that a command starts.
    pub fn of(command: &mut Command) -> Gateway {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        let port = said["address"].as_str().and_then(|it| it.rsplit_once(':')).expect("a port").1;
        let port = port.parse().expect("a number");
        let token = token_of(&said);
        Gateway { child, said, port, token }
    }

    /// Sends a request on a connection of its own.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        self.try_send(method, path, headers, body).expect("an answer")
    }

    pub fn try_send(&self, method: &str, path: &str, headers: &str, body: &str) -> std::io::Result<Answer> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let (port, length) = (self.port, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        stream.write_all(request.as_bytes())?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let (head, body) = text.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Ok(Answer { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// A login link, as `toolwright dashboard` makes it, without the address.
    pub fn login_link(&self) -> String {
        toolwright_port::Sessions::link(&self.token).expect("a link")
    }

    /// What every request of a client carries.
    pub fn headers(&self) -> String {
        let token = &self.token;
        format!(
            "Authorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        )
    }

    /// A stateless request of a modern client, and its result.
    pub fn modern(&self, path: &str, method: &str, params: Value) -> Result<Value, Value> {
        let (body, headers) = modern_request(method, params);
        let answer = self.send("POST", path, &format!("{}{headers}", self.headers()), &body);
        let message = answer.message();
        if message["error"].is_null() { Ok(message["result"].clone()) } else { Err(message["error"].clone()) }
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let done = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(done.expect("kill").success());
    }

    /// Waits for the end.
    pub fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let late = Instant::now() + patience;
        while Instant::now() < late {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

/// The owner token of a gateway: on a pipe it prints only where the token is. Empty where none is needed.
pub fn token_of(said: &Value) -> String {
    let file = || said["tokenFile"].as_str().map(|file| std::fs::read_to_string(file).expect("a token"));
    let token = said["token"].as_str().map(str::to_owned).or_else(file).unwrap_or_default();
    token.trim().to_owned()
}

/// The body and the headers of a modern request.
pub fn modern_request(method: &str, params: Value) -> (String, String) {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    (body, format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}"))
}

/// An answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The message in it, alone or as the last event.
    pub fn message(&self) -> Value {
        let last = self.body.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
        let text = last.map_or(self.body.as_str(), str::trim);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Processes that run and whose command line holds this text.
pub fn processes_with(text: &str) -> Vec<u32> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|id| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let is_gone =
                std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| stat.contains(") Z "));
            !is_gone && String::from_utf8_lossy(&line).contains(text)
        })
        .collect()
}

/// Waits until something is so, for a generous time.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1500 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{what} did not come to be");
}
