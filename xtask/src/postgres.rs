//! PostgreSQL for the tests of the shared store: its programs only. The tests make and end servers of their own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: PostgreSQL";

/// The Debian package.
const PACKAGE: &str = "postgresql";

/// Where Debian has the programs of a server, one folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// Installs it where `initdb` is nowhere to be found and that is allowed.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    if is_there() {
        return Ok(());
    }
    if !debian::may_install(workspace) {
        let reason = format!(
            "PostgreSQL is missing: no `initdb` on the path nor under {VERSIONS}; \
             install it (the Debian package {PACKAGE}) and try again"
        );
        return Err(Failure::new(STEP, reason));
    }
    note("installing PostgreSQL (apt-get, for the tests of the shared store)");
    debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    let install = debian::apt(workspace, &["install", "--yes", "--no-install-recommends", PACKAGE]);
    install.run(STEP)?;
    match is_there() {
        true => Ok(()),
        false => Err(Failure::new(STEP, "still no `initdb` after apt-get").repeat_with(&install)),
    }
}

/// Whether there is a folder with the programs that the tests need.
fn is_there() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = fs::read_dir(VERSIONS).into_iter().flatten().flatten();
    let mut folders = std::env::split_paths(&path).chain(versions.map(|version| version.path().join("bin")));
    folders.any(|folder: PathBuf| has_server(&folder))
}

fn has_server(folder: &Path) -> bool {
    folder.join("initdb").exists() && folder.join("postgres").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_the_server_does_not_count() {
        let folder = std::env::temp_dir().join(format!("xtask-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("initdb"), "").expect("a file");
        assert!(!has_server(&folder));
        fs::write(folder.join("postgres"), "").expect("a file");
        assert!(has_server(&folder));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
