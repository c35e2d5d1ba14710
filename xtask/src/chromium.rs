//! The browser in which the tests look at the pages. Where it is missing, they say that they are left out.

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: Chromium";

/// The program, and the Debian package of the same name.
const PROGRAM: &str = "chromium";

/// Installs it where it is missing and that is allowed.
pub fn install(workspace: &Workspace) {
    if debian::has_program(PROGRAM) {
        return;
    }
    if !debian::may_install(workspace) {
        note(&format!("{PROGRAM} is missing: THE TESTS OF THE PAGES IN A BROWSER ARE SKIPPED"));
        return;
    }
    note(&format!("installing {PROGRAM} (apt-get, for the tests of the pages)"));
    if let Err(failure) = fetch(workspace) {
        note(&format!(
            "WITHOUT IT, and the tests of the pages in a browser are skipped: {}",
            failure.reason()
        ));
    }
}

fn fetch(workspace: &Workspace) -> Result<(), Failure> {
    debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    debian::apt(workspace, &["install", "--yes", "--no-install-recommends", PROGRAM]).run(STEP)
}
