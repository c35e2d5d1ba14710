//! One lane: a program that serves, and what it uses.

use std::error::Error;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};
use toolwright_testkit::figures::Usage;
use toolwright_testkit::wire::{Caller, Speech};

/// How long a program may take until it answers.
const START: Duration = Duration::from_secs(40);

/// A program that stands ready.
pub struct Lane {
    /// What it is called.
    pub name: String,
    /// Where it serves.
    pub url: String,
    /// What `echo` is called there.
    pub tool: String,
    child: Child,
}

impl Lane {
    /// Starts it on a free port and waits until it echoes.
    pub async fn start(entry: &Value) -> Result<Lane, Box<dyn Error>> {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
        let words: Vec<String> = entry["words"]
            .as_array()
            .ok_or("a lane has words")?
            .iter()
            .filter_map(|word| word.as_str().map(|word| word.replace("{port}", &port)))
            .collect();
        // Some take their port from a file.
        if let (Some(file), Some(content)) = (entry["file"].as_str(), entry["content"].as_str()) {
            std::fs::write(file, content.replace("{port}", &port))?;
        }
        let (program, words) = words.split_first().ok_or("a lane has a program")?;
        let mut command = Command::new(program);
        command.args(words).kill_on_drop(true);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let url = format!("http://127.0.0.1:{port}{}", text("path"));
        let lane = Lane { name: text("name"), url, tool: text("tool"), child };
        let deadline = Instant::now() + START;
        while !lane.echoes().await {
            if Instant::now() > deadline {
                return Err(format!("{} does not answer at {}", lane.name, lane.url).into());
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(lane)
    }

    /// A client of it, in a session of its own where it has sessions.
    pub async fn caller(&self) -> Result<Caller, Box<dyn Error + Send + Sync>> {
        let mut caller = Caller::try_silent(&self.url, Speech::Legacy { session: None }).await?;
        caller.initialize().await?;
        Ok(caller)
    }

    async fn echoes(&self) -> bool {
        let Ok(mut caller) = self.caller().await else { return false };
        caller.says(&self.tool, r#"{"text":"ready"}"#).await == "ready"
    }

    /// What it uses of memory, without its children.
    pub fn rss_kib(&self) -> u64 {
        self.child.id().map_or(0, |pid| Usage::of(pid).rss_kib)
    }

    /// The time that it has spent on a processor, in milliseconds.
    pub fn cpu_ms(&self) -> u64 {
        /// How often the kernel counts in a second, on every Linux that we know.
        const TICKS: u64 = 100;
        let Some(pid) = self.child.id() else { return 0 };
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = fields.iter().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        ticks * 1000 / TICKS
    }
}
