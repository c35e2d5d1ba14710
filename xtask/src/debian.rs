//! Packages of Debian, installed where that is allowed.

use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// A call of `apt-get` that asks nobody.
pub fn apt(workspace: &Workspace, arguments: &[&str]) -> Invocation {
    workspace.program("apt-get").env("DEBIAN_FRONTEND", "noninteractive").args(arguments)
}

/// Whether packages can be installed from here.
pub fn may_install(workspace: &Workspace) -> bool {
    is_root(workspace) && apt(workspace, &["--version"]).succeeds()
}

/// Whether the path has a program of this name.
pub fn has_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).exists())
}

fn is_root(workspace: &Workspace) -> bool {
    workspace.program("id").arg("-u").read("setup").is_ok_and(|id| id.trim() == "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_there_when_the_path_has_it() {
        assert!(has_program("cargo"));
        assert!(!has_program("no-such-program-anywhere"));
    }
}
