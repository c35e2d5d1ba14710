//! `cargo xtask bench llm`: one request to a model, direct, through us and through other proxies.
//!
//! All lanes run at once before one upstream of ours, are measured in turn by the same client, several rounds. The others
//! are installed under the target folder; one that cannot be had says so below the table.

mod lanes;
mod table;

use serde_json::{Value, json};

use super::{print, write};
use crate::invocation::Invocation;
use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;
use lanes::Peer;

const STEP: &str = "bench llm";
const ROUNDS: usize = 3;
/// What is asked, by how many clients, how often in a round, and in how many pieces it is answered. Who is slow asks as
/// often as fits into 2 s.
const STEPS: [(&str, usize, u64, u64); 7] = [
    ("small", 1, 1500, 0),
    ("small", 32, 6000, 0),
    ("large", 1, 300, 0),
    ("large", 32, 960, 0),
    ("stream", 1, 10, 2000),
    ("call", 1, 10, 2000),
    ("paced", 1, 1, 1000),
];

/// Measures every lane and prints the table.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    announce("bench llm: build");
    // As it is released: the others are built so too. Who measures is built with it, so that both share what they are
    // made of.
    let both = [
        "--package",
        "toolwright",
        "--bin",
        "toolwright",
        "--package",
        "toolwright-testkit",
        "--bin",
        "llm-bench",
    ];
    workspace.cargo(["build", "--profile", "dist"]).args(both).run(STEP)?;
    let programs = workspace.target().join("dist");
    let folder = workspace.target().join("bench/llm");
    let mut wanted = lanes::ours(&programs, &folder);
    let mut missing = Vec::new();
    for peer in Peer::ALL {
        announce(&format!("{STEP}: {}", peer.title()));
        match peer.set_up(workspace) {
            Ok(program) => wanted.push(peer.lane(&program, &folder)),
            Err(failure) => {
                note(&format!("WITHOUT {}, which cannot be had:\n{failure}", peer.title()));
                missing.push((peer.title(), failure.reason().to_owned()));
            }
        }
    }
    let step = |(kind, clients, requests, chunks): &(&str, usize, u64, u64)| json!({"kind": kind, "clients": clients, "requests": requests, "chunks": chunks});
    let order =
        json!({"rounds": ROUNDS, "steps": STEPS.iter().map(step).collect::<Value>(), "lanes": wanted});
    let file = folder.join("order.json");
    write(&file, &order.to_string())?;
    announce(&format!("{STEP}: {ROUNDS} rounds"));
    let report = Invocation::new(programs.join("llm-bench"), workspace.root()).arg(file).read(STEP)?;
    write(&folder.join("report.json"), &report)?;
    let table = table::render(&report, &missing);
    print(&table.ok_or_else(|| Failure::new(STEP, "its report was not understood"))?)
}
