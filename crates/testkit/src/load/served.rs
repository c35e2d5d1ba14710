//! `toolwright serve` as a process of its own, in a folder of its own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::client::{Client, Era, Trouble};
use super::process::{Process, children};
use super::wire::{Answer, Wire};
use crate::servers::PATIENCE;

/// Where the programs are.
#[derive(Clone, Debug)]
pub struct GatewayPrograms {
    /// The gateway.
    pub toolwright: PathBuf,
    /// The server that answers quickly.
    pub server: PathBuf,
}

impl GatewayPrograms {
    /// In the folder of this program.
    pub fn beside(program: &Path) -> GatewayPrograms {
        let toolwright = program.with_file_name("toolwright");
        assert!(toolwright.exists(), "{} is missing: cargo build -p toolwright", toolwright.display());
        GatewayPrograms { toolwright, server: program.with_file_name("load-server") }
    }

    /// The entry of a server with these flags in a configuration.
    pub fn entry(&self, flags: &[&str]) -> Value {
        json!({"command": self.server, "args": flags})
    }

    /// A toolbox for each of these servers, with the server's name: each has a transparent endpoint.
    pub fn apart(&self, servers: &[(String, Value)]) -> Value {
        let toolboxes: serde_json::Map<String, Value> = servers
            .iter()
            .map(|(name, entry)| {
                let toolbox =
                    json!({"description": format!("The server {name}."), "mcpServers": {name: entry}});
                (name.clone(), toolbox)
            })
            .collect();
        json!({"toolboxes": toolboxes})
    }
}

/// A gateway. It ends with its owner, and its servers with it.
pub struct Served {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// How long it took from its start until it said where.
    pub took: Duration,
    folder: TempDir,
}

impl Served {
    /// Starts one with a configuration and waits until it says where it is.
    pub fn start(programs: &GatewayPrograms, configuration: &Value) -> Served {
        Served::start_with(programs, Some(configuration), &[], &[])
    }

    /// The same with or without a configuration, with more flags and variables.
    pub fn start_with(
        programs: &GatewayPrograms,
        configuration: Option<&Value>,
        flags: &[&str],
        variables: &[(&str, &str)],
    ) -> Served {
        Served::launch(programs, configuration, &[&["--no-auth"], flags].concat(), variables)
    }

    /// One that asks for a token.
    pub fn start_guarded(programs: &GatewayPrograms, configuration: &Value) -> Served {
        Served::launch(programs, Some(configuration), &[], &[])
    }

    fn launch(
        programs: &GatewayPrograms,
        configuration: Option<&Value>,
        flags: &[&str],
        variables: &[(&str, &str)],
    ) -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(&programs.toolwright);
        command.args(["serve", "--port", "0", "--json"]);
        command.args(flags).current_dir(folder.path());
        // What lasts from run to run lasts in this folder only.
        for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env(name, folder.path());
        }
        command.env_remove("WORKBENCH_CONFIG").envs(variables.iter().copied());
        if let Some(configuration) = configuration {
            let file = folder.path().join("toolwright.json");
            fs::write(&file, configuration.to_string()).expect("written");
            command.arg("--config").arg(file);
        }
        let stderr = File::create(folder.path().join("stderr")).expect("a file");
        let begin = Instant::now();
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("toolwright starts");
        let stdout = process.stdout.take().expect("its stdout");
        let (said, says) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Read to the end, wanted or not: it must not wait for us.
                let _ = said.send(line);
            }
        });
        let deadline = begin + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = says.recv_timeout(left) else {
                let log = fs::read_to_string(folder.path().join("stderr")).unwrap_or_default();
                let _ = process.kill();
                let _ = process.wait();
                panic!("toolwright did not say where it listens: {log}");
            };
            if let Some(address) = address(&line) {
                return Served { process, address, took: begin.elapsed(), folder };
            }
        }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("stderr")).unwrap_or_default()
    }

    /// Writes its configuration anew, in one step as editors do.
    pub fn configure(&self, text: &str) {
        let (new, file) = (self.folder.path().join("new.json"), self.folder.path().join("toolwright.json"));
        fs::write(&new, text).and_then(|()| fs::rename(&new, &file)).expect("written");
    }

    /// Its servers that are child processes, zombies included, without the guardian.
    pub fn servers(&self) -> Vec<Process> {
        children(self.pid()).into_iter().filter(|process| !process.is_guardian()).collect()
    }

    /// The guardian.
    pub fn guardian(&self) -> Option<Process> {
        children(self.pid()).into_iter().find(Process::is_guardian)
    }

    /// A client of one endpoint.
    pub async fn client(&self, path: &str, era: Era) -> Result<Client, Trouble> {
        Client::open(self.address, path, era).await
    }

    /// What a page says, such as `/metrics`.
    pub async fn page(&self, path: &str) -> Result<Answer, Trouble> {
        let mut wire = Wire::connect(self.address).await?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.address);
        Ok(wire.ask(request.as_bytes()).await?)
    }

    /// The sum of a metric over its labels; nothing when there is none of this name.
    pub async fn metric(&self, name: &str) -> Option<f64> {
        let text = self.page("/metrics").await.ok()?.text();
        let values: Vec<f64> = text
            .lines()
            .filter_map(|line| {
                let (series, value) = line.rsplit_once(' ')?;
                let known = series.split('{').next()?;
                (known == name).then(|| value.parse().ok())?
            })
            .collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }

    /// Asks it to end, and says how long that took and with which code; nothing when it did not.
    pub fn stop(&mut self) -> Option<(Duration, i32)> {
        let begin = Instant::now();
        Pid::from_raw(self.pid().cast_signed()).map(|pid| kill_process(pid, Signal::TERM));
        while begin.elapsed() < PATIENCE {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Some((begin.elapsed(), status.code().unwrap_or(-1)));
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Its guardian ends the servers of one that is killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            let log = self.log();
            eprintln!(
                "the end of its log:\n{}",
                &log[log.floor_char_boundary(log.len().saturating_sub(4000))..]
            );
        }
    }
}

/// Where it listens, if this line says so.
fn address(line: &str) -> Option<SocketAddr> {
    let said: Value = serde_json::from_str(line).ok()?;
    let url = said.get("url")?.as_str()?;
    let rest = url.strip_prefix("http://")?;
    rest.split('/').next()?.parse().ok()
}
