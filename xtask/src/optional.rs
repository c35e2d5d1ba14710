//! Programs of Debian that only some tests want. Where they are missing, those tests say that they are left out.

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: programs";

/// Debian packages and the programs that they bring.
struct Programs {
    packages: &'static [&'static str],
    programs: &'static [&'static str],
    /// The tests that want them.
    wanted_by: &'static str,
}

const ALL: [Programs; 5] = [
    Programs {
        packages: &["chromium"],
        programs: &["chromium"],
        wanted_by: "the tests of the pages in a browser",
    },
    Programs {
        packages: &["espeak-ng", "sox"],
        programs: &["espeak-ng", "sox"],
        wanted_by: "the test that speaks",
    },
    Programs {
        packages: &["hunspell", "hunspell-en-gb"],
        programs: &["hunspell"],
        wanted_by: "the check of the book's words",
    },
    Programs { packages: &["curl"], programs: &["curl"], wanted_by: "the examples of the book" },
    Programs { packages: &["haproxy"], programs: &["haproxy"], wanted_by: "the test of the load balancer" },
];

/// Installs what is missing where that is allowed.
pub fn install(workspace: &Workspace) {
    for programs in &ALL {
        programs.install(workspace);
    }
}

impl Programs {
    fn install(&self, workspace: &Workspace) {
        if self.programs.iter().all(|program| debian::has_program(program)) {
            return;
        }
        let (names, wanted_by) = (self.packages.join(" and "), self.wanted_by);
        if !debian::may_install(workspace) {
            note(&format!("{names} missing: {} SKIPPED", wanted_by.to_uppercase()));
            return;
        }
        note(&format!("installing {names} (apt-get, for {wanted_by})"));
        if let Err(failure) = self.fetch(workspace) {
            note(&format!("WITHOUT {names}, and {wanted_by} is skipped: {}", failure.reason()));
        }
    }

    fn fetch(&self, workspace: &Workspace) -> Result<(), Failure> {
        debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
        let install = debian::apt(workspace, &["install", "--yes", "--no-install-recommends"]);
        install.args(self.packages.iter().copied()).run(STEP)
    }
}
