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

fn is_root(workspace: &Workspace) -> bool {
    workspace.program("id").arg("-u").read("setup").is_ok_and(|id| id.trim() == "0")
}
