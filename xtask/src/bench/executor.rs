//! What the executor adds to a call, in a table of its own: it has no peer but the bare function.

use serde_json::Value;

use super::lane;
use super::table::{align, duration};
use crate::step::{Failure, announce};
use crate::workspace::Workspace;

/// Half of the calls take at most this much longer than without the executor.
const OVERHEAD_P50_NS: f64 = 5_000.0;

const STEP: &str = "bench: executor";

/// Measures and renders.
pub fn run(workspace: &Workspace) -> Result<String, Failure> {
    announce(STEP);
    let report = lane::ours(workspace)?.arg("executor").read(STEP)?;
    render(&report).ok_or_else(|| Failure::new(STEP, "its report was not understood"))
}

fn render(report: &str) -> Option<String> {
    let report: Value = serde_json::from_str(report).ok()?;
    let heads = ["callers", "", "direct p50", "p99", "executor p50", "p99", "added p50", "added p99"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    let mut goals = String::new();
    for row in report.get("rows")?.as_array()? {
        let time = |way: &str, name: &str| row.get(way)?.get(name)?.as_f64();
        let callers = row.get("callers")?.to_string();
        let (direct, through) = (
            [time("direct", "p50_ns")?, time("direct", "p99_ns")?],
            [time("executor", "p50_ns")?, time("executor", "p99_ns")?],
        );
        let added = [through[0] - direct[0], through[1] - direct[1]].map(|added| added.max(0.0));
        let mut line = vec![callers.clone(), String::new()];
        line.extend(direct.into_iter().chain(through).chain(added).map(duration));
        lines.push(line);
        let word = if added[0] <= OVERHEAD_P50_NS { "met" } else { "missed" };
        let (goal, added) = (duration(OVERHEAD_P50_NS), duration(added[0]));
        goals.push_str(&format!("goal {word}: executor adds p50 ≤ {goal} with {callers} callers: {added}\n"));
    }
    Some(format!("{}{goals}", align(&lines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_executor_adds_is_shown_beside_both_ways() {
        let report = r#"{"rows":[{"callers":64,"direct":{"p50_ns":100,"p99_ns":200},"executor":{"p50_ns":1300,"p99_ns":9200}}]}"#;
        let text = render(report).expect("a report");
        assert!(text.contains("100 ns"), "{text}");
        assert!(text.contains("1.20 µs") && text.contains("9.00 µs"), "{text}");
        assert!(text.contains("goal met: executor adds p50 ≤ 5.00 µs with 64 callers: 1.20 µs"), "{text}");
        assert_eq!(render("{}"), None);
    }
}
