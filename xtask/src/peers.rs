//! The servers and clients of others that the tests use: pinned, installed once, under the target folder.
//!
//! What is wanted stands in `tests/servers` and `tests/clients`: `package.json` for npm, and one file in
//! `requirements` for each Python environment, which servers and clients share. An installation remembers the file it was made from and is made anew when
//! that file has changed.

mod programs;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use crate::invocation::Invocation;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: servers";

/// Where the pins are, from the top folder.
const PINS: &str = "tests/servers";
const CLIENT_PINS: &str = "tests/clients";

/// The file in an installation that holds the pins it was made from. It is written last.
const STAMP: &str = "installed-from";

/// What is installed together, in one folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// Everything in `package.json` of the servers.
    Npm,
    /// Everything in `package.json` of the house: the mock Z-Wave network.
    NpmHouse,
    /// Everything in `package.json` of the clients.
    NpmClients,
    /// Everything in `package.json` of the clients of the LLM proxy.
    NpmLlmClients,
    /// Everything in `package.json` of what drives a browser. Optional as well.
    NpmBrowser,
    /// A Python environment with the requirements of this name.
    Python(&'static str),
    /// The same of just what is named: the packages it would bring along are not used, and one of them has to be
    /// built. The tests that want it say loudly that they are skipped where it cannot be had.
    Optional(&'static str),
}

/// Every set. Both lines of the Python SDK have the same import name, so each has its environment.
const SETS: [Set; 11] = [
    Set::Npm,
    Set::NpmHouse,
    Set::NpmClients,
    Set::NpmLlmClients,
    Set::NpmBrowser,
    Set::Python("python-1"),
    Set::Python("python-2"),
    Set::Python("llm-clients"),
    Set::Python("voice-clients"),
    Set::Optional("llm-model"),
    Set::Optional("speech"),
];

/// The file in the folder of an optional set that says why it could not be had.
const MISSING: &str = "cannot-be-had";

/// Installs what is missing or has other pins; what is there is left alone.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.target().join("peers");
    let mut wanted = Vec::new();
    for set in SETS {
        let pins = set.read_pins(workspace)?;
        if !set.is_installed(&folder, &pins) {
            wanted.push((set, pins));
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    programs::make_sure(workspace)?;
    let names: Vec<String> = wanted.iter().flat_map(|(set, pins)| set.packages(pins)).collect();
    note(&format!(
        "installing servers and clients for the tests, under the target folder: {}",
        names.join(", ")
    ));
    let failures: Vec<Failure> = thread::scope(|scope| {
        let started: Vec<_> =
            wanted.iter().map(|(set, pins)| scope.spawn(|| set.install(workspace, &folder, pins))).collect();
        started
            .into_iter()
            .filter_map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())).err())
            .collect()
    });
    match failures.into_iter().reduce(Failure::and) {
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

fn panicked() -> Failure {
    Failure::new(STEP, "an installation broke off")
}

impl Set {
    /// The name of its folder.
    fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::NpmHouse => "npm-house",
            Self::NpmClients => "npm-clients",
            Self::NpmLlmClients => "npm-llm-clients",
            Self::NpmBrowser => "npm-browser",
            Self::Python(name) | Self::Optional(name) => name,
        }
    }

    /// The file with its pins, from the top folder.
    fn pins(self) -> PathBuf {
        match self {
            Self::Npm => Path::new(PINS).join("package.json"),
            Self::NpmHouse => Path::new(PINS).join("house/package.json"),
            Self::NpmClients => Path::new(CLIENT_PINS).join("package.json"),
            Self::NpmLlmClients => Path::new(CLIENT_PINS).join("llm/package.json"),
            Self::NpmBrowser => Path::new(CLIENT_PINS).join("browser/package.json"),
            Self::Python(name) | Self::Optional(name) => {
                Path::new(PINS).join("requirements").join(format!("{name}.txt"))
            }
        }
    }

    fn read_pins(self, workspace: &Workspace) -> Result<String, Failure> {
        let path = self.pins();
        fs::read_to_string(workspace.root().join(&path))
            .map_err(|error| Failure::new(STEP, format!("{} cannot be read: {error}", path.display())))
    }

    /// What the pins name, for people.
    fn packages(self, pins: &str) -> Vec<String> {
        match self {
            Self::Npm | Self::NpmHouse | Self::NpmClients | Self::NpmLlmClients | Self::NpmBrowser => {
                let package: serde_json::Value = serde_json::from_str(pins).unwrap_or_default();
                let dependencies = package["dependencies"].as_object().cloned().unwrap_or_default();
                dependencies
                    .iter()
                    .map(|(name, version)| format!("{name} {}", version.as_str().unwrap_or_default()))
                    .collect()
            }
            Self::Python(_) | Self::Optional(_) => pins
                .lines()
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(|line| line.replace("==", " "))
                .collect(),
        }
    }

    fn is_installed(self, folder: &Path, pins: &str) -> bool {
        let made_from = fs::read_to_string(folder.join(self.name()).join(STAMP));
        made_from.is_ok_and(|made_from| made_from == pins)
    }

    fn install(self, workspace: &Workspace, folder: &Path, pins: &str) -> Result<(), Failure> {
        let folder = folder.join(self.name());
        let made = self.make(workspace, &folder, pins);
        let made = made.map_err(|failure| {
            let packages = self.packages(pins).join(", ");
            failure
                .because(&format!("{packages} could not be installed; is a package registry within reach?"))
        });
        match (self, made) {
            (Self::Optional(_) | Self::NpmBrowser, Err(failure)) => {
                note(&format!("WITHOUT IT, and its tests are skipped: {}", failure.reason()));
                let missing = folder.join(MISSING);
                fs::write(&missing, failure.reason()).map_err(|error| not_written(&missing, &error))
            }
            (_, made) => made,
        }
    }

    fn make(self, workspace: &Workspace, folder: &Path, pins: &str) -> Result<(), Failure> {
        empty(folder).map_err(|error| not_written(folder, &error))?;
        match self {
            Self::Npm | Self::NpmHouse | Self::NpmClients | Self::NpmLlmClients | Self::NpmBrowser => {
                let package = folder.join("package.json");
                fs::write(&package, pins).map_err(|error| not_written(&package, &error))?;
                let npm = workspace.program("npm").args(["install", "--no-audit", "--no-fund"]);
                npm.args(["--no-package-lock", "--loglevel=error", "--prefix"]).arg(folder).run(STEP)?;
            }
            Self::Python(_) | Self::Optional(_) => {
                workspace.program("python3").args(["-m", "venv"]).arg(folder).run(STEP)?;
                let pip = Invocation::new(folder.join("bin/python"), workspace.root());
                let pip = pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
                // What is imported is compiled when it is; most of it never is.
                let mut pip = pip.arg("--no-compile");
                if matches!(self, Self::Optional(_)) {
                    pip = pip.args(["--no-deps", "--only-binary", ":all:"]);
                }
                pip.arg("--requirement").arg(self.pins()).run(STEP)?;
            }
        }
        let stamp = folder.join(STAMP);
        fs::write(&stamp, pins).map_err(|error| not_written(&stamp, &error))
    }
}

fn empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::create_dir_all(folder)
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::new(STEP, format!("{} cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pins(set: Set) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(set.pins());
        fs::read_to_string(path).expect("the pins are there")
    }

    #[test]
    fn every_package_has_one_exact_version() {
        for set in SETS {
            let packages = set.packages(&pins(set));
            assert!(!packages.is_empty(), "{set:?}");
            for package in packages {
                let (_, version) =
                    package.split_once(' ').unwrap_or_else(|| panic!("{package} has no version"));
                assert!(version.chars().all(|c| c.is_ascii_digit() || c == '.'), "{package}");
            }
        }
    }

    #[test]
    fn an_installation_counts_only_with_its_pins() {
        let folder = std::env::temp_dir().join(format!("xtask-peers-{}", std::process::id()));
        let set = Set::Python("demo");
        assert!(!set.is_installed(&folder, "a==1\n"));
        fs::create_dir_all(folder.join("demo")).expect("made");
        fs::write(folder.join("demo").join(STAMP), "a==1\n").expect("written");
        assert!(set.is_installed(&folder, "a==1\n"));
        assert!(!set.is_installed(&folder, "a==2\n"));
        empty(&folder.join("demo")).expect("emptied");
        assert!(!set.is_installed(&folder, "a==1\n"));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
