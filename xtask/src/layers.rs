//! The layers of the workspace: a crate may use those before it in this list, and no others.
//!
//! The order is the one of the table in `ARCHITECTURE.md`. It is checked by what `cargo metadata` says of ordinary
//! dependencies; tests may use whatever they need.

use serde_json::Value;

use crate::step::{Failure, announce};
use crate::workspace::Workspace;

const STEP: &str = "layers of crates";

/// Every crate that ships, lowest first. What is not in it (tests, benchmarks, these tasks) may use all of them.
const LAYERS: &[&str] = &[
    "toolwright-base",
    "toolwright-model",
    "toolwright-jsonrpc",
    "toolwright-redact",
    "toolwright-security",
    "toolwright-normalizer",
    "toolwright-llm",
    "toolwright-config",
    "toolwright-ledger",
    "toolwright-mcp",
    "toolwright-toolbox",
    "toolwright-executor",
    "toolwright-builtin-tools",
    "toolwright-telemetry",
    "toolwright-recorder",
    "toolwright-backend",
    "toolwright-endpoints",
    "toolwright-proxy",
    "toolwright-port",
    "toolwright-doctor",
    "toolwright-agent",
    "toolwright-speech",
    "toolwright-voice",
    "toolwright-dashboard",
    "toolwright-tui",
    "toolwright",
];

/// Packages that do not ship.
const AROUND: &[&str] =
    &["toolwright-testkit", "toolwright-bench", "xtask-measure", "xtask", "zwave-mcp-server"];

/// Checks every ordinary dependency between crates of the workspace; the failure names all that point the wrong way.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce(STEP);
    let metadata = workspace.cargo(["metadata", "--format-version", "1", "--no-deps"]).read(STEP)?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::new(STEP, format!("cargo metadata: {error}")))?;
    match wrong(&metadata, LAYERS, AROUND) {
        wrong if wrong.is_empty() => Ok(()),
        wrong => Err(Failure::new(STEP, wrong.join("\n"))),
    }
}

/// A line for every dependency that does not point down, and for every package without a layer.
fn wrong(metadata: &Value, layers: &[&str], around: &[&str]) -> Vec<String> {
    let layer = |name: &str| layers.iter().position(|layer| *layer == name);
    let mut wrong = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(own) = layer(name) else {
            if !around.contains(&name) {
                wrong
                    .push(format!("{name} has no layer: name it in xtask/src/layers.rs and ARCHITECTURE.md"));
            }
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            let is_ordinary = dependency["kind"].is_null() && !dependency["path"].is_null();
            if is_ordinary && layer(to).is_none_or(|layer| layer >= own) {
                wrong.push(format!("{name} uses {to}, which is not below it"));
            }
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dependencies_that_do_not_point_down_are_named() {
        let uses = |to: &str, kind: Value| json!({"name": to, "kind": kind, "path": format!("/w/{to}")});
        let metadata = json!({"packages": [
            {"name": "low", "dependencies": [uses("high", Value::Null), uses("tests", json!("dev"))]},
            {"name": "high", "dependencies": [uses("low", Value::Null), uses("tests", Value::Null),
                                              {"name": "serde", "kind": null, "path": null}]},
            {"name": "tests", "dependencies": [uses("high", Value::Null)]},
            {"name": "new", "dependencies": []},
        ]});
        assert_eq!(
            wrong(&metadata, &["low", "high"], &["tests"]),
            [
                "low uses high, which is not below it",
                "high uses tests, which is not below it",
                "new has no layer: name it in xtask/src/layers.rs and ARCHITECTURE.md",
            ]
        );
    }
}
