//! The gateway as people run it: `toolwright serve` as a child, with a configuration and a home of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Longer than it takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway; it ends with this value.
pub struct Served {
    /// `http://127.0.0.1:PORT`
    pub address: String,
    child: Child,
    home: TempDir,
    said: Arc<Mutex<String>>,
}

impl Served {
    /// Starts the program on a free port, without tokens.
    pub async fn start(program: &Path, configuration: &Value) -> Served {
        Served::start_with(program, configuration, &["--no-auth"]).await
    }

    /// The same, with these words behind `serve`.
    pub async fn start_with(program: &Path, configuration: &Value, words: &[&str]) -> Served {
        Served::start_in(program, configuration, words, &[]).await
    }

    /// The same, with this in its environment.
    pub async fn start_in(
        program: &Path,
        configuration: &Value,
        words: &[&str],
        environment: &[(&str, &str)],
    ) -> Served {
        let home = tempfile::tempdir().expect("a folder");
        let file = home.path().join("toolwright.json");
        std::fs::write(&file, configuration.to_string()).expect("written");
        let mut command = command(program, home.path());
        command.arg("serve").args(["--port", "0", "--rate", "0", "--config"]).arg(&file).args(words);
        command.envs(environment.iter().copied());
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be started: {error}", program.display()));
        let said = Arc::new(Mutex::new(String::new()));
        let (lines, mut heard) = mpsc::unbounded_channel();
        tokio::spawn(listen(child.stdout.take().expect("stdout"), lines.clone(), Arc::clone(&said)));
        tokio::spawn(listen(child.stderr.take().expect("stderr"), lines, Arc::clone(&said)));
        let address = timeout(PATIENCE, async {
            loop {
                let line: String = heard.recv().await?;
                if let Some(address) = address_in(&line) {
                    return Some(address);
                }
            }
        });
        let address = address.await.ok().flatten();
        let address = address.unwrap_or_else(|| panic!("no address was said: {}", text_of(&said)));
        Served { address, child, home, said }
    }

    /// The address of an endpoint, such as `/mcp/all`.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    /// Its configuration.
    pub fn configuration(&self) -> PathBuf {
        self.home.path().join("toolwright.json")
    }

    /// Its home.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Replaces its configuration at once, as editors do.
    pub fn configure(&self, text: &str) {
        let new = self.home.path().join("new.json");
        std::fs::write(&new, text).expect("written");
        std::fs::rename(new, self.configuration()).expect("replaced");
    }

    /// All that it has said.
    pub fn said(&self) -> String {
        text_of(&self.said)
    }

    /// Ends it as a service manager does, and waits for that.
    #[cfg(unix)]
    pub async fn end(mut self) -> std::process::ExitStatus {
        let pid =
            rustix::process::Pid::from_raw(i32::try_from(self.pid()).expect("a number")).expect("a pid");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("told to end");
        timeout(PATIENCE, self.child.wait()).await.expect("it ends").expect("a status")
    }
}

/// The program with a home of its own and nothing that the user's environment asks of it.
pub fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.kill_on_drop(true).current_dir(home).env("HOME", home).env("NO_COLOR", "1");
    command.env("XDG_STATE_HOME", home.join("state")).env("XDG_RUNTIME_DIR", home);
    command.env("XDG_CONFIG_HOME", home.join("config")).env("XDG_DATA_HOME", home.join("data"));
    for name in ["TOOLWRIGHT_LOG", "TOOLWRIGHT_SEARCH", "TOOLWRIGHT_CONFIG", "WORKBENCH_CONFIG"] {
        command.env_remove(name);
    }
    command
}

async fn listen(
    stream: impl AsyncRead + Unpin,
    lines: mpsc::UnboundedSender<String>,
    said: Arc<Mutex<String>>,
) {
    let mut stream = BufReader::new(stream).lines();
    while let Ok(Some(line)) = stream.next_line().await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.push_str(&line);
        said.push('\n');
        let _ = lines.send(line);
    }
}

fn text_of(said: &Mutex<String>) -> String {
    said.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn address_in(line: &str) -> Option<String> {
    const START: &str = "http://127.0.0.1:";
    let from = line.find(START)?;
    let digits: String = line[from + START.len()..].chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| format!("{START}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_a_line() {
        let line = "serving http://127.0.0.1:8484/mcp (token …)";
        assert_eq!(address_in(line).as_deref(), Some("http://127.0.0.1:8484"));
        assert_eq!(address_in("http://127.0.0.1:/"), None);
    }
}
