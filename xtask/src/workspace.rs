//! Where things are: the repository, cargo, and the folder for everything that is built.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::invocation::Invocation;
use crate::step::Failure;

/// The repository this program was built from.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the repository from the package that runs.
    pub fn find() -> Result<Self, Failure> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let package = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = package.parent().ok_or_else(|| Failure::new("setup", "the repository was not found"))?;
        Ok(Self { root: root.to_owned(), target: target_directory(root)? })
    }

    /// The top folder of the repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where cargo builds, as the environment and cargo's configuration say.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A call of the cargo that runs this program, from the top folder.
    pub fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Invocation {
        Invocation::cargo(&self.root).args(arguments)
    }

    /// A call of another program, from the top folder.
    pub fn program(&self, name: &str) -> Invocation {
        Invocation::new(name, &self.root)
    }
}

fn target_directory(root: &Path) -> Result<PathBuf, Failure> {
    let metadata = Invocation::cargo(root).args(["metadata", "--no-deps", "--format-version", "1"]);
    let text = metadata.read("setup")?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::new("setup", format!("`cargo metadata` was not understood: {error}")))?;
    match value.get("target_directory").and_then(Value::as_str) {
        Some(path) => Ok(PathBuf::from(path)),
        None => Err(Failure::new("setup", "`cargo metadata` names no target directory")),
    }
}
