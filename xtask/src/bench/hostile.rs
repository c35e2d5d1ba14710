//! `cargo xtask bench hostile`: one server with bad habits, behind us and behind other gateways.
//!
//! Every case has a fresh gateway, and its caller gives up after 12 s (60 s for the large result). The
//! others are installed under the target folder; one that cannot be had says so in its column.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lane::python_environment;
use super::{print, write};
use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;

const STEP: &str = "bench hostile";

/// One gateway, with the version that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gateway {
    Ours,
    McpProxy,
    Supergateway,
    Fastmcp,
}

impl Gateway {
    const ALL: [Self; 4] = [Self::Ours, Self::McpProxy, Self::Supergateway, Self::Fastmcp];

    fn name(self) -> &'static str {
        match self {
            Self::Ours => "toolwright",
            Self::McpProxy => "mcp-proxy",
            Self::Supergateway => "supergateway",
            Self::Fastmcp => "fastmcp",
        }
    }

    fn version(self) -> &'static str {
        match self {
            Self::Ours => env!("CARGO_PKG_VERSION"),
            Self::McpProxy => "0.13.0",
            Self::Supergateway => "4.0.0",
            Self::Fastmcp => "4.1.2",
        }
    }

    fn title(self) -> String {
        format!("{} {}", self.name(), self.version())
    }

    /// Installs it where it is missing, and says with which words the driver drives it.
    fn set_up(self, workspace: &Workspace, server: &Path) -> Result<Vec<String>, Failure> {
        let folder = workspace.target().join("peers");
        let shown = |path: PathBuf| path.to_string_lossy().into_owned();
        let server = server.to_string_lossy().into_owned();
        let mut words = vec!["peer".to_owned()];
        match self {
            Self::Ours => return Ok(vec!["ours".to_owned()]),
            Self::McpProxy => {
                words.push(shown(self.python_program(workspace, &folder)?));
                words.extend(["--port", "{port}", "--", &server, "--lists-habits"].map(str::to_owned));
            }
            Self::Fastmcp => {
                words.push(shown(self.python_program(workspace, &folder)?));
                let file = folder.join("fastmcp.json");
                let config =
                    json!({"mcpServers": {"hostile": {"command": server, "args": ["--lists-habits"]}}});
                write(&file, &config.to_string())?;
                words.extend(["run".to_owned(), shown(file)]);
                let rest = ["--transport", "http", "--port", "{port}", "--no-banner", "--skip-env"];
                words.extend(rest.map(str::to_owned));
            }
            Self::Supergateway => {
                let script = self.node_script(workspace, &folder.join(self.name()))?;
                words.extend(["node".to_owned(), shown(script), "--stdio".to_owned()]);
                words.push(format!("\"{server}\" --lists-habits"));
                let rest = ["--outputTransport", "streamableHttp", "--stateful", "--port", "{port}"];
                words.extend(rest.map(str::to_owned));
            }
        }
        Ok(words)
    }

    /// The program of a package for Python, in an environment of its own.
    fn python_program(self, workspace: &Workspace, folder: &Path) -> Result<PathBuf, Failure> {
        let folder = folder.join(self.name());
        let python = python_environment(workspace, &folder, STEP)?;
        let program = python.with_file_name(self.name());
        if !program.exists() {
            note(&format!("installing {} (pip, under the target folder)", self.title()));
            let wanted = format!("{}=={}", self.name(), self.version());
            let pip = Invocation::new(&python, workspace.root());
            pip.args(["-m", "pip", "install", "--quiet", &wanted]).run(STEP)?;
        }
        Ok(program)
    }

    /// The script of a package for node.
    fn node_script(self, workspace: &Workspace, folder: &Path) -> Result<PathBuf, Failure> {
        if !workspace.program("node").arg("--version").succeeds() {
            return Err(Failure::new(STEP, "node is not installed"));
        }
        let script = folder.join("node_modules").join(self.name()).join("dist/index.js");
        if !script.exists() {
            note(&format!("installing {} (npm, under the target folder)", self.title()));
            let npm =
                workspace.program("npm").args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]);
            npm.arg(folder).arg(format!("{}@{}", self.name(), self.version())).run(STEP)?;
        }
        Ok(script)
    }
}

/// What was seen of one gateway, case by case, or why nothing was.
type Column = Result<Vec<(String, String)>, String>;

/// Holds every gateway against the hostile server and prints the grid.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench hostile: build");
    workspace.cargo(["build", "--release", "--package", "toolwright-testkit"]).run(STEP)?;
    let programs = workspace.target().join("release");
    let mut columns = Vec::new();
    for gateway in Gateway::ALL {
        announce(&format!("{STEP}: {}", gateway.title()));
        let seen = gateway.set_up(workspace, &programs.join("hostile-server")).and_then(|words| {
            let report = Invocation::new(programs.join("grid"), workspace.root()).args(words).read(STEP)?;
            cells(&report).ok_or_else(|| Failure::new(STEP, "its report was not understood"))
        });
        match seen {
            Err(failure) if gateway == Gateway::Ours => return Err(failure),
            Err(failure) => {
                note(&format!("nothing seen of {}:\n{failure}", gateway.name()));
                columns.push((gateway, Err(failure.reason().to_owned())));
            }
            Ok(cells) => columns.push((gateway, Ok(cells))),
        }
    }
    print(&render(&columns))
}

fn cells(report: &str) -> Option<Vec<(String, String)>> {
    let report: Value = serde_json::from_str(report).ok()?;
    let cell =
        |row: &Value| Some((row.get("case")?.as_str()?.to_owned(), row.get("said")?.as_str()?.to_owned()));
    report.get("rows")?.as_array()?.iter().map(cell).collect()
}

/// A table in Markdown: its cells are too wide for columns of a terminal.
fn render(columns: &[(Gateway, Column)]) -> String {
    let line = |words: Vec<String>| format!("| {} |\n", words.join(" | "));
    let mut heads = vec!["case".to_owned()];
    heads.extend(columns.iter().map(|(gateway, _)| gateway.title()));
    let mut text = line(heads);
    text.push_str(&format!("|{}\n", "---|".repeat(columns.len() + 1)));
    let cases = columns.iter().find_map(|(_, column)| column.as_ref().ok()).into_iter().flatten();
    for (number, (case, _)) in cases.enumerate() {
        let mut words = vec![case.clone()];
        words.extend(columns.iter().map(|(_, column)| match column {
            Ok(cells) => cells.get(number).map_or("–".to_owned(), |(_, said)| said.clone()),
            Err(_) => "–".to_owned(),
        }));
        text.push_str(&line(words));
    }
    for (gateway, column) in columns {
        if let Err(reason) = column {
            text.push_str(&format!("\n{}: nothing was seen, {reason}\n", gateway.title()));
        }
    }
    text.push_str(
        "\nA fresh gateway for every case; the caller gives up after 12 s, after 60 s for the large result.\n\
         The others are driven over Streamable HTTP. Ours has no such front yet: its connections and its\n\
         supervisor run in a process of their own that is driven over its stdin, with a timeout of 10 s.\n\
         Memory is that of the gateway's own process.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_that_cannot_be_had_says_so_below_the_grid() {
        let seen = cells(r#"{"rows":[{"case":"answers twice","said":"ok"}]}"#).expect("a report");
        let missing = Err("node is not installed".to_owned());
        let text = render(&[(Gateway::Ours, Ok(seen)), (Gateway::Supergateway, missing)]);
        assert!(
            text.starts_with("| case | toolwright 0.1.0 | supergateway 4.0.0 |\n|---|---|---|\n"),
            "{text}"
        );
        assert!(text.contains("| answers twice | ok | – |"), "{text}");
        assert!(text.contains("supergateway 4.0.0: nothing was seen, node is not installed"), "{text}");
        assert_eq!(cells("Traceback"), None);
    }
}
