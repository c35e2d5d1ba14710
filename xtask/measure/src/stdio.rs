//! What we add to a call of a server that is a child process: a bare pipe beside it.
//!
//! Every way is a closure that makes one call. The bare pipe comes first; the others are compared with it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolwright_backend::ServerTool;
use toolwright_base::IgnorePoison;
use toolwright_executor::{Call, ToolExecutor, ToolRegistry};
use toolwright_jsonrpc::Json;
use toolwright_mcp::stdio::{ChildCommand, StartedChild, start};
use toolwright_mcp::{Connection, Identity, NoHost, Peer, PeerOptions, RequestOptions};
use toolwright_model::ToolDefinition;
use toolwright_toolbox::{Policy, StdioConnector, Supervisor};

use crate::stopwatch::{Timing, nanoseconds, percentile};

/// How many calls of a way are made before it is measured, and how many are measured.
const WARM_UP_CALLS: usize = 500;
const CALLS: usize = 10_000;
/// How many rounds; the quietest counts.
const ROUNDS: usize = 5;
/// The server says nothing on stderr: it is not what is measured.
const QUIET: &str = "--quiet";

/// How long the supervised server may take to be ready.
const START: Duration = Duration::from_secs(30);

const TOOL: &str = "plain";
const ARGUMENTS: &str = r#"{"text":"Switch One"}"#;
const PARAMS: &str = r#"{"name":"plain","arguments":{"text":"Switch One"}}"#;
const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;

/// One way to call the server: its name, and a closure that makes one call and gives the answer's length.
pub struct Way {
    pub name: &'static str,
    pub call: Box<dyn Fn() -> BoxFuture<'static, Result<usize, String>> + Send + Sync>,
}

/// Measures every way and reports them as JSON.
pub fn measure(server: &Path) -> Result<Value, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime: {error}"))?;
    let connection = runtime.block_on(connection(server))?;
    let executor = runtime.block_on(executor(server))?;
    let ways = [bare(server)?, connection, executor];
    let mut best: Vec<Option<Timing>> = ways.iter().map(|_| None).collect();
    for _ in 0..ROUNDS {
        for (way, best) in ways.iter().zip(&mut best) {
            let timing = runtime.block_on(time(way))?;
            if best.as_ref().is_none_or(|best| timing.p50_ns < best.p50_ns) {
                *best = Some(timing);
            }
        }
    }
    let row = |(way, timing): (&Way, Option<Timing>)| {
        let timing = timing?;
        Some(json!({"way": way.name, "p50_ns": timing.p50_ns, "p99_ns": timing.p99_ns}))
    };
    let rows: Option<Vec<Value>> = ways.iter().zip(best).map(row).collect();
    Ok(json!({"rows": rows.ok_or("nothing was measured")?}))
}

/// One call after the other: what is measured is the way there and back.
async fn time(way: &Way) -> Result<Timing, String> {
    let mut samples = Vec::with_capacity(CALLS);
    for number in 0..WARM_UP_CALLS + CALLS {
        let begun = Instant::now();
        let length = (way.call)().await?;
        let taken = begun.elapsed();
        if length == 0 {
            return Err(format!("{}: an empty answer", way.name));
        }
        if number >= WARM_UP_CALLS {
            samples.push(nanoseconds(taken));
        }
    }
    samples.sort_unstable();
    Ok(Timing { p50_ns: percentile(&samples, 50), p99_ns: percentile(&samples, 99) })
}

/// A child that is written to and read from by the thread that calls: nothing is quicker.
struct Pipe {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Pipe {
    fn round_trip(&mut self, request: &str) -> Result<usize, String> {
        self.stdin.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
        self.line.clear();
        self.stdout.read_line(&mut self.line).map_err(|error| error.to_string())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bare(server: &Path) -> Result<Way, String> {
    let mut command = Command::new(server);
    command.arg(QUIET).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| format!("{}: {error}", server.display()))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".to_owned());
    };
    let pipe = Pipe { child, stdin, stdout: BufReader::new(stdout), line: String::new() };
    let pipe = Arc::new(Mutex::new(pipe));
    let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{PARAMS}}}\n");
    let call = move || -> BoxFuture<'static, Result<usize, String>> {
        let length = pipe.lock().ignore_poison().round_trip(&request);
        Box::pin(std::future::ready(length))
    };
    Ok(Way { name: "bare pipe", call: Box::new(call) })
}

fn command(server: &Path) -> ChildCommand {
    ChildCommand { program: server.into(), args: vec![QUIET.into()], ..ChildCommand::default() }
}

fn identity() -> Identity {
    Identity { client: Json::empty_object(), capabilities: Json::empty_object() }
}

async fn connection(server: &Path) -> Result<Way, String> {
    let StartedChild { link, .. } = start(&command(server)).map_err(|error| error.to_string())?;
    let connection = Connection::open(link, Arc::new(NoHost));
    let options = PeerOptions::default();
    let peer = Peer::connect(connection, identity(), &options).await.map_err(|error| error.to_string())?;
    let peer = Arc::new(peer);
    let params = Json::parse(PARAMS).map_err(|error| format!("{error:?}"))?;
    let call = move || -> BoxFuture<'static, Result<usize, String>> {
        let (peer, params) = (Arc::clone(&peer), params.clone());
        Box::pin(async move {
            let answer = peer.request("tools/call", Some(params), &RequestOptions::default()).await;
            answer.map(|answer| answer.as_str().len()).map_err(|error| error.to_string())
        })
    };
    Ok(Way { name: "connection", call: Box::new(call) })
}

/// The whole call as the gateway makes it: looked up, normalized, and sent to a server under supervision.
async fn executor(server: &Path) -> Result<Way, String> {
    let (options, host) = (PeerOptions::default(), Arc::new(NoHost));
    let connector = StdioConnector::new("bench", command(server), identity(), options, host);
    let supervisor = Supervisor::start(Arc::new(connector), Policy::default());
    supervisor.peer(START).await.map_err(|error| error.to_string())?;
    let registry = Arc::new(ToolRegistry::new());
    let definition = ToolDefinition {
        name: TOOL.to_owned(),
        server: Some("bench".to_owned()),
        description: "Answers with its text.".to_owned(),
        input_schema: SCHEMA.to_owned(),
        ..ToolDefinition::default()
    };
    let tool = Arc::new(ServerTool::new(supervisor, TOOL, None));
    registry.register(definition, tool).map_err(|error| error.to_string())?;
    let executor = Arc::new(ToolExecutor::new(registry));
    let call = move || -> BoxFuture<'static, Result<usize, String>> {
        let executor = Arc::clone(&executor);
        Box::pin(async move {
            let outcome = executor.execute(Call::new(TOOL, ARGUMENTS)).await;
            outcome.result.map(|output| output.text.len()).map_err(|error| error.to_string())
        })
    };
    Ok(Way { name: "executor", call: Box::new(call) })
}
