//! A lane: its process, and what was seen of it.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{sleep, timeout};
use toolwright_testkit::figures::Usage;

use crate::measure::{self, Place, Seen};
use crate::order::{Kind, Step, Wanted};
use crate::processor::Used;

/// How long a lane has to answer its first request.
const START: Duration = Duration::from_secs(180);
/// How long one step of a lane may take: who stops in the middle must not stop the others.
const LONGEST: Duration = Duration::from_secs(60);

/// What was put off until later is waited for, so long at most: it belongs to the requests that it was put off for, and
/// must not weigh on the next lane.
const LATER: Duration = Duration::from_secs(4);
/// How long a process is looked at, and how little it does then when it has nothing left to do.
const LOOK: Duration = Duration::from_millis(100);
const NOTHING: Duration = Duration::from_millis(2);

/// The server that all of them ask.
pub struct Upstream {
    process: Child,
    /// It ends when this closes.
    _stdin: Option<ChildStdin>,
    port: u16,
}

impl Upstream {
    /// Starts it.
    pub async fn start() -> Result<Upstream, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.arg("upstream").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process =
            command.kill_on_drop(true).spawn().map_err(|error| format!("the upstream: {error}"))?;
        let mut lines = lines(&mut process)?;
        let said = lines.next_line().await.ok().flatten().and_then(|line| line.trim().parse().ok());
        let port = said.ok_or("the upstream did not say where it listens")?;
        Ok(Upstream { _stdin: process.stdin.take(), process, port })
    }
}

/// A lane that runs, or why it does not.
pub struct Lane {
    wanted: Wanted,
    process: Option<Child>,
    pid: Option<u32>,
    place: Place,
    missing: Option<String>,
    /// What was seen, by the name of the step.
    seen: BTreeMap<String, Vec<Seen>>,
}

impl Lane {
    /// Starts it and asks once.
    pub async fn start(wanted: &Wanted, upstream: &Upstream) -> Result<Lane, String> {
        let mut lane = Lane::missing(wanted, String::new());
        lane.missing = None;
        match wanted.command.is_empty() {
            true => {
                lane.pid = upstream.process.id();
                lane.place.address.set_port(upstream.port);
            }
            false => lane.launch(upstream.port).await?,
        }
        lane.first_request().await?;
        Ok(lane)
    }

    /// A lane that is not there.
    pub fn missing(wanted: &Wanted, reason: String) -> Lane {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let place = Place { address, client: wanted.client, token: random_token() };
        Lane {
            wanted: wanted.clone(),
            process: None,
            pid: None,
            place,
            missing: Some(reason),
            seen: BTreeMap::new(),
        }
    }

    async fn launch(&mut self, upstream: u16) -> Result<(), String> {
        let port = free_port()?;
        self.place.address.set_port(port);
        let token = self.place.token.clone();
        let filled = |text: &str| {
            let text = text.replace("{port}", &port.to_string()).replace("{upstream}", &upstream.to_string());
            text.replace("{token}", &token)
        };
        let folder = Path::new(&self.wanted.folder);
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for (name, text) in &self.wanted.files {
            fs::write(folder.join(name), filled(text)).map_err(|error| format!("{name}: {error}"))?;
        }
        let words: Vec<String> = self.wanted.command.iter().map(|word| filled(word)).collect();
        let [program, arguments @ ..] = words.as_slice() else { return Err("no command".to_owned()) };
        let log = fs::File::create(folder.join("stderr")).map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        // What lasts from run to run lasts in this folder only.
        for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env(name, folder);
        }
        command.env("NO_PROXY", "127.0.0.1,localhost").env_remove("HTTP_PROXY").env_remove("http_proxy");
        command.envs(self.wanted.variables.iter().map(|(name, value)| (name, filled(value))));
        let mut process =
            command.kill_on_drop(true).spawn().map_err(|error| format!("{program}: {error}"))?;
        let mut lines = lines(&mut process)?;
        self.pid = process.id();
        self.process = Some(process);
        if self.wanted.is_announced {
            let said = timeout(START, async {
                while let Ok(Some(line)) = lines.next_line().await {
                    if let Some(said) = announced(&line) {
                        return Some(said);
                    }
                }
                None
            });
            let said = said.await.ok().flatten();
            (self.place.address, self.place.token) = said.ok_or("it did not say where it listens")?;
        }
        // Whatever it prints besides, it must not wait for us.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(())
    }

    async fn first_request(&mut self) -> Result<(), String> {
        let begin = Instant::now();
        let step = Step { kind: Kind::Small, clients: 1, requests: 1, chunks: 0 };
        loop {
            let reason = match timeout(START, measure::run(&self.place, &step)).await {
                Ok(Ok(seen)) if seen.wrong == 0 => return Ok(()),
                Ok(Ok(seen)) => seen.first,
                Ok(Err(reason)) => reason,
                Err(_) => "no answer".to_owned(),
            };
            let has_ended =
                self.process.as_mut().is_some_and(|process| !matches!(process.try_wait(), Ok(None)));
            if has_ended || begin.elapsed() > START {
                let log =
                    fs::read_to_string(Path::new(&self.wanted.folder).join("stderr")).unwrap_or_default();
                let log = &log[log.floor_char_boundary(log.len().saturating_sub(600))..];
                return Err(format!("{reason}; the end of its log: {}", log.trim()));
            }
            sleep(Duration::from_millis(300)).await;
        }
    }

    /// Measures it once.
    pub async fn measure(&mut self, step: &Step) {
        if self.missing.is_some() {
            return;
        }
        let before = self.used();
        let seen = timeout(LONGEST, measure::run(&self.place, step)).await;
        let seen = seen.unwrap_or_else(|_| Err(format!("no end within {} s", LONGEST.as_secs())));
        let seen = match seen {
            Ok(mut seen) => {
                let cpu = self.at_rest().await.since(&before);
                seen.cpu_ns = cpu.as_nanos() as f64 / seen.units.max(1) as f64;
                seen.rss_kib = self.pid.map(|pid| Usage::of(pid).rss_kib).unwrap_or_default();
                seen
            }
            Err(reason) => {
                eprintln!("    {}, {}: {reason}", self.wanted.name, step.name());
                Seen { wrong: step.requests, first: reason, ..Seen::default() }
            }
        };
        self.seen.entry(step.name()).or_default().push(seen);
    }

    fn used(&self) -> Used {
        self.pid.map(Used::by).unwrap_or_default()
    }

    /// What it has used when it has nothing left to do.
    async fn at_rest(&self) -> Used {
        let begin = Instant::now();
        let mut before = self.used();
        loop {
            sleep(LOOK).await;
            let now = self.used();
            if now.since(&before) < NOTHING || begin.elapsed() > LATER {
                return now;
            }
            before = now;
        }
    }

    /// What was seen: each figure that of the round in which it was lowest; what else the machine did can only
    /// add to it.
    pub fn report(&self, steps: &[Step]) -> Value {
        let rows = steps.iter().filter_map(|step| {
            let rounds = self.seen.get(&step.name())?;
            let good = || rounds.iter().filter(|seen| seen.times.count() > 0);
            let lowest =
                |percent: f64| good().map(|seen| seen.times.percentile(percent).as_nanos() as u64).min();
            let first = rounds.iter().map(|seen| seen.first.as_str()).find(|first| !first.is_empty());
            Some(json!({
                "step": step.name(),
                "kind": step.kind.word(),
                "clients": step.clients,
                "p50_ns": lowest(50.0),
                "p99_ns": lowest(99.0),
                "rate": good().map(|seen| seen.rate).fold(0.0, f64::max),
                "cpu_ns": good().map(|seen| seen.cpu_ns).reduce(f64::min),
                "rss_kib": good().map(|seen| seen.rss_kib).max(),
                "units": rounds.iter().map(|seen| seen.units).sum::<u64>(),
                "wrong": rounds.iter().map(|seen| seen.wrong).sum::<u64>(),
                "first_wrong": first,
            }))
        });
        json!({"name": self.wanted.name, "missing": self.missing, "rows": rows.collect::<Value>()})
    }
}

fn lines(process: &mut Child) -> Result<Lines<BufReader<ChildStdout>>, String> {
    let stdout = process.stdout.take().ok_or("it has no stdout")?;
    Ok(BufReader::new(stdout).lines())
}

/// Some want a key that nobody guesses, on any address.
fn random_token() -> String {
    let random = || RandomState::new().hash_one(std::process::id());
    format!("sk-{:016x}{:016x}{:016x}{:016x}", random(), random(), random(), random())
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

/// Where it listens and the token it wants, if this line says so.
fn announced(line: &str) -> Option<(SocketAddr, String)> {
    let said: Value = serde_json::from_str(line).ok()?;
    let address = said.get("url")?.as_str()?.strip_prefix("http://")?.split('/').next()?.parse().ok()?;
    // On a pipe it prints where its token is, not the token.
    let token = said["tokenFile"].as_str().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    Some((address, token.trim().to_owned()))
}
