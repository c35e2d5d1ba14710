//! One call of another program: how it is run, and how a person would type it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::step::Failure;

/// How often a child with a time limit is looked at.
const POLL: Duration = Duration::from_millis(50);

/// A program with its arguments and the environment it needs besides ours.
#[derive(Clone, Debug)]
pub struct Invocation {
    program: OsString,
    shown_as: String,
    arguments: Vec<OsString>,
    environment: Vec<(String, OsString)>,
    folder: PathBuf,
}

impl Invocation {
    /// A call of `program`, found on the search path.
    pub fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        let program = program.as_ref().to_owned();
        let shown_as = quote(&program);
        let folder = folder.to_owned();
        Self { program, shown_as, arguments: Vec::new(), environment: Vec::new(), folder }
    }

    /// A call of the cargo that started us. It has let go of its build lock by now, so that the
    /// call does not wait for itself.
    pub fn cargo(folder: &Path) -> Self {
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Self { shown_as: "cargo".to_owned(), ..Self::new(program, folder) }
    }

    /// Adds one argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable for the call.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Runs it with our output as its own.
    pub fn run(&self, step: &str) -> Result<(), Failure> {
        let status = self.command().status().map_err(|error| self.not_started(step, &error))?;
        self.judge(step, status)
    }

    /// Runs it and returns whether it succeeded and what it prints; what it says besides is not shown.
    pub fn read_any(&self, step: &str) -> Result<(bool, String), Failure> {
        let output = self.command().stdin(Stdio::null()).stderr(Stdio::null()).output();
        let output = output.map_err(|error| self.not_started(step, &error))?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
    }

    /// Starts it; what it prints can be read.
    pub fn start(&self, step: &str) -> Result<Child, Failure> {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| self.not_started(step, &error))
    }

    /// Runs it and returns what it prints.
    pub fn read(&self, step: &str) -> Result<String, Failure> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.not_started(step, &error))?;
        self.judge(step, output.status)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether it runs and succeeds; what it prints is not shown.
    pub fn succeeds(&self) -> bool {
        self.silent().status().is_ok_and(|status| status.success())
    }

    /// Whether it runs and succeeds in time; it is ended when the time is over.
    pub fn succeeds_within(&self, limit: Duration) -> bool {
        let Ok(child) = self.silent().spawn() else { return false };
        wait_within(child, limit).is_some_and(|status| status.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn silent(&self) -> Command {
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn judge(&self, step: &str, status: ExitStatus) -> Result<(), Failure> {
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(step, format!("the command ended with {status}")).repeat_with(self))
    }

    fn not_started(&self, step: &str, error: &std::io::Error) -> Failure {
        Failure::new(step, format!("{} could not be started: {error}", self.shown_as)).repeat_with(self)
    }
}

/// The line a person would type in the top folder.
impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}={} ", quote(value))?;
        }
        f.write_str(&self.shown_as)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quote(argument)))
    }
}

fn wait_within(mut child: Child, limit: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) => thread::sleep(POLL),
            Err(_) => break,
        }
    }
    // It may have ended in this very moment: then there is nothing left to end.
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(program: &str) -> Invocation {
        Invocation::new(program, Path::new("."))
    }

    #[test]
    fn it_is_shown_as_a_person_would_type_it() {
        let call = call("cargo").args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(call.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn quotes_survive_a_shell() {
        assert_eq!(quote(OsStr::new("it's")), r"'it'\''s'");
        assert_eq!(quote(OsStr::new("")), "''");
    }

    #[test]
    fn a_program_that_is_not_there_does_not_succeed() {
        assert!(!call("no-such-program-anywhere").succeeds());
        assert!(!call("no-such-program-anywhere").succeeds_within(Duration::from_secs(1)));
    }

    #[test]
    fn a_failure_says_how_to_repeat_it() {
        let failure =
            call("cargo").arg("no-such-command").read("demo").expect_err("there is no such command");
        assert!(failure.to_string().contains("cargo no-such-command"), "{failure}");
    }
}
