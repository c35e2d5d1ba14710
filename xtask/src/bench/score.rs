//! The corpus score: how many broken calls the release binary mends, and how many traps it avoids.

use crate::step::{self, Failure};
use crate::workspace::Workspace;

/// Builds the release binary and runs the corpus through it.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    step::run("score: build", &workspace.cargo(["build", "--release", "--package", "toolwright"]))?;
    let score =
        workspace.cargo(["run", "--release", "--quiet", "--package", "toolwright-bench", "--bin", "score"]);
    let binary = workspace.target().join("release").join("toolwright");
    step::run("score", &score.args(["--", "run", "--toolwright"]).arg(binary))
}
