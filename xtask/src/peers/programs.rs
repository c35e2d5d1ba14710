//! The programs that servers are installed and run with, and the Debian packages that bring them.

use super::STEP;
use crate::debian::{apt, may_install};
use crate::step::{Failure, note};
use crate::workspace::Workspace;

/// A program, and how to see that it works.
struct Program {
    /// What it is called in messages.
    name: &'static str,
    /// A call that succeeds where it is at hand.
    check: &'static [&'static str],
    /// Its Debian package.
    package: &'static str,
}

const PROGRAMS: [Program; 4] = [
    Program { name: "node", check: &["node", "--version"], package: "nodejs" },
    Program { name: "npm", check: &["npm", "--version"], package: "npm" },
    // Debian's Python comes without what an environment is made with.
    Program {
        name: "python3 with venv",
        check: &["python3", "-c", "import ensurepip, venv"],
        package: "python3-venv",
    },
    Program { name: "git", check: &["git", "--version"], package: "git" },
];

/// Installs what is missing where that is allowed, and says so where it is not.
pub fn make_sure(workspace: &Workspace) -> Result<(), Failure> {
    let missing: Vec<&Program> = PROGRAMS.iter().filter(|program| !program.is_there(workspace)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = listed(&missing, |program| program.name);
    let install = apt(workspace, &["install", "--yes", "--no-install-recommends"])
        .args(missing.iter().map(|program| program.package));
    if !may_install(workspace) {
        let packages = listed(&missing, |program| program.package);
        let reason = format!("missing: {names} (the Debian packages {packages}); install them and try again");
        return Err(Failure::new(STEP, reason).repeat_with(&install));
    }
    note(&format!("installing {names} (apt-get, for the servers of the tests)"));
    apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    install.run(STEP)?;
    let missing: Vec<&Program> = missing.into_iter().filter(|program| !program.is_there(workspace)).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => {
            let names = listed(&missing, |program| program.name);
            Err(Failure::new(STEP, format!("still missing after apt-get: {names}")).repeat_with(&install))
        }
    }
}

impl Program {
    fn is_there(&self, workspace: &Workspace) -> bool {
        let [program, arguments @ ..] = self.check else { return false };
        workspace.program(program).args(arguments).succeeds()
    }
}

fn listed(programs: &[&Program], word: impl Fn(&Program) -> &'static str) -> String {
    programs.iter().map(|program| word(program)).collect::<Vec<_>>().join(", ")
}
