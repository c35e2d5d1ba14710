//! So many calls by so many clients, each with a text of its own.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use toolwright_testkit::load::{Client, Era, Histogram};

use crate::order::Wanted;

/// Calls of each client that are not counted.
const WARM_UP: u64 = 30;
/// Who is slow makes fewer calls: a round takes no longer than this.
const MOST: Duration = Duration::from_secs(3);

/// What was seen.
#[derive(Clone, Default)]
pub struct Seen {
    pub times: Histogram,
    /// Calls a second, of all clients together.
    pub rate: f64,
    /// Calls that were not answered with their own text.
    pub wrong: u64,
    /// The first of them.
    pub first: String,
    pub cpu: Duration,
    pub rss_kib: u64,
}

/// Somebody who calls.
trait Caller: Send + 'static {
    /// Calls with this text; what came back.
    fn call(&mut self, id: u64, text: &str) -> impl Future<Output = Result<String, String>> + Send;
}

/// Over HTTP.
pub async fn http(wanted: &Wanted, address: SocketAddr, clients: usize, calls: u64) -> Result<Seen, String> {
    let era = if wanted.is_modern { Era::Modern } else { Era::Legacy };
    let mut callers = Vec::new();
    for _ in 0..clients {
        let client = Client::open(address, &wanted.path, era).await.map_err(|trouble| trouble.to_string())?;
        let mut caller = Http { client, tool: wanted.tool.clone(), arguments: wanted.arguments.clone() };
        caller.open(wanted).await;
        callers.push(caller);
    }
    let (seen, callers) = run(callers, calls).await?;
    for caller in callers {
        // Sessions of the last step must not weigh on the next.
        let _ = caller.client.close().await;
    }
    Ok(seen)
}

/// Each client with a process of its own, over its pipes.
pub async fn pipe(wanted: &Wanted, clients: usize, calls: u64) -> Result<Seen, String> {
    let mut callers = Vec::new();
    for _ in 0..clients {
        callers.push(Pipe::start(wanted).await?);
    }
    run(callers, calls).await.map(|(seen, _)| seen)
}

async fn run<C: Caller>(callers: Vec<C>, calls: u64) -> Result<(Seen, Vec<C>), String> {
    let clients = callers.len().max(1) as u64;
    let each = calls.div_ceil(clients);
    let warm_up = if calls < WARM_UP { 0 } else { WARM_UP };
    let start = Arc::new(Barrier::new(callers.len() + 1));
    let mut running = JoinSet::new();
    for (number, mut caller) in callers.into_iter().enumerate() {
        let start = Arc::clone(&start);
        running.spawn(async move {
            let mut seen = Seen::default();
            for id in 0..warm_up {
                let _ = caller.call(id, "warm").await;
            }
            start.wait().await;
            let begin = Instant::now();
            for id in 0..each {
                if begin.elapsed() > MOST {
                    break;
                }
                let text = format!("{number}-{id}");
                let sent = Instant::now();
                let said = caller.call(warm_up + id, &text).await;
                seen.times.add(sent.elapsed());
                if said.as_ref() != Ok(&text) {
                    seen.wrong += 1;
                    if seen.first.is_empty() {
                        seen.first = format!("{text}: {said:?}");
                    }
                }
            }
            (seen, caller)
        });
    }
    start.wait().await;
    let begin = Instant::now();
    let (mut all, mut back) = (Seen::default(), Vec::new());
    while let Some(done) = running.join_next().await {
        let (seen, caller) = done.map_err(|error| error.to_string())?;
        all.times.merge(&seen.times);
        all.wrong += seen.wrong;
        if all.first.is_empty() {
            all.first = seen.first;
        }
        back.push(caller);
    }
    all.rate = all.times.count() as f64 / begin.elapsed().as_secs_f64();
    Ok((all, back))
}

struct Http {
    client: Client,
    tool: String,
    arguments: String,
}

impl Http {
    /// The meta-tools want their toolbox open in a session.
    async fn open(&mut self, wanted: &Wanted) {
        if wanted.tool == "use_tool" && !wanted.is_modern {
            let arguments: Value = serde_json::from_str(&wanted.arguments).unwrap_or_default();
            let toolbox = json!({"toolbox": arguments["tool"]["toolbox"]}).to_string();
            let _ = self.client.call(r#""open""#, "open_toolbox", &toolbox).await;
        }
    }
}

impl Caller for Http {
    async fn call(&mut self, id: u64, text: &str) -> Result<String, String> {
        let arguments = self.arguments.replace("{text}", text);
        let reply = self.client.call(&id.to_string(), &self.tool, &arguments).await;
        let reply = reply.map_err(|trouble| trouble.to_string())?;
        if reply.id != id.to_string() {
            return Err(format!("the answer has the id {}", reply.id));
        }
        reply.text().map(str::to_owned).ok_or_else(|| format!("{:?}", reply.outcome))
    }
}

struct Pipe {
    _process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
    wanted: Wanted,
}

impl Pipe {
    async fn start(wanted: &Wanted) -> Result<Pipe, String> {
        let [program, arguments @ ..] = wanted.command.as_slice() else {
            return Err("no command".to_owned());
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.kill_on_drop(true).spawn().map_err(|error| error.to_string())?;
        let stdin = process.stdin.take().ok_or("it has no stdin")?;
        let stdout = BufReader::new(process.stdout.take().ok_or("it has no stdout")?);
        let mut pipe = Pipe { _process: process, stdin, stdout, line: String::new(), wanted: wanted.clone() };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "load", "version": "1"}});
        pipe.ask(&format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#)).await?;
        pipe.stdin
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .await
            .map_err(|error| error.to_string())?;
        Ok(pipe)
    }

    async fn ask(&mut self, message: &str) -> Result<Value, String> {
        self.stdin.write_all(format!("{message}\n").as_bytes()).await.map_err(|error| error.to_string())?;
        self.line.clear();
        self.stdout.read_line(&mut self.line).await.map_err(|error| error.to_string())?;
        serde_json::from_str(&self.line).map_err(|error| error.to_string())
    }
}

impl Caller for Pipe {
    async fn call(&mut self, id: u64, text: &str) -> Result<String, String> {
        let (tool, arguments) = (&self.wanted.tool, self.wanted.arguments.replace("{text}", text));
        let params = format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#);
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
        let answer = self.ask(&message).await?;
        let text = answer.pointer("/result/content/0/text").and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| answer.to_string())
    }
}
