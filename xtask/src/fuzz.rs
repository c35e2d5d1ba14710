//! `cargo xtask fuzz`: a campaign of property tests on stable, and libFuzzer where it can run.

mod campaign;
mod libfuzzer;

use std::time::Duration;

use crate::arguments::{FuzzOptions, FuzzTarget};
use crate::setup;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;

/// How long each libFuzzer target runs when no time was given.
const DEFAULT_TARGET_TIME: Duration = Duration::from_secs(5 * 60);

/// The share of the given time that the property campaign gets when everything runs.
const CAMPAIGN_SHARE: f64 = 0.5;

/// What to run, and for how long.
#[derive(Debug, PartialEq)]
struct Plan {
    /// The property campaign, with its time limit if it has one.
    campaign: Option<Option<Duration>>,
    /// The libFuzzer targets.
    targets: Vec<FuzzTarget>,
    /// The time of each of them.
    target_time: Duration,
}

impl Plan {
    fn new(options: &FuzzOptions) -> Self {
        let libfuzzer = FuzzTarget::ALL.into_iter().filter(|target| *target != FuzzTarget::Laws);
        match options.target {
            Some(FuzzTarget::Laws) => {
                Self { campaign: Some(options.time), targets: Vec::new(), target_time: Duration::ZERO }
            }
            Some(target) => {
                let target_time = options.time.unwrap_or(DEFAULT_TARGET_TIME);
                Self { campaign: None, targets: vec![target], target_time }
            }
            None => {
                let targets: Vec<_> = libfuzzer.collect();
                let share = |time: Duration| time.mul_f64((1.0 - CAMPAIGN_SHARE) / targets.len() as f64);
                let target_time = options.time.map_or(DEFAULT_TARGET_TIME, share);
                let campaign = Some(options.time.map(|time| time.mul_f64(CAMPAIGN_SHARE)));
                Self { campaign, targets, target_time }
            }
        }
    }
}

/// Runs what was asked for; the first find ends the run.
pub fn run(workspace: &Workspace, options: &FuzzOptions) -> Result<(), Failure> {
    let plan = Plan::new(options);
    if let Some(limit) = plan.campaign {
        campaign::run(workspace, limit)?;
    }
    if plan.targets.is_empty() {
        return Ok(());
    }
    if let Err(missing) = libfuzzer_at_hand(workspace) {
        // Somebody who names a target wants it to run; somebody who wants everything takes what is there.
        if options.target.is_some() {
            return Err(missing);
        }
        note(&format!("libFuzzer targets are skipped.\n{missing}"));
        return Ok(());
    }
    for target in plan.targets {
        libfuzzer::run(workspace, target, plan.target_time)?;
    }
    Ok(())
}

fn libfuzzer_at_hand(workspace: &Workspace) -> Result<(), Failure> {
    announce("libFuzzer");
    if !setup::has_nightly(workspace) {
        return Err(Failure::new(
            "libFuzzer",
            "it needs a nightly toolchain: `rustup toolchain install nightly`",
        ));
    }
    setup::cargo_fuzz(workspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn everything_shares_the_given_time() {
        let plan = Plan::new(&FuzzOptions { time: Some(HOUR), target: None });
        assert_eq!(plan.campaign, Some(Some(HOUR / 2)));
        let targets: Vec<_> =
            FuzzTarget::ALL.into_iter().filter(|target| *target != FuzzTarget::Laws).collect();
        assert_eq!(plan.targets, targets);
        // A share is rounded to the nanosecond, so they are compared in milliseconds.
        assert_eq!(plan.target_time.as_millis(), (HOUR / 2 / targets.len() as u32).as_millis());
    }

    #[test]
    fn without_a_time_the_campaign_runs_to_its_goal() {
        let plan = Plan::new(&FuzzOptions::default());
        assert_eq!(plan.campaign, Some(None));
        assert_eq!(plan.target_time, DEFAULT_TARGET_TIME);
    }

    #[test]
    fn one_target_gets_all_the_time() {
        let plan = Plan::new(&FuzzOptions { time: Some(HOUR), target: Some(FuzzTarget::Rules) });
        assert_eq!(plan, Plan { campaign: None, targets: vec![FuzzTarget::Rules], target_time: HOUR });

        let plan = Plan::new(&FuzzOptions { time: Some(HOUR), target: Some(FuzzTarget::Laws) });
        assert_eq!(plan.campaign, Some(Some(HOUR)));
        assert!(plan.targets.is_empty());
    }
}
