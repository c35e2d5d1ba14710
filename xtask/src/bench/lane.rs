//! The lanes of the race: what each is and how it is set up.

use std::path::{Path, PathBuf};

use super::write;
use crate::invocation::Invocation;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

/// One contestant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The normalizer, called in process.
    Ours,
    /// Ajv on node: validate, and coerce types when that fails.
    Ajv,
    /// Pydantic on Python: validate strictly, and in lax mode when that fails.
    Pydantic,
    /// json_repair on Python, when the text is not JSON. It knows no schema.
    JsonRepair,
}

impl Lane {
    /// Every lane, ours first.
    pub const ALL: [Self; 4] = [Self::Ours, Self::Ajv, Self::Pydantic, Self::JsonRepair];

    /// The name in the table and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "toolwright",
            Self::Ajv => "ajv",
            Self::Pydantic => "pydantic",
            Self::JsonRepair => "json_repair",
        }
    }

    /// What one timed call consists of.
    pub fn what_it_does(self) -> &'static str {
        match self {
            Self::Ours => "read, judge, repair; in process",
            Self::Ajv => "JSON.parse, validate; when that fails coerceTypes, JSON.stringify",
            Self::Pydantic => "validate strictly; when that fails lax mode, dump",
            Self::JsonRepair => "json.loads; when that fails repair, json.dumps (no schema)",
        }
    }

    /// Installs what the lane needs and is missing, and says how it is started.
    pub fn set_up(self, workspace: &Workspace, folder: &Path) -> Result<Invocation, Failure> {
        let peers = folder.join("peers");
        match self {
            Self::Ours => ours(workspace),
            Self::Ajv => node_peer(workspace, &peers.join("node")),
            Self::Pydantic => python_peer(workspace, &peers.join("python"), "pydantic", PYDANTIC),
            Self::JsonRepair => python_peer(workspace, &peers.join("python"), "json_repair", JSON_REPAIR),
        }
    }
}

const AJV: &str = include_str!("peers/ajv.mjs");
const PYDANTIC: &str = include_str!("peers/pydantic_lane.py");
const JSON_REPAIR: &str = include_str!("peers/json_repair_lane.py");
const STOPWATCH: &str = include_str!("peers/stopwatch.py");

/// Built as it ships.
pub(super) fn ours(workspace: &Workspace) -> Result<Invocation, Failure> {
    workspace.cargo(["build", "--profile", "dist", "--package", "xtask-measure"]).run("bench: toolwright")?;
    Ok(Invocation::new(workspace.target().join("dist/xtask-measure"), workspace.root()))
}

fn node_peer(workspace: &Workspace, folder: &Path) -> Result<Invocation, Failure> {
    if !workspace.program("node").arg("--version").succeeds() {
        return Err(Failure::new("bench: ajv", "node is not installed"));
    }
    let script = folder.join("ajv.mjs");
    write(&script, AJV)?;
    if !folder.join("node_modules/ajv/package.json").exists() {
        note("installing ajv for the comparison (npm, under the target folder)");
        let npm =
            workspace.program("npm").args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]);
        npm.arg(folder).arg("ajv").run("bench: ajv")?;
    }
    Ok(workspace.program("node").arg(script))
}

fn python_peer(
    workspace: &Workspace,
    folder: &Path,
    module: &'static str,
    lane: &str,
) -> Result<Invocation, Failure> {
    let step = format!("bench: {module}");
    let python = python_environment(workspace, folder, &step)?;
    let interpreter = || Invocation::new(&python, workspace.root());
    if !interpreter().args(["-c", &format!("import {module}")]).succeeds() {
        note(&format!("installing {module} for the comparison (pip, under the target folder)"));
        interpreter().args(["-m", "pip", "install", "--quiet", module]).run(&step)?;
    }
    write(&folder.join("stopwatch.py"), STOPWATCH)?;
    let script = folder.join(format!("{module}_lane.py"));
    write(&script, lane)?;
    Ok(interpreter().arg(script))
}

pub(super) fn python_environment(
    workspace: &Workspace,
    folder: &Path,
    step: &str,
) -> Result<PathBuf, Failure> {
    let python = folder.join("venv/bin/python");
    if Invocation::new(&python, workspace.root()).arg("--version").succeeds() {
        return Ok(python);
    }
    if !workspace.program("python3").arg("--version").succeeds() {
        return Err(Failure::new(step, "python3 is not installed"));
    }
    note("making a Python environment for the comparison (under the target folder)");
    workspace.program("python3").args(["-m", "venv"]).arg(folder.join("venv")).run(step)?;
    Ok(python)
}
