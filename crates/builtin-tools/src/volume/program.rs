//! Running one of the programs that control the sound.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// How long a program may take. They answer in milliseconds, or hang when their daemon does.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How much of what a program says is repeated.
const MAX_SAID_CHARS: usize = 200;

/// What these programs need of our environment to find their daemon. The rest, with whatever secrets are in
/// it, is none of their business.
const KEPT: [&str; 7] =
    ["DBUS_SESSION_BUS_ADDRESS", "HOME", "LOGNAME", "PATH", "TMPDIR", "USER", "WAYLAND_DISPLAY"];
const KEPT_PREFIXES: [&str; 4] = ["ALSA_", "PIPEWIRE_", "PULSE_", "XDG_"];

/// A program that was found.
pub(super) struct Program(PathBuf);

/// Why a program was of no use.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProgramError {
    #[error("it cannot be started: {0}")]
    Start(io::Error),
    #[error("no answer within {} seconds", TIMEOUT.as_secs())]
    Timeout,
    #[error("{0}")]
    Failed(String),
    #[error("it printed something unexpected: {}", cut(.0))]
    Unclear(String),
}

impl Program {
    /// Looks for a program in the folders of `path`, or of this process's own `PATH`.
    pub(super) fn find(name: &str, path: Option<&OsStr>) -> Option<Program> {
        let path = path.map_or_else(|| env::var_os("PATH"), |path| Some(path.to_owned()))?;
        env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file)).map(Program)
    }

    /// Runs it and gives what it printed. It ends when the call is dropped.
    pub(super) async fn run(&self, arguments: &[String]) -> Result<String, ProgramError> {
        let mut command = Command::new(&self.0);
        command.args(arguments).env_clear().envs(environment());
        // What is read afterwards is English.
        command.env("LC_ALL", "C").stdin(Stdio::null()).kill_on_drop(true);
        let output = match tokio::time::timeout(TIMEOUT, command.output()).await {
            Err(_) => return Err(ProgramError::Timeout),
            Ok(Err(error)) => return Err(ProgramError::Start(error)),
            Ok(Ok(output)) => output,
        };
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(printed);
        }
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = if complaint.trim().is_empty() { printed } else { complaint };
        Err(ProgramError::Failed(match said.trim() {
            "" => output.status.to_string(),
            said => cut(said),
        }))
    }
}

fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        KEPT.contains(&name.as_ref()) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    })
}

fn is_program(file: &std::path::Path) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    #[cfg(unix)]
    let executable = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let executable = true;
    metadata.is_file() && executable
}

/// One line, not too long.
fn cut(said: &str) -> String {
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SAID_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
