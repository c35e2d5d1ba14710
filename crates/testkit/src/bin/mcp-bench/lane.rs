//! A lane: its process, and what was seen of it.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::load::{Client, Era, Process, children, cpu};

use crate::measure::{self, Seen};
use crate::order::{Announces, Step, Wanted};

/// How long a lane has to answer its first call.
const START: Duration = Duration::from_secs(60);
/// How long one step of a lane may take: who stops in the middle must not stop the others.
const LONGEST: Duration = Duration::from_secs(60);
/// How long an idle one is left alone before it is looked at.
const REST: Duration = Duration::from_secs(5);

/// A lane that runs, or why it does not.
pub struct Lane {
    wanted: Wanted,
    process: Option<Child>,
    address: SocketAddr,
    missing: Option<String>,
    /// What was seen, by the number of clients.
    seen: BTreeMap<usize, Vec<Seen>>,
}

impl Lane {
    /// Starts it and makes one call.
    pub async fn start(wanted: &Wanted, upstream: u16) -> Result<Lane, String> {
        let mut lane = Lane::missing(wanted, String::new());
        lane.missing = None;
        if wanted.announces == Announces::Pipe {
            return Ok(lane);
        }
        let port = free_port()?;
        lane.address = SocketAddr::from(([127, 0, 0, 1], port));
        let filled = |text: &str| {
            text.replace("{port}", &port.to_string()).replace("{upstream}", &upstream.to_string())
        };
        for (path, text) in &wanted.files {
            std::fs::write(path, filled(text)).map_err(|error| format!("{path}: {error}"))?;
        }
        let words: Vec<String> = wanted.command.iter().map(|word| filled(word)).collect();
        let [program, arguments @ ..] = words.as_slice() else { return Err("no command".to_owned()) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process =
            command.kill_on_drop(true).spawn().map_err(|error| format!("{program}: {error}"))?;
        let stdout = process.stdout.take().ok_or("it has no stdout")?;
        let mut lines = BufReader::new(stdout).lines();
        lane.process = Some(process);
        if wanted.announces != Announces::Nothing {
            let said = timeout(START, async {
                while let Ok(Some(line)) = lines.next_line().await {
                    if let Some(address) = announced(&line) {
                        return Some(address);
                    }
                }
                None
            });
            lane.address = said.await.ok().flatten().ok_or("it did not say where it listens")?;
        }
        // Whatever it prints besides, it must not wait for us.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        if !wanted.tool.is_empty() {
            lane.first_call().await?;
        }
        Ok(lane)
    }

    /// A lane that is not there.
    pub fn missing(wanted: &Wanted, reason: String) -> Lane {
        Lane {
            wanted: wanted.clone(),
            process: None,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            missing: Some(reason),
            seen: BTreeMap::new(),
        }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    async fn first_call(&self) -> Result<(), String> {
        let begin = Instant::now();
        loop {
            let seen = timeout(START, measure::http(&self.wanted, self.address, 1, 1)).await;
            let reason = match seen {
                Ok(Ok(seen)) if seen.wrong == 0 => return Ok(()),
                Ok(Ok(seen)) => format!("{} of 1 calls went wrong: {}", seen.wrong, seen.first),
                Ok(Err(reason)) => reason,
                Err(_) => "no answer".to_owned(),
            };
            if begin.elapsed() > START {
                return Err(reason);
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Measures it once.
    pub async fn measure(&mut self, step: &Step) {
        if self.missing.is_some() {
            return;
        }
        let pid = self.process.as_ref().and_then(Child::id);
        let before = pid.map(cpu).unwrap_or_default();
        let measured = async {
            match self.wanted.announces {
                Announces::Pipe => measure::pipe(&self.wanted, step.clients, step.calls).await,
                _ => measure::http(&self.wanted, self.address, step.clients, step.calls).await,
            }
        };
        let seen = timeout(LONGEST, measured).await;
        match seen.unwrap_or_else(|_| Err(format!("no end within {} s", LONGEST.as_secs()))) {
            Ok(mut seen) => {
                seen.cpu = pid.map(cpu).unwrap_or_default().saturating_sub(before);
                seen.rss_kib = pid.map(|pid| Usage::of(pid).rss_kib).unwrap_or_default();
                self.seen.entry(step.clients).or_default().push(seen);
            }
            Err(reason) => {
                eprintln!("    {}, {} clients: {reason}", self.wanted.name, step.clients);
                let seen = Seen { wrong: step.calls, first: reason, ..Seen::default() };
                self.seen.entry(step.clients).or_default().push(seen);
            }
        }
    }

    /// What was seen: each time that of the round in which it was lowest; what else the machine did can only
    /// add to it.
    pub fn report(&self) -> Value {
        let rows: Vec<Value> = self
            .seen
            .iter()
            .map(|(clients, rounds)| {
                let calls: u64 = rounds.iter().map(|seen| seen.times.count()).sum();
                let cpu: Duration = rounds.iter().map(|seen| seen.cpu).sum();
                let lowest = |percent: f64| {
                    let times = rounds.iter().filter(|seen| seen.times.count() > 0);
                    times.map(|seen| seen.times.percentile(percent).as_nanos() as u64).min()
                };
                let rate = rounds.iter().map(|seen| seen.rate).fold(0.0, f64::max);
                let first = rounds.iter().map(|seen| seen.first.as_str()).find(|first| !first.is_empty());
                json!({
                    "clients": clients,
                    "p50_ns": lowest(50.0),
                    "p99_ns": lowest(99.0),
                    "calls_per_second": rate,
                    "cpu_ns": cpu.as_nanos() as f64 / calls.max(1) as f64,
                    "rss_kib": rounds.iter().map(|seen| seen.rss_kib).max(),
                    "calls": calls,
                    "wrong": rounds.iter().map(|seen| seen.wrong).sum::<u64>(),
                    "first_wrong": first,
                })
            })
            .collect();
        json!({"name": self.wanted.name, "missing": self.missing, "rows": rows})
    }
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

fn announced(line: &str) -> Option<SocketAddr> {
    if let Ok(port) = line.trim().parse::<u16>() {
        return Some(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    let said: Value = serde_json::from_str(line).ok()?;
    said.get("url")?.as_str()?.strip_prefix("http://")?.split('/').next()?.parse().ok()
}

/// Starts it, asks for its tools, and looks at it after a rest.
pub async fn idle(wanted: &Wanted) -> Value {
    let lane = match Lane::start(wanted, 0).await {
        Ok(lane) => lane,
        Err(reason) => return json!({"name": wanted.name, "missing": reason}),
    };
    let era = if wanted.is_modern { Era::Modern } else { Era::Legacy };
    let mut tools = 0;
    if let Ok(mut client) = Client::open(lane.address, &wanted.path, era).await {
        // Servers may still be on their way.
        for _ in 0..50 {
            let Ok(reply) = client.ask("1", "tools/list", "{}").await else { break };
            let listed =
                reply.outcome.ok().and_then(|result| result["tools"].as_array().map(Vec::len)).unwrap_or(0);
            if listed > 0 && listed == tools {
                break;
            }
            tools = listed;
            sleep(Duration::from_millis(300)).await;
        }
    }
    sleep(REST).await;
    let Some(pid) = lane.process.as_ref().and_then(Child::id) else { return Value::Null };
    let (guardians, servers): (Vec<Process>, Vec<Process>) =
        children(pid).into_iter().partition(Process::is_guardian);
    let guardian: u64 = guardians.iter().map(|process| Usage::of(process.pid).rss_kib).sum();
    let usage = Usage::of(pid);
    json!({"name": wanted.name, "tools": tools, "servers": servers.len(), "rss_kib": usage.rss_kib,
        "guardian_kib": guardian, "threads": usage.threads})
}
