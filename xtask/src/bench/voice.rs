//! `cargo xtask bench voice`: from what is said on MQTT to the published answer, without a model.

use super::print;
use crate::invocation::Invocation;
use crate::step::{Failure, announce};
use crate::workspace::Workspace;

const STEP: &str = "bench voice";

/// Starts the voice over a small house, or over what `--config` names, and prints percentiles.
pub fn run(workspace: &Workspace, words: &[String]) -> Result<(), Failure> {
    announce("bench voice: build");
    let packages = ["build", "--release", "--package", "toolwright", "--package", "toolwright-testkit"];
    let programs = ["--bin", "toolwright", "--bin", "voice-bench", "--bin", "switch-server"];
    workspace.cargo(packages).args(programs).run(STEP)?;
    let folder = workspace.target().join("release");
    announce("bench voice: commands");
    let measured = Invocation::new(folder.join("voice-bench"), workspace.root())
        .arg(folder.join("toolwright"))
        .args(words)
        .read(STEP)?;
    print(&measured)
}
