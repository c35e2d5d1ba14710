//! One lane's part of the table, filled round by round.

use std::path::Path;

use super::inputs::Row;
use super::judge::{self, Verdict};
use super::lane::Lane;
use super::order::{self, Report, Timing};
use crate::invocation::Invocation;
use crate::step::{Failure, note};

/// What is known about one lane.
#[derive(Debug)]
pub struct Column {
    /// Whose column it is.
    pub lane: Lane,
    /// What was measured so far, or why there is nothing.
    pub cells: Result<Cells, String>,
    program: Option<Invocation>,
}

/// The measured cells of a column.
#[derive(Debug, Default)]
pub struct Cells {
    /// The library's version.
    pub version: String,
    /// One for each row.
    pub rows: Vec<(Timing, Verdict)>,
}

impl Column {
    /// An empty column. A peer that cannot be had says so in the table; only our own lane must run.
    pub fn new(lane: Lane, program: Result<Invocation, Failure>) -> Result<Self, Failure> {
        let mut column = Self { lane, cells: Ok(Cells::default()), program: None };
        match program {
            Ok(program) => column.program = Some(program),
            Err(failure) => column.give_up(failure)?,
        }
        Ok(column)
    }

    /// A column that is measured already.
    #[cfg(test)]
    pub fn measured(lane: Lane, rows: Vec<(Timing, Verdict)>) -> Self {
        Self { lane, cells: Ok(Cells { version: "1.0".to_owned(), rows }), program: None }
    }

    /// Runs the lane once on every row and keeps what was quicker than before.
    pub fn run(&mut self, folder: &Path, rows: &[Row]) -> Result<(), Failure> {
        let Some(program) = &self.program else { return Ok(()) };
        match report(self.lane, program, folder, rows) {
            Ok(report) => self.keep(report, folder, rows),
            Err(failure) => self.give_up(failure)?,
        }
        Ok(())
    }

    fn keep(&mut self, report: Report, folder: &Path, rows: &[Row]) {
        let Ok(cells) = &mut self.cells else { return };
        cells.version = report.version;
        if cells.rows.is_empty() {
            let verdict =
                |row| judge::judge(&order::output_path(folder, self.lane.name(), row), &row.expected);
            cells.rows = report.timings.into_iter().zip(rows.iter().map(verdict)).collect();
            return;
        }
        for ((known, _), timing) in cells.rows.iter_mut().zip(report.timings) {
            known.keep_quieter(timing);
        }
    }

    fn give_up(&mut self, failure: Failure) -> Result<(), Failure> {
        if self.lane == Lane::Ours {
            return Err(failure);
        }
        note(&format!("no figures for {}:\n{failure}", self.lane.name()));
        self.cells = Err(failure.reason().to_owned());
        self.program = None;
        Ok(())
    }
}

fn report(lane: Lane, program: &Invocation, folder: &Path, rows: &[Row]) -> Result<Report, Failure> {
    let step = format!("bench: {}", lane.name());
    let order = order::write_order(folder, lane.name(), rows)?;
    let text = program.clone().arg(order).read(&step)?;
    order::read_report(&text, rows).ok_or_else(|| Failure::new(&step, "its report was not understood"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_cannot_be_had_says_so_and_we_must_run() {
        let missing = || Err(Failure::new("bench", "node is not installed"));
        let column = Column::new(Lane::Ajv, missing()).expect("a peer may be missing");
        assert_eq!(column.cells.expect_err("no cells"), "node is not installed");
        Column::new(Lane::Ours, missing()).expect_err("our own lane must run");
    }
}
