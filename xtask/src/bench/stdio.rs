//! What a connection adds to a call of a server: beside a bare pipe to the same program, in one run.

use serde_json::Value;

use super::lane;
use super::table::{align, duration};
use crate::step::{Failure, announce};
use crate::workspace::Workspace;

/// Half of the calls take at most this much longer than over a bare pipe.
const OVERHEAD_P50_NS: f64 = 100_000.0;

const STEP: &str = "bench: stdio";

/// Measures and renders.
pub fn run(workspace: &Workspace) -> Result<String, Failure> {
    announce(STEP);
    let package =
        ["build", "--profile", "dist", "--package", "toolwright-testkit", "--bin", "hostile-server"];
    workspace.cargo(package).run(STEP)?;
    let server = workspace.target().join("dist/hostile-server");
    let report = lane::ours(workspace)?.arg("stdio").arg(server).read(STEP)?;
    render(&report).ok_or_else(|| Failure::new(STEP, "its report was not understood"))
}

fn render(report: &str) -> Option<String> {
    let report: Value = serde_json::from_str(report).ok()?;
    let rows = report.get("rows")?.as_array()?;
    let read = |row: &Value| {
        Some((
            row.get("way")?.as_str()?.to_owned(),
            row.get("p50_ns")?.as_f64()?,
            row.get("p99_ns")?.as_f64()?,
        ))
    };
    let rows = rows.iter().map(read).collect::<Option<Vec<_>>>()?;
    let (_, bare_p50, bare_p99) = rows.first()?.clone();
    let heads = ["call of a stdio server", "", "p50", "p99", "added p50", "added p99"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    let mut goals = String::new();
    for (number, (way, p50, p99)) in rows.into_iter().enumerate() {
        let mut line = vec![way.clone(), String::new(), duration(p50), duration(p99)];
        if number > 0 {
            let added = (p50 - bare_p50).max(0.0);
            line.extend([added, (p99 - bare_p99).max(0.0)].map(duration));
            let word = if added <= OVERHEAD_P50_NS { "met" } else { "missed" };
            let (goal, added) = (duration(OVERHEAD_P50_NS), duration(added));
            goals.push_str(&format!("goal {word}: {way} adds p50 ≤ {goal} to a bare pipe: {added}\n"));
        }
        lines.push(line);
    }
    Some(format!("{}{goals}", align(&lines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_connection_adds_is_shown_beside_the_bare_pipe() {
        let report = r#"{"rows":[{"way":"bare pipe","p50_ns":20000,"p99_ns":50000},
            {"way":"connection","p50_ns":65000,"p99_ns":90000}]}"#;
        let text = render(report).expect("a report");
        assert!(text.contains("goal met: connection adds p50 ≤ 100 µs to a bare pipe: 45.0 µs"), "{text}");
        assert!(text.contains("40.0 µs"), "{text}");
        assert_eq!(render("{}"), None);
        assert_eq!(render(r#"{"rows":[]}"#), None);
    }
}
