//! `cargo xtask bench`: the time of one call, beside other libraries, in one run and one table.
//!
//! Every lane (ours and each peer) is one process that gets the same work order: the same schema and
//! the same argument texts. It times each call from the text to decision and result text with its own
//! clock, and leaves its results behind; all of them are judged here, none judges itself.
//!
//! The lanes run in turn, several rounds, and each figure is that of the round in which it was lowest:
//! what else the machine does in the meantime can only add to it, and falls on all of them alike.

mod column;
mod executor;
mod goals;
pub mod hostile;
mod inputs;
mod judge;
mod lane;
pub mod llm;
pub mod mcp;
mod order;
pub mod pages;
mod score;
pub mod start;
mod stdio;
mod table;
pub mod voice;

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::step::{Failure, announce};
use crate::workspace::Workspace;
use column::Column;
use lane::Lane;

/// How often each lane runs.
const ROUNDS: usize = 7;

/// Measures every lane on every row, prints the table, then what the executor adds, then what a
/// connection to a server adds, then the corpus score.
pub fn run(workspace: &Workspace) -> Result<(), Failure> {
    let folder = workspace.target().join("bench");
    let rows = inputs::rows();
    announce("bench: inputs");
    order::write_inputs(&folder, &rows)?;

    let mut columns = Vec::new();
    for lane in Lane::ALL {
        announce(&format!("bench: {}", lane.name()));
        columns.push(Column::new(lane, lane.set_up(workspace, &folder))?);
    }
    for round in 1..=ROUNDS {
        announce(&format!("bench: round {round} of {ROUNDS}"));
        for column in &mut columns {
            column.run(&folder, &rows)?;
        }
    }
    print(&table::render(&rows, &columns))?;
    print(&goals::render(&rows, &columns))?;
    print(&executor::run(workspace)?)?;
    print(&stdio::run(workspace)?)?;
    score::run(workspace)
}

fn print(text: &str) -> Result<(), Failure> {
    writeln!(io::stdout(), "{text}").map_err(|error| Failure::new("bench", format!("cannot print: {error}")))
}

/// Writes a file of the bench, with its folder.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = match path.parent() {
        Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(path, text)),
        None => fs::write(path, text),
    };
    written.map_err(|error| Failure::new("bench", format!("{} cannot be written: {error}", path.display())))
}
