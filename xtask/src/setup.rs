//! What the tasks need: looked for first, installed only when missing, and said aloud.

use std::time::Duration;

use crate::disturbers;
use crate::mosquitto;
use crate::optional;
use crate::peers;
use crate::postgres;
use crate::step::{Failure, announce, note};
use crate::tmux;
use crate::workspace::Workspace;

/// How long the advisory database may take to arrive before it counts as out of reach.
const ADVISORIES_LIMIT: Duration = Duration::from_secs(60);

/// A part of the Rust toolchain that a minimal installation leaves out.
struct Component {
    /// The cargo command it brings.
    command: &'static str,
    /// Its name for rustup.
    name: &'static str,
}

const COMPONENTS: [Component; 2] =
    [Component { command: "fmt", name: "rustfmt" }, Component { command: "clippy", name: "clippy" }];

/// Makes sure of everything without which the tests cannot run.
pub fn for_tests(workspace: &Workspace) -> Result<(), Failure> {
    announce("setup");
    for component in &COMPONENTS {
        if has_cargo_command(workspace, component.command) {
            continue;
        }
        note(&format!("installing {} (the toolchain has none)", component.name));
        workspace.program("rustup").args(["component", "add", component.name]).run("setup")?;
    }
    postgres::install(workspace)?;
    mosquitto::install(workspace)?;
    tmux::install(workspace)?;
    disturbers::install(workspace)?;
    optional::install(workspace);
    peers::install(workspace)
}

/// Whether cargo has this command, built in or installed.
pub fn has_cargo_command(workspace: &Workspace, command: &str) -> bool {
    workspace.cargo([command, "--version"]).succeeds()
}

/// Whether a nightly toolchain is installed. It is never installed from here.
pub fn has_nightly(workspace: &Workspace) -> bool {
    // `rustup run` alone could fetch a toolchain that is missing; the list only looks.
    let list = workspace.program("rustup").args(["toolchain", "list"]);
    list.read("setup").is_ok_and(|text| text.lines().any(|line| line.starts_with("nightly")))
}

/// Makes sure of `cargo fuzz`.
pub fn cargo_fuzz(workspace: &Workspace) -> Result<(), Failure> {
    if has_cargo_command(workspace, "fuzz") {
        return Ok(());
    }
    note(
        "installing cargo-fuzz (there is a nightly toolchain but no `cargo fuzz`); this takes a minute or two",
    );
    workspace.cargo(["install", "cargo-fuzz", "--locked"]).run("setup")
}

/// Whether the database of security advisories can be fetched now.
pub fn has_advisories(workspace: &Workspace) -> bool {
    workspace.cargo(["deny", "fetch", "db"]).succeeds_within(ADVISORIES_LIMIT)
}
