//! `cargo xtask soak`: the figures of connections and of the whole gateway in full size, as they ship.

use crate::step::{self, Failure};
use crate::workspace::Workspace;

/// Builds the gateway and the testkit and runs the figures; a fault in one of them is a failure.
pub fn run(workspace: &Workspace, words: &[String]) -> Result<(), Failure> {
    let packages = ["build", "--release", "--package", "toolwright-testkit", "--package", "toolwright"];
    let build = workspace.cargo(packages);
    step::run("soak: build", &build)?;
    let soak = workspace.program(&workspace.target().join("release/soak").to_string_lossy());
    step::run("soak", &soak.args(words))
}
