//! Programs that serve while something else runs.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use crate::invocation::Invocation;
use crate::step::Failure;

/// Longer than a program takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

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
    /// Its number for the system.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Starts a program and waits for its address.
    pub fn start(invocation: &Invocation, step: &str) -> Result<Running, Failure> {
        let mut child = invocation.start(step)?;
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
        Err(Failure::new(step, format!("no address was said:\n{heard}")).repeat_with(invocation))
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
