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

/// How a gateway is started.
#[derive(Clone, Debug)]
struct Launch {
    /// Words of another program that starts it.
    before: Vec<String>,
    toolwright: PathBuf,
    flags: Vec<String>,
    variables: Vec<(String, String)>,
}

/// A gateway. It ends with its owner, and its servers with it.
pub struct Served {
    process: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// The token that it asks of its clients; empty when it asks for none.
    pub token: String,
    /// How long it took from its start until it said where.
    pub took: Duration,
    launch: Launch,
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
        Served::start_behind(programs, &[], configuration, &[&["--no-auth"], flags].concat(), variables)
    }

    /// One that asks for a token.
    pub fn start_guarded(programs: &GatewayPrograms, configuration: &Value) -> Served {
        Served::start_behind(programs, &[], Some(configuration), &[], &[])
    }

    /// One that another program starts in its own place, such as `strace -D`, with just these flags.
    /// `{folder}` in a word, a flag or a variable is the gateway's folder.
    pub fn start_behind(
        programs: &GatewayPrograms,
        before: &[&str],
        configuration: Option<&Value>,
        flags: &[&str],
        variables: &[(&str, &str)],
    ) -> Served {
        let folder = tempfile::tempdir().expect("a folder");
        let in_folder = |text: &str| text.replace("{folder}", &folder.path().to_string_lossy());
        let mut flags: Vec<String> = flags.iter().copied().map(in_folder).collect();
        if let Some(configuration) = configuration {
            let file = folder.path().join("toolwright.json");
            fs::write(&file, configuration.to_string()).expect("written");
            flags.extend(["--config".to_owned(), file.to_string_lossy().into_owned()]);
        }
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), in_folder(value)));
        let launch = Launch {
            before: before.iter().copied().map(in_folder).collect(),
            toolwright: programs.toolwright.clone(),
            flags,
            variables: variables.collect(),
        };
        let (process, (address, token), took) = launch.start(folder.path());
        Served { process, address, token, took, launch, folder }
    }

    /// Kills it, as nobody can prevent.
    pub fn kill(&mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("an end");
    }

    /// Starts it anew where it was, after its end.
    pub fn start_again(&mut self) {
        (self.process, (self.address, self.token), self.took) = self.launch.start(self.folder.path());
    }

    /// The same, from now on behind these words.
    pub fn start_again_behind(&mut self, before: &[&str]) {
        self.launch.before = before.iter().map(|word| (*word).to_owned()).collect();
        self.start_again();
    }

    /// What another run of the program says in the same surroundings: its code, its stdout and its stderr.
    pub fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_to_end(&[], arguments)
    }

    /// The same, started by the program that has started the gateway.
    pub fn run_behind(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_to_end(&self.launch.before, arguments)
    }

    fn run_to_end(&self, before: &[String], arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.launch.command(before, self.folder.path());
        let output = command.args(arguments).stdin(Stdio::null()).output().expect("it runs");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
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

impl Launch {
    /// The program behind these words, in its surroundings.
    fn command(&self, before: &[String], folder: &Path) -> Command {
        let mut command = match before {
            [] => Command::new(&self.toolwright),
            [program, words @ ..] => {
                let mut command = Command::new(program);
                command.args(words).arg(&self.toolwright);
                command
            }
        };
        command.current_dir(folder);
        // What lasts from run to run lasts in this folder only.
        for name in ["HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            command.env(name, folder);
        }
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        command.env_remove("WORKBENCH_CONFIG").envs(variables);
        command
    }

    fn start(&self, folder: &Path) -> (Child, (SocketAddr, String), Duration) {
        let log = folder.join("stderr");
        let stderr = File::options().append(true).create(true).open(&log).expect("a file");
        let mut command = self.command(&self.before, folder);
        command.args(["serve", "--port", "0", "--json"]).args(&self.flags);
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
                let log = fs::read_to_string(log).unwrap_or_default();
                let _ = process.kill();
                let _ = process.wait();
                panic!("toolwright did not say where it listens: {log}");
            };
            if let Some(place) = place(&line) {
                return (process, place, begin.elapsed());
            }
        }
    }
}

/// Where it listens and the token it wants, if this line says so.
fn place(line: &str) -> Option<(SocketAddr, String)> {
    let said: Value = serde_json::from_str(line).ok()?;
    let url = said.get("url")?.as_str()?;
    let rest = url.strip_prefix("http://")?;
    // On a pipe the gateway prints where its token is, not the token.
    let token = said["tokenFile"].as_str().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    let token = token.trim().to_owned();
    Some((rest.split('/').next()?.parse().ok()?, token))
}
