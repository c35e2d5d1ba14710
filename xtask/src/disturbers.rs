//! Programs by which tests let the disk and the clock fail. Where one is missing, its tests say that they are left out.

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: strace and faketime";

/// Programs, each with the Debian package of the same name.
const PROGRAMS: [&str; 2] = ["strace", "faketime"];

/// Installs those that are missing, where that is allowed.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    let missing: Vec<&str> = PROGRAMS.into_iter().filter(|program| !debian::has_program(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" and ");
    if !debian::may_install(workspace) {
        note(&format!("{names} is missing: the tests that need it are left out"));
        return Ok(());
    }
    note(&format!("installing {names} (apt-get, for the tests in which disk and clock fail)"));
    debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    debian::apt(workspace, &[&["install", "--yes", "--no-install-recommends"], &*missing].concat()).run(STEP)
}
