//! Programs that serve while the suite runs: the server of the testkit, and the gateway before it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::invocation::Invocation;
use crate::step::Failure;
use crate::workspace::Workspace;

/// Longer than a program takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const STEP: &str = "conformance: start";

/// A program that has said where it is; it ends with this value.
pub struct Running {
    child: Child,
    /// The address it said first.
    pub url: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself: then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Starts a program and waits for its address.
    fn start(invocation: &Invocation) -> Result<Running, Failure> {
        let mut child = invocation.start(STEP)?;
        let (lines, said) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            listen(stdout, lines.clone());
        }
        if let Some(stderr) = child.stderr.take() {
            listen(stderr, lines);
        }
        let mut running = Running { child, url: String::new() };
        let mut heard = String::new();
        while let Ok(line) = said.recv_timeout(PATIENCE) {
            if let Some(url) = address(&line) {
                running.url = url;
                return Ok(running);
            }
            heard.push_str(&line);
            heard.push('\n');
        }
        Err(Failure::new(STEP, format!("no address was said:\n{heard}")).repeat_with(invocation))
    }

    /// The server of the testkit that has everything that the suite asks for.
    pub fn fixture(workspace: &Workspace, program: &Path, words: &[&str]) -> Result<Running, Failure> {
        Running::start(&workspace.program(&program.to_string_lossy()).args(words).args(["--http", "0"]))
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
        let gateway = gateway.env("HOME", &home).env("XDG_STATE_HOME", home.join("state")).env("XDG_RUNTIME_DIR", &home);
        let mut running = Running::start(&gateway)?;
        let host = running.url.trim_start_matches("http://");
        let host = host.split('/').next().unwrap_or(host);
        running.url = format!("http://{host}/mcp/t/fixture");
        Ok(running)
    }
}

/// Reads to the end, whether somebody still wants the lines or not: a full pipe would stop the program.
fn listen(stream: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
}

fn address(line: &str) -> Option<String> {
    let from = line.find("http://127.0.0.1:")?;
    line[from..].split_whitespace().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_first_that_is_said() {
        assert_eq!(address("on http://127.0.0.1:80/mcp now").as_deref(), Some("http://127.0.0.1:80/mcp"));
        assert_eq!(address("nothing yet"), None);
    }
}
