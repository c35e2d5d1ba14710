//! The property tests of the normalizer, run until ten million cases have passed.
//!
//! Rounds of about a minute, each with fresh random cases, so that progress is seen and a time
//! limit is kept. Every test in the `laws` binaries is a property and runs `PROPTEST_CASES` cases.

use std::time::{Duration, Instant};

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
    let properties = count_properties(workspace)?;
    let begin = Instant::now();
    let mut passed = 0;
    let mut cases = FIRST_ROUND_CASES;
    while passed < GOAL_CASES {
        let round = Instant::now();
        laws(workspace)
            .arg("--quiet")
            .env("PROPTEST_CASES", cases.to_string())
            .env("PROPTEST_MAX_GLOBAL_REJECTS", (cases * REJECTS_PER_CASE).to_string())
            .run(STEP)?;
        passed += cases * properties;
        let left = limit.map(|limit| limit.saturating_sub(begin.elapsed()));
        note(&format!("{passed} of {GOAL_CASES} cases passed, {:.0} s", begin.elapsed().as_secs_f64()));
        if passed < GOAL_CASES && left.is_some_and(|left| left < SHORTEST_ROUND) {
            note("the time is over before the goal was reached");
            break;
        }
        let time = left.map_or(ROUND, |left| left.min(ROUND));
        let goal_left = GOAL_CASES.saturating_sub(passed).div_ceil(properties);
        cases = next_round(cases, round.elapsed(), time).min(goal_left).max(1);
    }
    Ok(())
}

/// How many cases per property fit into `time`, going by the round before.
fn next_round(cases: u64, took: Duration, time: Duration) -> u64 {
    let rate = cases as f64 / took.as_secs_f64().max(1e-3);
    (rate * time.as_secs_f64()) as u64
}

fn count_properties(workspace: &Workspace) -> Result<u64, Failure> {
    let list = laws(workspace).args(["--", "--list", "--format", "terse"]);
    match count_listed(&list.read(STEP)?) {
        0 => Err(Failure::new(STEP, "the `laws` tests of the normalizer are empty").repeat_with(&list)),
        count => {
            note(&format!("{count} properties"));
            Ok(count)
        }
    }
}

fn count_listed(list: &str) -> u64 {
    list.lines().filter(|line| line.ends_with(": test")).count() as u64
}

fn laws(workspace: &Workspace) -> Invocation {
    workspace.cargo(["test", "--package", "toolwright-normalizer", "--test", "laws*"]).args(PROFILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_are_counted() {
        assert_eq!(count_listed("valid_stays: test\nidempotent: test\n\n2 tests, 0 benchmarks\n"), 2);
    }

    #[test]
    fn a_round_grows_to_the_time_it_has() {
        assert_eq!(next_round(1_000, Duration::from_millis(500), Duration::from_secs(60)), 120_000);
    }
}
