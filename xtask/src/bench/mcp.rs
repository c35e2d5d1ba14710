//! `cargo xtask bench mcp`: one call of a server, direct, through us and through other gateways.
//!
//! All lanes run at once, are measured in turn by the same client over the same kind of connection, several
//! rounds, at 1, 8 and 32 clients. The others are installed under the target folder; one that cannot be had
//! says so in its row.

mod lanes;
mod table;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{print, write};
use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;
use lanes::Peer;

const STEP: &str = "bench mcp";
const ROUNDS: usize = 3;
/// Clients, and calls of all of them in a round; who is slow makes as many as fit into 3 s.
const STEPS: [(usize, u64); 3] = [(1, 1500), (8, 4000), (32, 6000)];

/// Measures every lane and prints the table.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench mcp: build");
    let packages = ["build", "--release", "--package", "toolwright", "--package", "toolwright-testkit"];
    let programs = ["toolwright", "load-server", "mcp-bench"];
    workspace.cargo(packages).args(programs.iter().flat_map(|name| ["--bin", name])).run(STEP)?;
    let programs = workspace.target().join("release");
    let folder = workspace.target().join("bench/mcp");
    let places = Places { programs: &programs, folder: &folder };
    let mut wanted = places.ours();
    let mut idle = vec![places.idle()];
    let mut missing = Vec::new();
    for peer in Peer::ALL {
        announce(&format!("{STEP}: {}", peer.title()));
        match peer.set_up(workspace) {
            Ok(program) => {
                wanted.extend(peer.lanes(&places, &program));
                idle.extend(peer.idle(&places, &program));
            }
            Err(failure) => {
                note(&format!("{} cannot be had:\n{failure}", peer.title()));
                missing.push((peer.title(), failure.reason().to_owned()));
            }
        }
    }
    let steps: Vec<Value> =
        STEPS.iter().map(|(clients, calls)| json!({"clients": clients, "calls": calls})).collect();
    let order = json!({"rounds": ROUNDS, "steps": steps, "lanes": wanted, "idle": idle});
    let file = folder.join("order.json");
    write(&file, &order.to_string())?;
    announce(&format!("{STEP}: {ROUNDS} rounds"));
    let report = Invocation::new(programs.join("mcp-bench"), workspace.root()).arg(file).read(STEP)?;
    let table = table::render(&report, &missing);
    print(&table.ok_or_else(|| Failure::new(STEP, "its report was not understood"))?)
}

/// Where things are.
struct Places<'a> {
    programs: &'a Path,
    folder: &'a Path,
}

impl Places<'_> {
    fn server(&self) -> String {
        shown(&self.programs.join("load-server"))
    }

    fn file(&self, name: &str) -> String {
        shown(&self.folder.join(name))
    }

    /// The server by itself, and we before it.
    fn ours(&self) -> Vec<Value> {
        let echo = |lane: Value| with(lane, json!({"tool": "echo", "arguments": r#"{"text":"{text}"}"#}));
        let toolwright = |name: &str, path: &str| {
            // Each its own: two gateways with one file would be one to `toolwright servers`.
            let file = self.file(&format!("{}.json", name.replace(", ", "-").replace(' ', "-")));
            echo(json!({
                "name": name,
                "command": self.serve(&file),
                "files": [[file, self.configuration().to_string()]],
                "announces": "json",
                "path": path,
            }))
        };
        let meta = |server: &str| {
            let tool = json!({"toolbox": server, "server": server, "name": "echo"});
            let arguments = json!({"tool": tool, "arguments": {"text": "{text}"}}).to_string();
            json!({"tool": "use_tool", "arguments": arguments})
        };
        let modern = json!({"is_modern": true});
        vec![
            echo(json!({"name": "direct, stdio", "command": [self.server()], "announces": "pipe"})),
            echo(json!({"name": "direct, HTTP", "command": [self.server(), "--http"], "announces": "port",
                "path": "/mcp", "is_upstream": true})),
            toolwright("toolwright, stdio", "/mcp/t/piped"),
            toolwright("toolwright, HTTP", "/mcp/t/posted"),
            with(toolwright("toolwright, stdio, modern client", "/mcp/t/piped"), modern.clone()),
            with(toolwright("toolwright, HTTP, modern client", "/mcp/t/posted"), modern),
            with(toolwright("toolwright, stdio, use_tool", "/mcp"), meta("piped")),
        ]
    }

    fn serve(&self, file: &str) -> Vec<String> {
        let words = ["serve", "--no-auth", "--rate", "0", "--port", "0", "--json", "--config", file];
        let program = shown(&self.programs.join("toolwright"));
        [program].into_iter().chain(words.map(str::to_owned)).collect()
    }

    fn configuration(&self) -> Value {
        let toolbox = |name: &str, entry: Value| json!({"description": name, "mcpServers": {name: entry}});
        json!({"toolboxes": {
            "piped": toolbox("piped", json!({"command": self.server()})),
            "posted": toolbox("posted", json!({"url": "http://127.0.0.1:{upstream}/mcp"})),
        }})
    }

    /// Ten servers behind us, and nothing to do.
    fn idle(&self) -> Value {
        let servers: serde_json::Map<String, Value> = (0..lanes::IDLE_SERVERS)
            .map(|number| (format!("s{number}"), json!({"command": self.server()})))
            .collect();
        let file = self.file("idle.json");
        json!({
            "name": format!("toolwright {}", env!("CARGO_PKG_VERSION")),
            "command": self.serve(&file),
            "files": [[file, json!({"mcpServers": servers}).to_string()]],
            "announces": "json",
            "path": "/mcp/all",
            "tool": "",
            "arguments": "{}",
        })
    }
}

/// The lane with these members besides.
fn with(mut lane: Value, more: Value) -> Value {
    if let (Some(lane), Value::Object(more)) = (lane.as_object_mut(), more) {
        lane.extend(more);
    }
    lane
}

fn shown(path: &Path) -> String {
    PathBuf::from(path).to_string_lossy().into_owned()
}
