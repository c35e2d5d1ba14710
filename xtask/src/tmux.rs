//! tmux for the tests of `toolwright tui`: terminals that a test can look at and press keys in.

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: tmux";

/// The program, and the Debian package that it is in.
const TMUX: &str = "tmux";

/// Installs it where it is missing and that is allowed.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    if debian::has_program(TMUX) {
        return Ok(());
    }
    if !debian::may_install(workspace) {
        return Err(Failure::new(STEP, "tmux is missing; install the Debian package tmux and try again"));
    }
    note("installing tmux (apt-get, for the tests in terminals)");
    debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    debian::apt(workspace, &["install", "--yes", "--no-install-recommends", TMUX]).run(STEP)
}
