//! What the suite's server scenarios run against: the server of the testkit, and the gateway before it.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::running::Running;
use crate::step::Failure;
use crate::workspace::Workspace;

const STEP: &str = "conformance: start";

/// The server of the testkit that has everything that the suite asks for.
pub fn fixture(workspace: &Workspace, program: &Path, words: &[&str]) -> Result<Running, Failure> {
    let fixture = workspace.program(&program.to_string_lossy()).args(words).args(["--http", "0"]);
    Running::start(&fixture, STEP)
}

/// The gateway before one server, with a home of its own below this folder.
pub fn gateway(
    workspace: &Workspace,
    program: &Path,
    server: &str,
    folder: &Path,
) -> Result<Running, Failure> {
    let home = folder.join("home");
    let file = home.join("toolwright.json");
    let servers = json!({"fixture": {"url": server}});
    let toolbox = json!({"description": "For the suite", "mcpServers": servers});
    let configuration = json!({"toolboxes": {"fixture": toolbox}});
    fs::create_dir_all(&home)
        .and_then(|()| fs::write(&file, configuration.to_string()))
        .map_err(|error| Failure::new(STEP, format!("{} cannot be written: {error}", file.display())))?;
    let serve = ["serve", "--no-auth", "--port", "0", "--config"];
    let gateway = workspace.program(&program.to_string_lossy()).args(serve).arg(&file);
    let gateway = gateway.env("HOME", &home).env("XDG_STATE_HOME", home.join("state"));
    let mut running = Running::start(&gateway.env("XDG_RUNTIME_DIR", &home), STEP)?;
    let host = running.url.trim_start_matches("http://");
    let host = host.split('/').next().unwrap_or(host);
    running.url = format!("http://{host}/mcp/t/fixture");
    Ok(running)
}
