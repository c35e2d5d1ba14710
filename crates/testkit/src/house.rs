//! A house with Z-Wave devices: a real broker, and zwave-js's own mock network on the topics of Z-Wave JS UI.
//!
//! The broker is Debian's Mosquitto, the network is `tests/servers/house`: the real driver of zwave-js on mock devices, in
//! one process, without a socket of its own. So nothing but the broker listens, on the loopback, and no network of
//! its own is needed around it (zwave-js's `mock-server` would announce itself by mDNS).
//!
//! Both end with their standard input. Whoever starts a house holds the other end, so both are gone with it, even after
//! `kill -9`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than anything takes on a busy machine: the driver interviews every device.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long an end may take before it is a kill.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The devices by the numbers of their nodes; `tests/servers/house/devices.mjs` has the rest.
pub mod device {
    /// `Switch One`, a switch without a location.
    pub const SWITCH_ONE: u64 = 2;
    /// `Lamp` in the Living Room, a dimmer.
    pub const LIVING_ROOM_LAMP: u64 = 3;
    /// `Lamp` in the Bedroom, a dimmer.
    pub const BEDROOM_LAMP: u64 = 4;
    /// `Hall Light` in the Hall, a switch.
    pub const HALL_LIGHT: u64 = 5;
    /// `Porch Light` on the Porch, a switch.
    pub const PORCH_LIGHT: u64 = 6;
    /// `Porch Sensor` on the Porch: 21.5 °C and 48 %.
    pub const PORCH_SENSOR: u64 = 7;
    /// `Old Heater` in the Cellar, a switch that is dead.
    pub const OLD_HEATER: u64 = 8;
    /// `Fan 1`, a switch; its topics are those of `Fan_1`.
    pub const FAN_1: u64 = 9;
    /// `Fan_1`, a switch; its topics are those of `Fan 1`.
    pub const FAN_UNDERSCORE_1: u64 = 10;
    /// A switch without a name.
    pub const NAMELESS: u64 = 11;
    /// How many there are.
    pub const COUNT: usize = 10;
}

/// How a house is to be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What all topics begin with.
    pub prefix: String,
    /// The name of the gateway, without its own prefix.
    pub gateway: String,
    /// User and password that the broker wants.
    pub login: Option<(String, String)>,
    /// How the broker can be reached.
    pub ways: Ways,
}

/// How a broker can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// As everybody can read it.
    Plain,
    /// Also by TLS, at the next port, with an authority that nobody knows.
    AlsoEncrypted,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { prefix: "zwave".into(), gateway: "house".into(), login: None, ways: Ways::Plain }
    }
}

/// A house. It ends with its owner.
pub struct House {
    plan: Plan,
    port: u16,
    broker: Mutex<Option<Tethered>>,
    network: Mutex<Network>,
    /// Behind both in the order of ends.
    folder: TempDir,
}

impl House {
    /// The usual one, ready. It blocks meanwhile: in asynchronous tests [`House::begin`] does not.
    pub fn start() -> House {
        House::start_as(Plan::default())
    }

    /// One like this.
    pub fn start_as(plan: Plan) -> House {
        let folder = tempfile::tempdir().expect("a folder");
        let (port, broker) = start_somewhere(folder.path(), &plan);
        let network = Network::start(folder.path(), &plan, port);
        House { plan, port, broker: Mutex::new(Some(broker)), network: Mutex::new(network), folder }
    }

    /// The usual one, for asynchronous tests.
    pub async fn begin() -> House {
        House::begin_as(Plan::default()).await
    }

    /// One like this, for asynchronous tests.
    pub async fn begin_as(plan: Plan) -> House {
        tokio::task::spawn_blocking(|| House::start_as(plan)).await.expect("a house")
    }

    /// Where the broker is, without user and password.
    pub fn broker_url(&self) -> String {
        format!("mqtt://127.0.0.1:{}", self.port)
    }

    /// Where the broker is reached by TLS, and the file with its authority.
    pub fn encrypted(&self) -> (String, PathBuf) {
        assert_eq!(self.plan.ways, Ways::AlsoEncrypted, "this house has no certificates");
        (format!("mqtts://127.0.0.1:{}", self.port + 1), self.folder.path().join("ca.pem"))
    }

    /// The variables that `zwave-mcp-server` needs in this house.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut variables = vec![
            ("MQTT_BROKER_URL".to_owned(), self.broker_url()),
            ("MQTT_TOPIC_PREFIX".to_owned(), self.plan.prefix.clone()),
        ];
        if let Some((user, password)) = &self.plan.login {
            variables.push(("MQTT_USERNAME".to_owned(), user.clone()));
            variables.push(("MQTT_PASSWORD".to_owned(), password.clone()));
        }
        variables
    }

    /// What a device is, as the mock device itself says; neither driver nor broker is asked.
    pub fn state(&self, node: u64) -> Value {
        self.network().move_it(json!({"move": "state", "node": node}))
    }

    /// Somebody presses the switch on the wall.
    pub fn press(&self, node: u64, value: Value) {
        self.network().move_it(json!({"move": "press", "node": node, "value": value}));
    }

    /// A sensor measures something new: 1 is the temperature, 5 the humidity.
    pub fn measure(&self, node: u64, kind: u64, value: f64) {
        self.network().move_it(json!({"move": "measure", "node": node, "type": kind, "value": value}));
    }

    /// From now on the device obeys and does not say what it does.
    pub fn mute(&self, node: u64) {
        self.network().move_it(json!({"move": "mute", "node": node}));
    }

    /// From now on the device is dead.
    pub fn silence(&self, node: u64) {
        self.network().move_it(json!({"move": "silence", "node": node}));
    }

    /// The gateway leaves the broker, as when Z-Wave JS UI is stopped.
    pub fn gateway_leaves(&self) {
        self.network().move_it(json!({"move": "leave"}));
    }

    /// It comes back.
    pub fn gateway_comes_back(&self) {
        self.network().move_it(json!({"move": "comeBack"}));
    }

    /// Kills the broker, as nobody can prevent.
    pub fn kill_broker(&self) {
        self.broker.lock().expect("no panic").take();
    }

    /// Starts it again where it was; what it had kept is gone.
    pub fn restart_broker(&self) {
        let mut broker = self.broker.lock().expect("no panic");
        assert!(broker.is_none(), "the broker runs");
        let until = Instant::now() + PATIENCE;
        loop {
            match start_broker(self.folder.path(), &self.plan, self.port) {
                Ok(started) => break *broker = Some(started),
                // The port of one that was killed may be held for a moment.
                Err(log) => assert!(Instant::now() < until, "the broker does not start: {log}"),
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn network(&self) -> std::sync::MutexGuard<'_, Network> {
        self.network.lock().expect("no panic")
    }
}

/// A process that ends with its standard input.
struct Tethered {
    child: Child,
    stdin: Option<ChildStdin>,
}

impl Tethered {
    fn start(command: &mut Command, log: &Path) -> Tethered {
        let log = File::options().append(true).create(true).open(log).expect("a file");
        let mut child = command.stdin(Stdio::piped()).stderr(log).spawn().unwrap_or_else(|error| {
            panic!("{:?} does not start: {error}", command.get_program());
        });
        let stdin = child.stdin.take();
        Tethered { child, stdin }
    }
}

impl Drop for Tethered {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let until = Instant::now() + LAST_WORDS;
        while Instant::now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The mock network with its bridge.
struct Network {
    process: Tethered,
    answers: Receiver<Value>,
    moves: AtomicU64,
    log: PathBuf,
}

impl Network {
    fn start(folder: &Path, plan: &Plan, port: u16) -> Network {
        let login =
            plan.login.as_ref().map(|(user, password)| format!("{user}:{password}@")).unwrap_or_default();
        let order = json!({
            "modules": modules(),
            "cache": folder.join("cache"),
            "broker": format!("mqtt://{login}127.0.0.1:{port}"),
            "prefix": plan.prefix,
            "gateway": plan.gateway,
        });
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/servers/house/main.mjs");
        let log = folder.join("network.log");
        let mut command = Command::new("node");
        command.arg(script).arg(order.to_string()).current_dir(folder).stdout(Stdio::piped());
        let mut process = Tethered::start(&mut command, &log);
        let stdout = process.child.stdout.take().expect("its stdout");
        let (tell, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Ok(answer) = serde_json::from_str(&line) {
                    // Nobody may be left to hear it.
                    let _ = tell.send(answer);
                }
            }
        });
        let network = Network { process, answers, moves: AtomicU64::new(0), log };
        let first = network.next();
        assert_eq!(first["ready"], true, "{first}");
        network
    }

    fn move_it(&mut self, mut order: Value) -> Value {
        let id = self.moves.fetch_add(1, Ordering::Relaxed);
        order["id"] = id.into();
        let stdin = self.process.stdin.as_mut().expect("it is held");
        writeln!(stdin, "{order}").and_then(|()| stdin.flush()).expect("the network runs");
        let answer = self.next();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["error"].is_null(), "{order}: {answer}");
        answer["value"].clone()
    }

    fn next(&self) -> Value {
        match self.answers.recv_timeout(PATIENCE) {
            Ok(answer) => answer,
            Err(why) => {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                let what = if why == RecvTimeoutError::Timeout { "says nothing" } else { "has ended" };
                panic!("the mock network {what}: {log}");
            }
        }
    }
}

/// On a port that is free. It is below those that the system gives away, so that it is still free after a restart.
fn start_somewhere(folder: &Path, plan: &Plan) -> (u16, Tethered) {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    for _ in 0..200 {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let own = u16::try_from(std::process::id() % 10_000).unwrap_or(0);
        let port = 20_000 + own.wrapping_mul(7).wrapping_add(step.wrapping_mul(131)) % 12_000;
        if TcpListener::bind(("127.0.0.1", port)).is_err() {
            continue;
        }
        if let Ok(broker) = start_broker(folder, plan, port) {
            return (port, broker);
        }
    }
    panic!("no port is free for a broker");
}

/// Starts a broker there and waits until it listens; its log when it does not.
fn start_broker(folder: &Path, plan: &Plan, port: u16) -> Result<Tethered, String> {
    let mut settings = String::new();
    if plan.ways == Ways::AlsoEncrypted {
        let (certificate, key) = certificates(folder);
        settings.push_str(&format!(
            "listener {} 127.0.0.1\ncertfile {}\nkeyfile {}\n",
            port + 1,
            certificate.display(),
            key.display()
        ));
    }
    settings.push_str(&format!(
        "listener {port} 127.0.0.1\npersistence false\nset_tcp_nodelay true\nuser root\nlog_dest stderr\nlog_type all\n"
    ));
    match &plan.login {
        None => settings.push_str("allow_anonymous true\n"),
        Some((user, password)) => {
            let file = folder.join("passwords");
            let mut maker = Command::new("mosquitto_passwd");
            maker.args(["-b", "-c"]).arg(&file).args([user, password]);
            assert!(
                succeeds(&mut maker),
                "mosquitto_passwd fails: run `cargo xtask test` once, it brings Mosquitto"
            );
            settings.push_str(&format!("allow_anonymous false\npassword_file {}\n", file.display()));
        }
    }
    let file = folder.join("mosquitto.conf");
    fs::write(&file, settings).expect("written");
    let log = folder.join("mosquitto.log");
    let _ = fs::remove_file(&log);
    // The shell stays between us and the broker, which knows no standard input: it kills it when ours is gone.
    let script = r#""$0" -c "$1" & broker=$!; while read -r line; do :; done; kill -9 $broker; wait $broker 2>/dev/null"#;
    let program = mosquitto();
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(program).arg(&file).stdout(Stdio::null());
    let broker = Tethered::start(&mut command, &log);
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        let told = fs::read_to_string(&log).unwrap_or_default();
        if told.contains(" running") {
            return Ok(broker);
        }
        if told.contains("Error") {
            return Err(told);
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err(fs::read_to_string(&log).unwrap_or_default())
}

/// A certificate for the loopback and its key, made once by an authority of the house's own.
fn certificates(folder: &Path) -> (PathBuf, PathBuf) {
    let file = |name: &str| folder.join(name);
    let (certificate, key) = (file("broker.pem"), file("broker.key"));
    if !certificate.exists() {
        let new = |name: &str, subject: &str| {
            let mut openssl = Command::new("openssl");
            openssl.args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
            ]);
            openssl.args(["-days", "2", "-subj", subject, "-keyout"]).arg(file(&format!("{name}.key")));
            openssl.arg("-out").arg(file(&format!("{name}.pem")));
            openssl
        };
        assert!(succeeds(&mut new("ca", "/CN=authority of the house")), "openssl makes an authority");
        let mut leaf = new("broker", "/CN=broker of the house");
        leaf.arg("-CA").arg(file("ca.pem")).arg("-CAkey").arg(file("ca.key"));
        leaf.args([
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ]);
        assert!(succeeds(&mut leaf), "openssl makes a certificate");
    }
    (certificate, key)
}

fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The broker's program. Debian has it where only administrators look.
fn mosquitto() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = folders.map(|folder| folder.join("mosquitto")).find(|program| program.exists());
    found.expect("Mosquitto is not installed: run `cargo xtask test` once, it brings it")
}

/// Where npm's packages for the network are.
fn modules() -> PathBuf {
    let program = std::env::current_exe().expect("a program");
    let modules = program.ancestors().map(|folder| folder.join("peers/npm-house/node_modules"));
    let mut found = modules.filter(|folder| folder.is_dir());
    found.next().expect("the mock network is not installed: run `cargo xtask test` once, it brings it")
}
