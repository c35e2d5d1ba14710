//! The work order and the report, as every lane reads and writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::stopwatch::Timing;

/// What is to be measured, and how long.
#[derive(Debug)]
pub struct Order {
    /// The tool's name.
    pub tool: String,
    /// The file with its schema.
    pub schema: PathBuf,
    /// How long a row is called before it is measured.
    pub warm_up: Duration,
    /// How long a row is measured, unless it has enough samples before.
    pub measure: Duration,
    /// How long a row may take for its fewest samples.
    pub limit: Duration,
    /// The fewest samples, within the limit.
    pub min_samples: usize,
    /// The most samples, however quick they are.
    pub max_samples: usize,
    /// The rows, in order.
    pub rows: Vec<Row>,
}

/// One argument text.
#[derive(Debug)]
pub struct Row {
    /// Its name in the report.
    pub id: String,
    /// The file with the text.
    pub input: PathBuf,
    /// The file for the result; a refused call leaves none.
    pub output: PathBuf,
}

impl Order {
    /// Reads the work order.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| format!("the work order: {error}"))?;
        Self::from_value(&value).ok_or_else(|| "the work order lacks something".to_owned())
    }

    fn from_value(value: &Value) -> Option<Self> {
        let number = |name: &str| value.get(name)?.as_u64();
        Some(Self {
            tool: text(value, "tool")?,
            schema: text(value, "schema")?.into(),
            warm_up: Duration::from_millis(number("warm_up_ms")?),
            measure: Duration::from_millis(number("measure_ms")?),
            limit: Duration::from_millis(number("limit_ms")?),
            min_samples: usize::try_from(number("min_samples")?).ok()?,
            max_samples: usize::try_from(number("max_samples")?).ok()?,
            rows: value.get("rows")?.as_array()?.iter().map(Row::from_value).collect::<Option<_>>()?,
        })
    }
}

impl Row {
    fn from_value(value: &Value) -> Option<Self> {
        let (input, output) = (text(value, "input")?.into(), text(value, "output")?.into());
        Some(Self { id: text(value, "id")?, input, output })
    }
}

/// The report on all rows.
pub fn report(order: &Order, timings: &[Timing], version: &str) -> Value {
    let row = |(row, timing): (&Row, &Timing)| json!({"id": row.id, "p50_ns": timing.p50_ns, "p99_ns": timing.p99_ns});
    json!({"version": version, "rows": order.rows.iter().zip(timings).map(row).collect::<Value>()})
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}
