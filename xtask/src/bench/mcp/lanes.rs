//! The other gateways: which there are, how each is had, and how each is started.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::super::lane::python_environment;
use super::{Places, STEP};
use crate::invocation::Invocation;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

/// How many servers an idle gateway has.
pub(super) const IDLE_SERVERS: usize = 10;

/// One of them, with the version that is compared. All three have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peer {
    Crates,
    Npm,
    Pip,
}

impl Peer {
    pub(super) const ALL: [Self; 3] = [Self::Crates, Self::Npm, Self::Pip];

    fn version(self) -> &'static str {
        match self {
            Self::Crates => "0.6.0",
            Self::Npm => "6.7.19",
            Self::Pip => "0.13.0",
        }
    }

    pub(super) fn title(self) -> String {
        let home = match self {
            Self::Crates => "Rust",
            Self::Npm => "npm",
            Self::Pip => "Python",
        };
        format!("mcp-proxy ({home}) {}", self.version())
    }

    /// Installs it where it is missing; the program.
    pub(super) fn set_up(self, workspace: &Workspace) -> Result<PathBuf, Failure> {
        let folder = workspace.target().join("peers");
        match self {
            Self::Crates => {
                let root = folder.join("mcp-proxy-rust");
                let program = root.join("bin/mcp-proxy");
                if !program.exists() {
                    note(&format!("building {} (cargo, under the target folder)", self.title()));
                    let words = ["install", "mcp-proxy", "--locked", "--quiet", "--version", self.version()];
                    // Its own folder: what it is built of is not what we are built of.
                    let target = folder.join("mcp-proxy-rust/build");
                    workspace
                        .cargo(words)
                        .arg("--root")
                        .arg(root)
                        .env("CARGO_TARGET_DIR", target)
                        .run(STEP)?;
                }
                Ok(program)
            }
            Self::Npm => {
                if !workspace.program("node").arg("--version").succeeds() {
                    return Err(Failure::new(STEP, "node is not installed"));
                }
                let folder = folder.join("mcp-proxy-npm");
                let script = folder.join("node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs");
                if !script.exists() {
                    note(&format!("installing {} (npm, under the target folder)", self.title()));
                    let words = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
                    let wanted = format!("mcp-proxy@{}", self.version());
                    workspace.program("npm").args(words).arg(folder).arg(wanted).run(STEP)?;
                }
                Ok(script)
            }
            Self::Pip => {
                let python = python_environment(workspace, &folder.join("mcp-proxy"), STEP)?;
                let program = python.with_file_name("mcp-proxy");
                if !program.exists() {
                    note(&format!("installing {} (pip, under the target folder)", self.title()));
                    let wanted = format!("mcp-proxy=={}", self.version());
                    let pip = Invocation::new(&python, workspace.root());
                    pip.args(["-m", "pip", "install", "--quiet", &wanted]).run(STEP)?;
                }
                Ok(program)
            }
        }
    }

    /// It in front of the same servers, as far as it can be.
    pub(super) fn lanes(self, places: &Places<'_>, program: &Path) -> Vec<Value> {
        let (program, server) = (program.to_string_lossy().into_owned(), places.server());
        let lane = |way: &str, command: Vec<String>| {
            json!({"name": format!("{}, {way}", self.title()), "command": command, "announces": "nothing",
                "path": "/mcp", "tool": "echo", "arguments": r#"{"text":"{text}"}"#})
        };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        match self {
            // Its tools have the name of their server before them, its endpoint is the root.
            Self::Crates => {
                let behind = [
                    ("stdio", format!("transport = \"stdio\"\ncommand = {}\n", Value::from(server))),
                    ("HTTP", "transport = \"http\"\nurl = \"http://127.0.0.1:{upstream}/mcp\"\n".to_owned()),
                ];
                let lanes = behind.map(|(way, backend)| {
                    let file = places.file(&format!("mcp-proxy-{way}.toml"));
                    let text = format!("{LISTEN}\n[[backends]]\nname = \"one\"\n{backend}");
                    super::with(
                        lane(way, words(&[&program, "--config", &file])),
                        json!({"path": "/", "tool": "one/echo", "files": [[file, text]]}),
                    )
                });
                lanes.to_vec()
            }
            Self::Npm => {
                let command =
                    ["node", &program, "--port", "{port}", "--host", "127.0.0.1", "--server", "stream"];
                vec![lane("stdio", words(&[&command[..], &["--", &server]].concat()))]
            }
            Self::Pip => {
                let command = [&program, "--port", "{port}", "--log-level", "ERROR", "--", &server];
                vec![super::with(lane("stdio", words(&command)), json!({"path": "/mcp/"}))]
            }
        }
    }

    /// It with as many servers as we have, where it can have several.
    pub(super) fn idle(self, places: &Places<'_>, program: &Path) -> Option<Value> {
        let Self::Crates = self else { return None };
        let server = Value::from(places.server());
        let backends: String = (0..IDLE_SERVERS)
            .map(|number| {
                format!("[[backends]]\nname = \"s{number}\"\ntransport = \"stdio\"\ncommand = {server}\n")
            })
            .collect();
        let file = places.file("mcp-proxy-idle.toml");
        Some(json!({
            "name": self.title(),
            "command": [program, "--config", file],
            "files": [[file, format!("{LISTEN}\n{backends}")]],
            "announces": "nothing",
            "path": "/",
            "tool": "s0/echo",
            "arguments": r#"{"text":"{text}"}"#,
        }))
    }
}

/// Where it listens, and that it logs errors only, as we do.
const LISTEN: &str = "[proxy]\nname = \"bench\"\nseparator = \"/\"\n\n[proxy.listen]\nhost = \"127.0.0.1\"\nport = {port}\n\n[observability]\nlog_level = \"error\"\n";
