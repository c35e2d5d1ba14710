//! `cargo xtask conformance`: the client scenarios of the protocol's own suite, performed by our client.
//!
//! The suite is installed once, under the target folder, with a node that is new enough for it. It is
//! run for each revision that has a set of required scenarios, and all of them have to pass.

mod results;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;
use results::Results;

/// The suite, by its name and version for npm.
const SUITE: &str = "@modelcontextprotocol/conformance";
const SUITE_VERSION: &str = "0.2.0-alpha.12";
/// The node that it runs on: the one of many systems is too old for it.
const NODE: &str = "node@24";
/// The client that performs the scenarios.
const CLIENT: &str = "conformance-client";

/// A set of scenarios that a revision of the protocol requires.
pub struct Requirements {
    revision: &'static str,
    /// How many they are; fewer would mean that the suite was not understood.
    count: usize,
}

const REQUIREMENTS: [Requirements; 2] =
    [Requirements { revision: "2025-11-25", count: 18 }, Requirements { revision: "2026-07-28", count: 32 }];

/// Runs both sets, prints what came of them, and fails if a required scenario did.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.target().join("conformance");
    announce("conformance: setup");
    install(workspace, &folder)?;
    let client = build_client(workspace)?;
    let mut columns = Vec::new();
    for set in &REQUIREMENTS {
        announce(&format!("conformance: client, {}", set.revision));
        let suite = suite(workspace, &folder)
            .args(["client", "--requirements", set.revision, "--command"])
            .arg(&client);
        let (has_passed, text) = suite.read_any("conformance")?;
        columns.push((set, Results::read(&text), has_passed, suite));
    }
    let table: Vec<_> = columns.iter().map(|(set, results, ..)| (set.revision, results)).collect();
    writeln!(io::stdout(), "{}", results::table(&table))
        .map_err(|error| Failure::new("conformance", format!("cannot print: {error}")))?;
    columns.iter().try_for_each(|(set, results, has_passed, suite)| {
        judge(set, results, *has_passed).map_err(|reason| {
            Failure::new(format!("conformance: client, {}", set.revision), reason).repeat_with(suite)
        })
    })
}

/// Both the suite and its own lines have to say that everything passed.
fn judge(set: &Requirements, results: &Results, has_passed: bool) -> Result<(), String> {
    let failed = results.failed();
    if !failed.is_empty() {
        return Err(format!("failed: {}", failed.join(", ")));
    }
    let passed = results.passed();
    if passed != set.count {
        return Err(format!("{passed} of {} required scenarios were seen to pass", set.count));
    }
    if has_passed { Ok(()) } else { Err("the suite does not say why it failed".to_owned()) }
}

fn install(workspace: &Workspace, folder: &Path) -> Result<(), Failure> {
    let step = "conformance: setup";
    if installed_version(folder).as_deref() == Some(SUITE_VERSION) && node(folder).exists() {
        return Ok(());
    }
    if !workspace.program("npm").arg("--version").succeeds() {
        return Err(Failure::new(step, "npm is not installed, and the suite comes from there"));
    }
    note("installing the suite (npm, under the target folder)");
    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(step, format!("{} cannot be made: {error}", folder.display())))?;
    let npm = workspace.program("npm").args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]);
    npm.arg(folder).args([NODE, &format!("{SUITE}@{SUITE_VERSION}")]).run(step)
}

fn package(folder: &Path) -> PathBuf {
    folder.join("node_modules").join(SUITE)
}

fn node(folder: &Path) -> PathBuf {
    folder.join("node_modules/node/bin").join(format!("node{}", env::consts::EXE_SUFFIX))
}

fn installed_version(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(package(folder).join("package.json")).ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    manifest.get("version").and_then(Value::as_str).map(str::to_owned)
}

fn suite(workspace: &Workspace, folder: &Path) -> Invocation {
    workspace.program(&node(folder).to_string_lossy()).arg(package(folder).join("dist/index.js"))
}

fn build_client(workspace: &Workspace) -> Result<PathBuf, Failure> {
    // The whole workspace shares its dependencies; a package by itself builds them anew.
    let build = ["build", "--quiet", "--workspace", "--bin", CLIENT];
    workspace.cargo(build).run("conformance: setup")?;
    Ok(workspace.target().join("debug").join(format!("{CLIENT}{}", env::consts::EXE_SUFFIX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: Requirements = Requirements { revision: "2030-01-01", count: 2 };

    fn judged(text: &str, has_passed: bool) -> Result<(), String> {
        judge(&SET, &Results::read(text), has_passed)
    }

    #[test]
    fn only_a_full_set_that_the_suite_agrees_with_has_passed() {
        let both = "✓ a: 1 passed, 0 failed\n✓ b: 2 passed, 0 failed\n";
        assert_eq!(judged(both, true), Ok(()));
        assert!(judged(both, false).is_err());
        assert!(judged("✓ a: 1 passed, 0 failed\n", true).is_err());
        assert!(judged("", true).is_err());
        let failed = judged("✓ a: 1 passed, 0 failed\n✗ b: 2 passed, 1 failed\n", true);
        assert_eq!(failed, Err("failed: b".to_owned()));
    }
}
