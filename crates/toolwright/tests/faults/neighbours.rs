//! Faults of those whom we need or who need us: brokers, ports of the voice, clients.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Beside, Fault, Paste, Patient};
use crate::gateway::until;

impl Patient {
    /// A configuration with a voice that has only this.
    fn voice(&self, voice: &Value) {
        let mut all = json!({ "mqtt": false, "wyoming": false });
        for (key, value) in voice.as_object().expect("members") {
            all[key] = value.clone();
        }
        self.configure_all(&json!({ "mcpServers": { "notes": self.good() }, "voice": all }));
    }

    /// A port that somebody else has, who says nothing.
    fn taken(&mut self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        self.listeners.push(listener);
        port
    }

    /// A real broker with these lines in its configuration.
    fn mosquitto(&mut self, lines: &str) -> u16 {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let all = format!("listener {free} 127.0.0.1\npersistence false\nuser root\n{lines}\n");
        let file = self.put(self.home.path().join("mosquitto.conf"), &all, 0o600);
        let mut program = Command::new(program("mosquitto"));
        program.arg("-c").arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.programs.push(Beside(program.spawn().expect("Mosquitto starts")));
        until("Mosquitto", || TcpStream::connect(("127.0.0.1", free)).is_ok());
        free
    }

    /// One that encrypts, with a certificate that nobody knows.
    fn encrypted_mosquitto(&mut self) -> u16 {
        let (key, certificate) = (self.home.path().join("key.pem"), self.home.path().join("cert.pem"));
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
            .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
            .arg("-keyout")
            .arg(&key)
            .arg("-out")
            .arg(&certificate)
            .output()
            .expect("openssl runs");
        assert!(made.status.success(), "{made:?}");
        let (key, certificate) = (key.display(), certificate.display());
        self.mosquitto(&format!("allow_anonymous true\ncertfile {certificate}\nkeyfile {key}"))
    }

    /// What Cursor has in its own file.
    fn cursor(&self, servers: &Value) {
        let file = self.home.path().join(".cursor/mcp.json");
        self.put(file, &json!({ "mcpServers": servers }).to_string(), 0o600);
    }
}

/// A program of the Debian packages `mosquitto` and `mosquitto-clients`.
fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found =
        folders.find_map(|folder: PathBuf| Some(folder.join(name)).filter(|program| program.exists()));
    found.unwrap_or_else(|| panic!("there is no {name}: run `cargo xtask test` once, it brings Mosquitto"))
}

pub const FAULTS: &[Fault] = &[
    Fault {
        id: "broker-unreachable",
        title: "no broker runs at its address",
        plant: |patient| {
            let url = format!("mqtt://127.0.0.1:{}", patient.port);
            patient.voice(&json!({ "mqtt": { "url": url } }));
        },
        paste: Paste::Words("start the broker there"),
    },
    Fault {
        id: "broker-refuses-login",
        title: "the password of the broker is wrong",
        plant: |patient| {
            let file = patient.home.path().join("passwords");
            let mut maker = Command::new(program("mosquitto_passwd"));
            let made = maker.args(["-b", "-c"]).arg(&file).args(["ann", "the-password"]).output();
            assert!(made.expect("mosquitto_passwd runs").status.success());
            let lines = format!("allow_anonymous false\npassword_file {}", file.display());
            let url = format!("mqtt://127.0.0.1:{}", patient.mosquitto(&lines));
            let mqtt = json!({ "url": url, "username": "ann", "password": "another-password" });
            patient.voice(&json!({ "mqtt": mqtt }));
        },
        paste: Paste::Words("write \"username\" and \"password\""),
    },
    Fault {
        id: "broker-not-trusted",
        title: "the certificate of the broker is signed by nobody who is known",
        plant: |patient| {
            let url = format!("mqtts://localhost:{}", patient.encrypted_mosquitto());
            patient.voice(&json!({ "mqtt": { "url": url } }));
        },
        paste: Paste::Words("\"caFile\""),
    },
    Fault {
        id: "broker-not-encrypted",
        title: "mqtts is written for a broker that does not encrypt",
        plant: |patient| {
            let url = format!("mqtts://127.0.0.1:{}", patient.mosquitto("allow_anonymous true"));
            patient.voice(&json!({ "mqtt": { "url": url } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "broker-encrypted",
        title: "mqtt is written for a broker that encrypts",
        plant: |patient| {
            let url = format!("mqtt://localhost:{}", patient.encrypted_mosquitto());
            patient.voice(&json!({ "mqtt": { "url": url } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "no-broker",
        title: "what listens at the address of the broker is none",
        plant: |patient| {
            let url = format!("mqtt://127.0.0.1:{}", patient.answering("404 Not Found"));
            patient.voice(&json!({ "mqtt": { "url": url } }));
        },
        paste: Paste::Words("correct /voice/mqtt/url"),
    },
    Fault {
        id: "broker-file-unusable",
        title: "the file with the password of the broker is not there",
        plant: |patient| {
            let url = format!("mqtt://ann@127.0.0.1:{}", patient.port);
            patient.voice(&json!({ "mqtt": { "url": url, "passwordFile": patient.file("none") } }));
        },
        paste: Paste::Words("correct \"passwordFile\""),
    },
    Fault {
        id: "voice-port-taken",
        title: "another program has the port of the broker inside",
        plant: |patient| {
            let port = patient.answering("200 OK");
            patient.voice(&json!({ "mqtt": { "port": port } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "voice-other-broker",
        title: "another broker has the port of the broker inside",
        plant: |patient| {
            let port = patient.mosquitto("allow_anonymous true");
            patient.voice(&json!({ "mqtt": { "port": port } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "wyoming-port-taken",
        title: "another program has the port for clients of Wyoming",
        plant: |patient| {
            let listen = format!("127.0.0.1:{}", patient.taken());
            patient.voice(&json!({ "wyoming": { "listen": listen } }));
        },
        paste: Paste::Written,
    },
    Fault {
        id: "client-bypasses",
        title: "a client has servers of its own",
        plant: |patient| patient.cursor(&json!({ "weather": { "command": "weather-server" } })),
        paste: Paste::Shell,
    },
    Fault {
        id: "client-bypasses",
        title: "a client still has a server that was taken over",
        plant: |patient| patient.cursor(&json!({ "notes": patient.good() })),
        paste: Paste::Shell,
    },
    Fault {
        id: "client-file-broken",
        title: "the file of a client cannot be read",
        plant: |patient| {
            patient.put(patient.home.path().join(".cursor/mcp.json"), "{\"mcpServers\": {", 0o600);
        },
        paste: Paste::Words("correct it"),
    },
];
