//! Mosquitto and its clients as separate processes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use toolwright_config::{BrokerChoice, BrokerSettings, MqttSettings, VoiceSettings};

use super::PATIENCE;

/// A real broker on a loopback port. It stops with the test.
pub struct Mosquitto {
    child: Child,
    pub port: u16,
    folder: tempfile::TempDir,
}

impl Mosquitto {
    pub fn start() -> Mosquitto {
        Mosquitto::with("")
    }

    /// With additional lines in its configuration.
    pub fn with(lines: &str) -> Mosquitto {
        Mosquitto::at(free_port(), lines)
    }

    fn at(port: u16, lines: &str) -> Mosquitto {
        let folder = tempfile::tempdir().expect("a folder");
        let anonymous = if lines.contains("password_file") { "" } else { "allow_anonymous true\n" };
        let lines = format!(
            "listener {port} 127.0.0.1\n{anonymous}set_tcp_nodelay true\npersistence false\nuser root\n{lines}\n"
        );
        std::fs::write(folder.path().join("mosquitto.conf"), lines).expect("a file");
        let child = run(&folder.path().join("mosquitto.conf"));
        let broker = Mosquitto { child, port, folder };
        broker.wait();
        broker
    }

    /// Kills it and waits for its exit.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().expect("its end");
    }

    /// Restarts it at the same port.
    pub fn restart(&mut self) {
        self.child = run(&self.folder.path().join("mosquitto.conf"));
        self.wait();
    }

    fn wait(&self) {
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_err() {
            assert!(Instant::now() < until, "Mosquitto does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        self.kill();
    }
}

fn run(configuration: &Path) -> Child {
    let mut command = Command::new(program("mosquitto"));
    command.arg("-c").arg(configuration).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("Mosquitto starts")
}

/// A program of the Debian packages `mosquitto` and `mosquitto-clients`.
pub fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found =
        folders.find_map(|folder: PathBuf| Some(folder.join(name)).filter(|program| program.exists()));
    found.unwrap_or_else(|| {
        panic!("there is no {name}: run `cargo xtask test` once, it installs mosquitto and its clients")
    })
}

pub fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port()
}

/// Runs `mosquitto_pub` with these arguments.
pub fn publish(port: u16, arguments: &[&str]) -> Output {
    let mut command = Command::new(program("mosquitto_pub"));
    command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1"]).args(arguments);
    command.output().expect("mosquitto_pub runs")
}

/// `mosquitto_sub`, and the lines that it prints: `topic payload`.
pub struct Listener {
    child: Child,
    lines: mpsc::Receiver<String>,
    /// Lines that arrived before the subscription was confirmed.
    early: RefCell<VecDeque<String>>,
}

impl Listener {
    pub fn start(port: u16, topics: &[&str], arguments: &[&str]) -> Listener {
        let mut command = Command::new(program("mosquitto_sub"));
        command
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-q", "1", "-F", "%r %t %p"])
            .args(arguments);
        // A message to itself confirms the subscription.
        for topic in topics.iter().chain(&["ready/#"]) {
            command.args(["-t", topic]);
        }
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("mosquitto_sub runs");
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let listener = Listener { child, lines, early: RefCell::default() };
        let until = Instant::now() + PATIENCE;
        let name = format!("ready/{port}");
        loop {
            let plain: Vec<&str> = arguments.iter().copied().filter(|argument| *argument != "-R").collect();
            publish(port, &[&plain[..], &["-t", &name, "-m", "ready"]].concat());
            match listener.lines.recv_timeout(Duration::from_millis(200)) {
                Ok(line) if line.contains(" ready/") => return listener,
                Ok(line) => listener.early.borrow_mut().push_back(line),
                Err(_) => {}
            }
            assert!(Instant::now() < until, "mosquitto_sub does not hear");
        }
    }

    /// The next line that is no `ready` message.
    pub fn next(&self) -> String {
        self.within(PATIENCE).expect("a message in time")
    }

    /// The same with a timeout.
    pub fn within(&self, time: Duration) -> Option<String> {
        if let Some(line) = self.early.borrow_mut().pop_front() {
            return Some(line);
        }
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.contains(" ready/") => {}
                Ok(line) => return Some(line),
                Err(_) => return None,
            }
        }
    }

    /// The payload of the next message on a topic, as JSON.
    pub fn json(&self, topic: &str) -> serde_json::Value {
        loop {
            let line = self.next();
            let mut parts = line.splitn(3, ' ');
            let (_, of, payload) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
            if of == Some(topic) {
                return serde_json::from_str(payload).unwrap_or_else(|error| panic!("{line}: {error}"));
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Settings for a broker at a loopback port only.
pub fn at_broker(port: u16) -> VoiceSettings {
    let broker = BrokerSettings::parse(&format!("mqtt://127.0.0.1:{port}")).expect("an address");
    VoiceSettings {
        mqtt: Some(MqttSettings { broker: BrokerChoice::Outside(broker), ..MqttSettings::default() }),
        wyoming: None,
        ..VoiceSettings::default()
    }
}

/// Settings for the built-in broker.
pub fn inside() -> VoiceSettings {
    VoiceSettings {
        mqtt: Some(MqttSettings {
            broker: BrokerChoice::Inside { port: Some(0) },
            ..MqttSettings::default()
        }),
        wyoming: None,
        ..VoiceSettings::default()
    }
}
