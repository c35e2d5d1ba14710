//! `cargo xtask bench pages`: how long every page takes over a million recorded calls.

use super::print;
use crate::invocation::Invocation;
use crate::step::{Failure, announce};
use crate::workspace::Workspace;

const STEP: &str = "bench pages";

/// Fills an index, opens every page, prints the table.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench pages: build");
    let packages = ["build", "--release", "--package", "toolwright", "--package", "toolwright-testkit"];
    workspace.cargo(packages).args(["--bin", "toolwright", "--bin", "pages-bench"]).run(STEP)?;
    let programs = workspace.target().join("release");
    announce("bench pages: a million calls");
    let measured = Invocation::new(programs.join("pages-bench"), workspace.root())
        .arg(programs.join("toolwright"))
        .read(STEP)?;
    print(&measured)
}
