//! The work order that a lane gets, and the report that it gives back.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::inputs::{self, Row};
use super::write;
use crate::step::Failure;

/// How long a row is called before it is measured.
const WARM_UP_MS: u32 = 100;

/// How long a row is measured, unless it has enough samples before.
const MEASURE_MS: u32 = 250;

/// The fewest samples, within the limit.
const MIN_SAMPLES: u32 = 5;

/// The most samples, however quick they are.
const MAX_SAMPLES: u32 = 50_000;

/// A row that takes longer than this, all its samples together, is left; one call that does is given up.
const LIMIT_MS: u32 = 10_000;

/// What a lane says about one row, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// It was timed.
    Measured {
        /// Half of the calls took at most this.
        p50: f64,
        /// Ninety-nine of a hundred calls took at most this.
        p99: f64,
    },
    /// One call took longer than this and was given up.
    Over(f64),
}

impl Timing {
    /// The time that half of the calls kept within, as far as it is known.
    pub fn p50(&self) -> f64 {
        match self {
            Self::Measured { p50, .. } => *p50,
            Self::Over(limit) => *limit,
        }
    }

    /// The time that ninety-nine of a hundred calls kept within, as far as it is known.
    pub fn p99(&self) -> f64 {
        match self {
            Self::Measured { p99, .. } => *p99,
            Self::Over(limit) => *limit,
        }
    }

    /// Keeps each figure of the round in which it was lower.
    pub fn keep_quieter(&mut self, other: Self) {
        let is_quicker = other.p50() < self.p50();
        match (&mut *self, other) {
            (Self::Measured { p50, p99 }, Self::Measured { p50: other_p50, p99: other_p99 }) => {
                *p50 = p50.min(other_p50);
                *p99 = p99.min(other_p99);
            }
            (kept, other) if is_quicker => *kept = other,
            _ => {}
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        let nanoseconds = |name: &str| value.get(name)?.as_f64();
        match nanoseconds("over_ns") {
            Some(limit) => Some(Self::Over(limit)),
            None => Some(Self::Measured { p50: nanoseconds("p50_ns")?, p99: nanoseconds("p99_ns")? }),
        }
    }
}

/// What a lane says at its end.
#[derive(Debug)]
pub struct Report {
    /// The library's version.
    pub version: String,
    /// One for each row, in the order of the rows.
    pub timings: Vec<Timing>,
}

/// Where the lane `lane` leaves its result for `row`; no file means that it refused the call.
pub fn output_path(folder: &Path, lane: &str, row: &Row) -> PathBuf {
    folder.join("results").join(lane).join(format!("{}.json", row.id()))
}

/// Writes the schema and every argument text.
pub fn write_inputs(folder: &Path, rows: &[Row]) -> Result<(), Failure> {
    write(&schema_path(folder), &inputs::schema().to_string())?;
    rows.iter().try_for_each(|row| write(&input_path(folder, row), &row.input))
}

/// Writes the work order of one lane and clears what an earlier run left.
pub fn write_order(folder: &Path, lane: &str, rows: &[Row]) -> Result<PathBuf, Failure> {
    let results = folder.join("results").join(lane);
    let cleared = if results.exists() { fs::remove_dir_all(&results) } else { Ok(()) };
    cleared
        .and_then(|()| fs::create_dir_all(&results))
        .map_err(|error| Failure::new("bench", format!("{} cannot be made: {error}", results.display())))?;
    let row = |row: &Row| {
        json!({
            "id": row.id(),
            "input": input_path(folder, row),
            "output": output_path(folder, lane, row),
        })
    };
    let order = json!({
        "tool": inputs::TOOL,
        "schema": schema_path(folder),
        "warm_up_ms": WARM_UP_MS,
        "measure_ms": MEASURE_MS,
        "limit_ms": LIMIT_MS,
        "min_samples": MIN_SAMPLES,
        "max_samples": MAX_SAMPLES,
        "rows": rows.iter().map(row).collect::<Value>(),
    });
    let path = folder.join("orders").join(format!("{lane}.json"));
    write(&path, &order.to_string())?;
    Ok(path)
}

/// Reads a lane's report, which must name every row in order.
pub fn read_report(text: &str, rows: &[Row]) -> Option<Report> {
    let report: Value = serde_json::from_str(text).ok()?;
    let reported = report.get("rows")?.as_array()?;
    if reported.len() != rows.len() {
        return None;
    }
    let timing = |(value, row): (&Value, &Row)| {
        let same = value.get("id")?.as_str()? == row.id();
        Timing::from_value(value).filter(|_| same)
    };
    let timings = reported.iter().zip(rows).map(timing).collect::<Option<_>>()?;
    Some(Report { version: report.get("version")?.as_str()?.to_owned(), timings })
}

fn schema_path(folder: &Path) -> PathBuf {
    folder.join("inputs").join("schema.json")
}

fn input_path(folder: &Path, row: &Row) -> PathBuf {
    folder.join("inputs").join(format!("{}.txt", row.id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_of_its_quietest_round() {
        let mut timing = Timing::Measured { p50: 10.0, p99: 20.0 };
        timing.keep_quieter(Timing::Measured { p50: 9.0, p99: 30.0 });
        assert_eq!(timing, Timing::Measured { p50: 9.0, p99: 20.0 });
        timing.keep_quieter(Timing::Measured { p50: 11.0, p99: 12.0 });
        assert_eq!(timing, Timing::Measured { p50: 9.0, p99: 12.0 });
        timing.keep_quieter(Timing::Over(1e9));
        assert_eq!(timing, Timing::Measured { p50: 9.0, p99: 12.0 });
    }

    #[test]
    fn a_report_must_name_every_row() {
        let rows: Vec<Row> = inputs::rows().into_iter().take(2).collect();
        let line = |row: &Row| json!({"id": row.id(), "p50_ns": 10, "p99_ns": 20.5});
        let full = json!({"version": "1.2", "rows": [line(&rows[0]), line(&rows[1])]}).to_string();
        let report = read_report(&full, &rows).expect("a full report");
        assert_eq!(report.version, "1.2");
        assert_eq!(report.timings[1], Timing::Measured { p50: 10.0, p99: 20.5 });

        let over = json!({"id": rows[1].id(), "over_ns": 2e9});
        let over = json!({"version": "1.2", "rows": [line(&rows[0]), over]}).to_string();
        let report = read_report(&over, &rows).expect("a report with a call that was given up");
        assert_eq!(report.timings[1], Timing::Over(2e9));

        let short = json!({"version": "1.2", "rows": [line(&rows[0])]}).to_string();
        assert!(read_report(&short, &rows).is_none());
        let swapped = json!({"version": "1.2", "rows": [line(&rows[1]), line(&rows[0])]}).to_string();
        assert!(read_report(&swapped, &rows).is_none());
        assert!(read_report("Traceback", &rows).is_none());
    }
}
