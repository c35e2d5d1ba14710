//! The server as a child process, and a client that reads its lines as they are written.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};
use toolwright_testkit::house::House;

use crate::program;

/// Longer than anything takes that is not stuck.
pub const PATIENCE: Duration = Duration::from_secs(60);
const LEGACY: &str = "2025-11-25";
pub const MODERN: &str = "2026-07-28";

/// A server that runs. It is killed with its owner.
pub struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Arc<Mutex<String>>,
    /// Every line that it wrote to its standard output.
    pub lines: Vec<String>,
    questions: u64,
}

/// What a tool said.
#[derive(Debug, PartialEq)]
pub struct Said {
    pub text: String,
    pub is_error: bool,
}

impl Server {
    /// Starts one with just these variables.
    pub fn start(variables: &[(&str, &str)]) -> Server {
        let mut child = Command::new(program())
            .env_clear()
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the server starts");
        let stderr = Arc::new(Mutex::new(String::new()));
        let (kept, mut pipe) = (stderr.clone(), child.stderr.take().expect("its stderr"));
        tokio::spawn(async move {
            let mut bytes = vec![0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut bytes).await {
                kept.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let stdin = child.stdin.take().expect("its stdin");
        let stdout = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        Server { child, stdin, stdout, stderr, lines: Vec::new(), questions: 0 }
    }

    /// One in this house, past `initialize`.
    pub async fn in_house(house: &House, more: &[(&str, &str)]) -> Server {
        let variables = house.variables();
        let mut variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        variables.extend(more);
        let mut server = Server::start(&variables);
        server.initialize().await;
        server
    }

    pub async fn initialize(&mut self) -> Value {
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let about = self.ask("initialize", params).await;
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        about["result"].clone()
    }

    /// Writes a line, whatever it is.
    pub async fn write(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
    }

    /// Asks and gives the whole answer.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.questions += 1;
        let id = self.questions;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
            .await;
        loop {
            let line = timeout(PATIENCE, self.stdout.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("no answer to {method}: {}", self.stderr()));
            let line =
                line.expect("UTF-8").unwrap_or_else(|| panic!("the server has ended: {}", self.stderr()));
            self.lines.push(line.clone());
            let answer: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
            if answer["id"] == id {
                return answer;
            }
        }
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Said {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        said(&answer["result"]).unwrap_or_else(|| panic!("{tool}: {answer}"))
    }

    /// A call that works; its text.
    pub async fn told(&mut self, tool: &str, arguments: Value) -> String {
        let said = self.call(tool, arguments).await;
        assert!(!said.is_error, "{tool}: {}", said.text);
        said.text
    }

    /// A call that is an error; its text.
    pub async fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let said = self.call(tool, arguments).await;
        assert!(said.is_error, "{tool}: {}", said.text);
        said.text
    }

    /// Calls until the answer is as wanted.
    pub async fn until(&mut self, tool: &str, arguments: Value, is_wanted: impl Fn(&Said) -> bool) -> Said {
        let until = Instant::now() + PATIENCE;
        loop {
            let said = self.call(tool, arguments.clone()).await;
            if is_wanted(&said) {
                return said;
            }
            assert!(Instant::now() < until, "{tool} still says: {}", said.text);
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// What it has told on its standard error.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no panic").clone()
    }

    /// Closes its standard input and waits for its end: the code, and all that it wrote to its standard output.
    pub async fn end(mut self) -> (i32, Vec<String>, String) {
        drop(self.stdin);
        while let Some(line) =
            timeout(PATIENCE, self.stdout.next_line()).await.expect("an end").expect("UTF-8")
        {
            self.lines.push(line);
        }
        let status = timeout(PATIENCE, self.child.wait()).await.expect("an end").expect("it was waited for");
        let stderr = self.stderr.lock().expect("no panic").clone();
        (status.code().unwrap_or(-1), self.lines, stderr)
    }
}

/// What a result of `tools/call` says.
pub fn said(result: &Value) -> Option<Said> {
    let text = result["content"][0]["text"].as_str()?.to_owned();
    Some(Said { text, is_error: result["isError"].as_bool().unwrap_or(false) })
}
