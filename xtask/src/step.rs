//! Saying what is being done, and what went wrong.

use std::fmt;
use std::sync::OnceLock;
use std::time::Instant;

use crate::invocation::Invocation;

/// A step that did not succeed.
#[derive(Debug)]
pub struct Failure {
    step: String,
    reason: String,
    repeat: Option<String>,
}

impl Failure {
    /// A failure of `step` for a reason that a person can act on.
    pub fn new(step: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { step: step.into(), reason: reason.into(), repeat: None }
    }

    /// What went wrong, without the step and the command.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Puts what it means for people before what went wrong.
    pub fn because(mut self, meaning: &str) -> Self {
        self.reason = format!("{meaning}\n    ({})", self.reason);
        self
    }

    /// Both failures as one.
    pub fn and(mut self, other: Self) -> Self {
        self.reason = format!("{}\n    {}", self.reason, other.reason);
        self.repeat = self.repeat.or(other.repeat);
        self
    }

    /// Adds the command that shows the failure again.
    pub fn repeat_with(mut self, invocation: &Invocation) -> Self {
        self.repeat = Some(invocation.to_string());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "==> failed: {}\n    {}", self.step, self.reason)?;
        match &self.repeat {
            Some(command) => write!(f, "\n    to repeat this step alone: {command}"),
            None => Ok(()),
        }
    }
}

/// Announces a step, with the time since the first one.
pub fn announce(step: &str) {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let since = BEGAN.get_or_init(Instant::now).elapsed().as_secs();
    eprintln!("==> {step} ({}:{:02})", since / 60, since % 60);
}

/// Says something about the step that runs.
pub fn note(text: &str) {
    eprintln!("    {text}");
}

/// Announces a step and runs its one command.
pub fn run(step: &str, invocation: &Invocation) -> Result<(), Failure> {
    announce(step);
    invocation.run(step)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_failure_names_the_step_the_reason_and_the_command() {
        let fmt = Invocation::new("cargo", Path::new(".")).args(["fmt", "--check"]);
        let failure = Failure::new("fmt", "the command ended with exit status: 1").repeat_with(&fmt);
        assert_eq!(
            failure.to_string(),
            "==> failed: fmt\n    the command ended with exit status: 1\n    \
             to repeat this step alone: cargo fmt --check"
        );
    }
}
