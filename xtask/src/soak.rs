//! `cargo xtask soak`: the figures of connections and of the whole gateway in full size, as they ship.

use crate::step::{self, Failure};
use crate::workspace::Workspace;

/// The figure of the voice: its broker is killed so often. Its test does the same less often.
const VOICE: &str = "Q26";
const VOICE_TIMES: &str = "100";

/// Builds the gateway and the testkit and runs the figures; a fault in one of them is a failure.
pub fn run(workspace: &Workspace, words: &[String]) -> Result<(), Failure> {
    let is_id = |word: &&String| word.starts_with('R');
    let (names_ids, names_voice) =
        (words.iter().any(|word| is_id(&word)), words.iter().any(|word| word == VOICE));
    let others: Vec<String> = words.iter().filter(|word| *word != VOICE).cloned().collect();
    if !names_ids || others.iter().any(|word| is_id(&word)) {
        let packages = ["build", "--release", "--package", "toolwright-testkit", "--package", "toolwright"];
        let build = workspace.cargo(packages);
        step::run("soak: build", &build)?;
        let soak = workspace.program(&workspace.target().join("release/soak").to_string_lossy());
        step::run("soak", &soak.args(others))?;
    }
    if !names_ids || names_voice {
        let test = [
            "test",
            "--release",
            "--package",
            "toolwright-voice",
            "--test",
            "suite",
            "--",
            "--nocapture",
            "q26_",
        ];
        step::run("soak: Q26", &workspace.cargo(test).env("TOOLWRIGHT_Q26", VOICE_TIMES))?;
    }
    Ok(())
}
