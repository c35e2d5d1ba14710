//! One libFuzzer target of the `fuzz` folder, for a given time.

use std::fs;
use std::time::Duration;

use crate::arguments::FuzzTarget;
use crate::step::{self, Failure};
use crate::workspace::Workspace;

/// The longest input that is tried: long inputs only slow the search down.
const MAX_INPUT_BYTES: u32 = 4096;

/// An input that takes longer than this is a find too.
const INPUT_LIMIT_S: u32 = 10;

/// Runs one target. What it learns stays in `fuzz/corpus`, a find is written to `fuzz/artifacts`.
pub fn run(workspace: &Workspace, target: FuzzTarget, time: Duration) -> Result<(), Failure> {
    let name = target.name();
    let step = format!("libFuzzer: {name}");
    let corpus = workspace.root().join("fuzz/corpus").join(name);
    fs::create_dir_all(&corpus)
        .map_err(|error| Failure::new(&step, format!("{} cannot be made: {error}", corpus.display())))?;
    let fuzz = workspace
        .program("rustup")
        .args(["run", "nightly", "cargo", "fuzz", "run", name])
        // Our crates forbid unsafe code: without the address sanitizer the search is several times quicker.
        .args(["--sanitizer", "none"])
        .arg("--target-dir")
        .arg(workspace.target().join("fuzz"))
        .args([format!("fuzz/corpus/{name}"), format!("fuzz/seeds/{name}"), "--".to_owned()])
        .arg(format!("-max_total_time={}", time.as_secs().max(1)))
        .arg(format!("-max_len={MAX_INPUT_BYTES}"))
        .arg(format!("-timeout={INPUT_LIMIT_S}"))
        .arg(format!("-dict=fuzz/{DICTIONARY}"))
        .arg("-print_final_stats=1");
    step::run(&step, &fuzz)
}

/// Words that a random search would hardly find by itself.
const DICTIONARY: &str = "words.dict";
