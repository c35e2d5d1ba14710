//! `cargo xtask conformance`: the protocol's own suite. Its client scenarios are performed by our client, its server
//! scenarios run through the gateway, before a server that has everything they ask for.
//!
//! The suite is installed once, under the target folder, with a node that is new enough for it. It is
//! run for each revision that has a set of required scenarios, and all of them have to pass.

mod results;
mod served;

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
/// The client that performs the client scenarios.
const CLIENT: &str = "conformance-client";
/// The server behind the gateway, and the gateway.
const SERVER: &str = "conformance-server";
const GATEWAY: &str = "toolwright";

/// A set of scenarios that a revision of the protocol requires.
pub struct Requirements {
    revision: &'static str,
    /// How many they are; fewer would mean that the suite was not understood.
    count: usize,
}

const CLIENT_SETS: [Requirements; 2] =
    [Requirements { revision: "2025-11-25", count: 18 }, Requirements { revision: "2026-07-28", count: 32 }];

/// The server scenarios, and the families that the server behind the gateway speaks. One that speaks both asks its
/// client as the servers of the official SDKs do, by requests that a legacy client alone can answer; with a modern one
/// the first set is translated between the families.
const SERVER_SETS: [(Requirements, &str, &[&str]); 5] = [
    (Requirements { revision: "2025-11-25", count: 30 }, "2025-11-25, legacy server", &["--legacy"]),
    (Requirements { revision: "2025-11-25", count: 30 }, "2025-11-25, modern server", &["--modern"]),
    (Requirements { revision: "2025-11-25", count: 30 }, "2025-11-25, server of both", &[]),
    (Requirements { revision: "2026-07-28", count: 37 }, "2026-07-28, modern server", &["--modern"]),
    (Requirements { revision: "2026-07-28", count: 37 }, "2026-07-28, server of both", &[]),
];

/// One run of the suite.
struct Column<'s> {
    title: &'static str,
    set: &'s Requirements,
    results: Results,
    has_passed: bool,
    suite: Invocation,
}

/// Runs every set, prints what came of them, and fails if a required scenario did.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.target().join("conformance");
    announce("conformance: setup");
    install(workspace, &folder)?;
    build(workspace)?;
    let clients = client_half(workspace, &folder)?;
    print("client", &clients)?;
    let servers = server_half(workspace, &folder)?;
    print("server", &servers)?;
    clients.iter().try_for_each(|column| column.judge("client"))?;
    servers.iter().try_for_each(|column| column.judge("server"))
}

fn client_half(workspace: &Workspace, folder: &Path) -> Result<Vec<Column<'static>>, Failure> {
    let mut columns = Vec::new();
    for set in &CLIENT_SETS {
        announce(&format!("conformance: client, {}", set.revision));
        let suite = suite(workspace, folder)
            .args(["client", "--requirements", set.revision, "--command"])
            .arg(program(workspace, CLIENT));
        columns.push(Column::run(set.revision, set, suite)?);
    }
    Ok(columns)
}

fn server_half(workspace: &Workspace, folder: &Path) -> Result<Vec<Column<'static>>, Failure> {
    let mut columns = Vec::new();
    for (set, title, words) in &SERVER_SETS {
        announce(&format!("conformance: server, {title}"));
        let fixture = served::fixture(workspace, &program(workspace, SERVER), words)?;
        let gateway = served::gateway(workspace, &program(workspace, GATEWAY), &fixture.url, folder)?;
        let words = ["server", "--requirements", set.revision, "--url", &gateway.url];
        columns.push(Column::run(title, set, suite(workspace, folder).args(words))?);
    }
    Ok(columns)
}

fn print(half: &str, columns: &[Column<'_>]) -> Result<(), Failure> {
    let table: Vec<_> = columns.iter().map(|column| (column.title, &column.results)).collect();
    writeln!(io::stdout(), "{half} scenarios\n{}\n", results::table(&table))
        .map_err(|error| Failure::new("conformance", format!("cannot print: {error}")))
}

impl<'s> Column<'s> {
    fn run(title: &'static str, set: &'s Requirements, suite: Invocation) -> Result<Column<'s>, Failure> {
        let (has_passed, text) = suite.read_any("conformance")?;
        Ok(Column { title, set, results: Results::read(&text), has_passed, suite })
    }

    fn judge(&self, half: &str) -> Result<(), Failure> {
        judge(self.set, &self.results, self.has_passed).map_err(|reason| {
            Failure::new(format!("conformance: {half}, {}", self.title), reason).repeat_with(&self.suite)
        })
    }
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

fn program(workspace: &Workspace, name: &str) -> PathBuf {
    workspace.target().join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

fn build(workspace: &Workspace) -> Result<(), Failure> {
    // The whole workspace shares its dependencies; a package by itself builds them anew.
    let build = ["build", "--quiet", "--workspace", "--bin", CLIENT, "--bin", SERVER, "--bin", GATEWAY];
    workspace.cargo(build).run("conformance: setup")
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
