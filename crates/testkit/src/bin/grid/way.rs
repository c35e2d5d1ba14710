//! A gateway that runs, however it is spoken to.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use toolwright_testkit::figures::Usage;

use crate::http::Http;
use crate::ours::Lines;

/// A variable of the gateway that no server should see.
const SECRET: &str = "GRID_SECRET_TOKEN";

/// How long our own process may take to be ready.
const START: Duration = Duration::from_secs(10);

/// What is started for every case.
pub enum Starts {
    Ours,
    Peer(Vec<String>),
}

/// What came of a call.
#[derive(Debug)]
pub struct Outcome {
    pub said: Said,
    pub took: Duration,
}

#[derive(Debug)]
pub enum Said {
    /// A result, or its beginning.
    Result(String),
    /// An error of any kind, in its own words.
    Error(String),
    /// Nothing, as long as the caller waited.
    Nothing,
}

impl Outcome {
    pub fn is_ok(&self) -> bool {
        matches!(self.said, Said::Result(_))
    }
}

/// One gateway. Its process and what is in its group end with it.
pub struct Gateway {
    process: Child,
    way: Way,
}

enum Way {
    Http(Http),
    Lines(Lines),
}

impl Gateway {
    pub async fn start(starts: &Starts) -> Result<Gateway, String> {
        match starts {
            Starts::Ours => {
                let own = std::env::current_exe().map_err(|error| error.to_string())?;
                let mut process =
                    spawn(Command::new(own).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()))?;
                let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
                    return Err("no pipes".to_owned());
                };
                let gateway = Gateway { process, way: Way::Lines(Lines::new(stdin, stdout)) };
                // A peer has met its server too before it is called.
                gateway.call("plain", r#"{"text":"x"}"#, START).await;
                Ok(gateway)
            }
            Starts::Peer(words) => {
                let port = free_port()?;
                let words: Vec<String> =
                    words.iter().map(|word| word.replace("{port}", &port.to_string())).collect();
                let process = spawn(
                    Command::new(&words[0]).args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()),
                )?;
                // From here on it ends with the value.
                let mut gateway = Gateway { process, way: Way::Http(Http::new(port)) };
                if let Way::Http(http) = &mut gateway.way {
                    http.connect().await?;
                }
                Ok(gateway)
            }
        }
    }

    /// Calls a habit and waits so long for its answer.
    pub async fn call(&self, habit: &str, arguments: &str, patience: Duration) -> Outcome {
        let begin = Instant::now();
        let said = match &self.way {
            Way::Http(http) => tokio::time::timeout(patience, http.call(habit, arguments)).await,
            Way::Lines(lines) => tokio::time::timeout(patience, lines.call(habit, arguments)).await,
        };
        Outcome { said: said.unwrap_or(Said::Nothing), took: begin.elapsed() }
    }

    /// What the gateway itself uses, without its servers.
    pub fn usage(&self) -> Usage {
        Usage::of(self.process.id())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.process.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

fn spawn(command: &mut Command) -> Result<Child, String> {
    use std::os::unix::process::CommandExt;
    command
        .env(SECRET, "secret")
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("it does not start: {error}"))
}

/// Whether the names that a server sees hold what they should not.
pub fn leaks(names: &str) -> bool {
    names.contains(SECRET)
}

fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| error.to_string())
}
