//! The property tests of the normalizer, run until ten million cases have passed.
//!
//! Rounds of about a minute, each with fresh random cases, so that progress is seen and a time
//! limit is kept. Every test in the `laws` binaries is a property and runs `PROPTEST_CASES` cases.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;

const STEP: &str = "property campaign";

/// How many cases must pass, all properties together.
const GOAL_CASES: u64 = 10_000_000;

/// Cases per property in the first round, which shows how fast this machine is.
const FIRST_ROUND_CASES: u64 = 1_000;

/// How long a later round should take.
const ROUND: Duration = Duration::from_secs(60);

/// With less time left than this, no other round begins.
const SHORTEST_ROUND: Duration = Duration::from_secs(2);

/// How many generated inputs a property may pass over for each one it keeps.
const REJECTS_PER_CASE: u64 = 20;

/// Optimised, yet with every assertion of a debug build.
const PROFILE: [&str; 6] = [
    "--config",
    "profile.campaign.inherits=\"release\"",
    "--config",
    "profile.campaign.debug-assertions=true",
    "--profile",
    "campaign",
];

/// Runs rounds until the goal or the limit is reached.
pub fn run(workspace: &Workspace, limit: Option<Duration>) -> Result<(), Failure> {
    announce(STEP);
    let laws = Laws::build(workspace)?;
    note(&format!("{} properties", laws.properties));
    let begin = Instant::now();
    let mut passed = 0;
    let mut cases = FIRST_ROUND_CASES;
    while passed < GOAL_CASES {
        let round = Instant::now();
        laws.round(cases)?;
        passed += cases * laws.properties;
        note(&format!("{passed} of {GOAL_CASES} cases passed, {:.0} s", begin.elapsed().as_secs_f64()));
        let left = limit.map(|limit| limit.saturating_sub(begin.elapsed()));
        if passed < GOAL_CASES && left.is_some_and(|left| left < SHORTEST_ROUND) {
            note("the time is over before the goal was reached");
            break;
        }
        let time = left.map_or(ROUND, |left| left.min(ROUND));
        let goal_left = GOAL_CASES.saturating_sub(passed).div_ceil(laws.properties);
        cases = next_round(cases, round.elapsed(), time).min(goal_left).max(1);
    }
    Ok(())
}

/// How many cases per property fit into `time`, going by the round before.
fn next_round(cases: u64, took: Duration, time: Duration) -> u64 {
    let rate = cases as f64 / took.as_secs_f64().max(1e-3);
    (rate * time.as_secs_f64()) as u64
}

/// The built test binaries. They are run directly, so that a file that is saved in the meantime
/// does not stop the campaign for a build.
struct Laws {
    binaries: Vec<Invocation>,
    /// How many properties they hold together, never 0.
    properties: u64,
}

impl Laws {
    fn build(workspace: &Workspace) -> Result<Self, Failure> {
        let build = workspace
            .cargo(["test", "--package", "toolwright-normalizer", "--test", "laws*", "--no-run"])
            .args(PROFILE)
            .arg("--message-format=json-render-diagnostics");
        let folder = workspace.root().join("crates/normalizer");
        let binaries: Vec<Invocation> =
            executables(&build.read(STEP)?).iter().map(|path| Invocation::new(path, &folder)).collect();
        let mut properties = 0;
        for binary in &binaries {
            properties += count_listed(&binary.clone().args(["--list", "--format", "terse"]).read(STEP)?);
        }
        if properties == 0 {
            return Err(Failure::new(STEP, "the normalizer has no `laws` tests").repeat_with(&build));
        }
        Ok(Self { binaries, properties })
    }

    fn round(&self, cases: u64) -> Result<(), Failure> {
        for binary in &self.binaries {
            binary
                .clone()
                .arg("--quiet")
                .env("PROPTEST_CASES", cases.to_string())
                .env("PROPTEST_MAX_GLOBAL_REJECTS", (cases * REJECTS_PER_CASE).to_string())
                .run(STEP)?;
        }
        Ok(())
    }
}

/// The test binaries that cargo reports, one message a line.
fn executables(messages: &str) -> Vec<PathBuf> {
    let executable = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        message.get("executable")?.as_str().map(PathBuf::from)
    };
    messages.lines().filter_map(executable).collect()
}

fn count_listed(list: &str) -> u64 {
    list.lines().filter(|line| line.ends_with(": test")).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_are_counted() {
        assert_eq!(count_listed("valid_stays: test\nidempotent: test\n\n2 tests, 0 benchmarks\n"), 2);
    }

    #[test]
    fn libraries_have_no_executable() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","executable":"/t/laws-1"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executables(messages), [PathBuf::from("/t/laws-1")]);
    }

    #[test]
    fn a_round_grows_to_the_time_it_has() {
        assert_eq!(next_round(1_000, Duration::from_millis(500), Duration::from_secs(60)), 120_000);
    }
}
