//! The table: what each proxy adds to a request, and to a piece of a stream.

use serde_json::Value;

use super::super::table::{align, duration};

/// What may be added to a small request by one client, and what it may cost.
const ADDED_NS: f64 = 200_000.0;
const CPU_NS: f64 = 150_000.0;
/// What may be added to a piece of a stream, and what it may cost.
const CHUNK_NS: f64 = 10_000.0;

/// One lane in one step.
#[derive(Clone)]
struct Row {
    lane: String,
    step: String,
    kind: String,
    clients: u64,
    p50: f64,
    p99: f64,
    rate: f64,
    cpu: f64,
    rss_kib: f64,
    units: u64,
    wrong: u64,
    first_wrong: Option<String>,
}

impl Row {
    fn read(lane: &str, value: &Value) -> Option<Row> {
        let number = |key: &str| value.get(key)?.as_f64();
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        Some(Row {
            lane: lane.to_owned(),
            step: text("step")?,
            kind: text("kind")?,
            clients: value.get("clients")?.as_u64()?,
            p50: number("p50_ns").unwrap_or(f64::NAN),
            p99: number("p99_ns").unwrap_or(f64::NAN),
            rate: number("rate")?,
            cpu: number("cpu_ns").unwrap_or(f64::NAN),
            rss_kib: number("rss_kib").unwrap_or(0.0),
            units: value.get("units")?.as_u64()?,
            wrong: value.get("wrong")?.as_u64()?,
            first_wrong: text("first_wrong"),
        })
    }

    fn is_direct(&self) -> bool {
        self.lane.starts_with("direct")
    }

    fn is_ours(&self) -> bool {
        self.lane.starts_with("toolwright")
    }

    /// From which dialect to which, or the one that the upstream is asked in.
    fn way(&self) -> &str {
        self.lane.split_once(", ").map_or("", |(_, way)| way)
    }

    /// The dialect of the upstream.
    fn upstream(&self) -> &str {
        self.way().rsplit(' ').next().unwrap_or_default()
    }

    fn is_stream(&self) -> bool {
        matches!(self.kind.as_str(), "stream" | "call" | "paced")
    }
}

/// Renders the report of `llm-bench`; `missing` are peers that could not be had.
pub(super) fn render(report: &str, missing: &[(String, String)]) -> Option<String> {
    let report: Value = serde_json::from_str(report).ok()?;
    let mut rows = Vec::new();
    let mut notes: Vec<String> =
        missing.iter().map(|(name, why)| format!("{name}: nothing was seen, {why}")).collect();
    for lane in report.get("lanes")?.as_array()? {
        let name = lane.get("name")?.as_str()?;
        if let Some(reason) = lane.get("missing").and_then(Value::as_str) {
            notes.push(format!("{name}: nothing was seen, {reason}"));
        }
        for row in lane.get("rows").and_then(Value::as_array).into_iter().flatten() {
            rows.push(Row::read(name, row)?);
        }
    }
    let mut steps: Vec<&str> = Vec::new();
    for row in &rows {
        if !steps.contains(&row.step.as_str()) {
            steps.push(&row.step);
        }
    }
    let mut text = String::new();
    for step in steps {
        let here: Vec<&Row> = rows.iter().filter(|row| row.step == step).collect();
        text.push_str(&block(step, &here));
        text.push_str(&promised(&here));
        text.push_str(&compared(&here));
        text.push('\n');
    }
    let wrong = rows.iter().filter(|row| row.wrong > 0);
    notes.extend(wrong.map(|row| {
        let first = row.first_wrong.clone().unwrap_or_default();
        format!(
            "{}, {}: {} answers went wrong (of {} units), such as {first}",
            row.lane, row.step, row.wrong, row.units
        )
    }));
    for note in notes {
        text.push_str(&format!("{note}\n"));
    }
    Some(text)
}

/// The direct lane that another is held against.
fn direct<'r>(row: &Row, rows: &[&'r Row]) -> Option<&'r Row> {
    rows.iter().find(|other| other.is_direct() && other.upstream() == row.upstream()).copied()
}

fn block(step: &str, rows: &[&Row]) -> String {
    let (unit, rate) = match rows.first() {
        Some(row) if row.is_stream() => ("chunk", "chunks/s"),
        _ => ("request", "requests/s"),
    };
    let cpu = format!("CPU/{unit}");
    let heads = [step, "", "p50", "p99", "added p50", "added p99", rate, &cpu, "memory"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let mut line = vec![row.lane.clone(), String::new(), time(row.p50), time(row.p99)];
        match direct(row, rows).filter(|_| !row.is_direct()) {
            Some(direct) => line.extend([row.p50 - direct.p50, row.p99 - direct.p99].map(time)),
            None => line.extend(["–", "–"].map(str::to_owned)),
        }
        line.push(format!("{:.0}", row.rate));
        line.push(time(row.cpu));
        line.push(format!("{:.1} MB", row.rss_kib * 1024.0 / 1_000_000.0));
        lines.push(line);
    }
    align(&lines)
}

/// A time that may be unknown, or less than nothing where two were alike.
fn time(nanoseconds: f64) -> String {
    if nanoseconds.is_nan() { "–".to_owned() } else { duration(nanoseconds.max(0.0)) }
}

/// What was promised of us, and what came of it.
fn promised(rows: &[&Row]) -> String {
    let mut text = String::new();
    for ours in rows.iter().filter(|row| row.is_ours()) {
        let added = direct(ours, rows).map_or(f64::NAN, |direct| ours.p50 - direct.p50);
        let promises = match ours.kind.as_str() {
            "small" if ours.clients == 1 => {
                vec![("adds p50", added, ADDED_NS), ("takes CPU", ours.cpu, CPU_NS)]
            }
            "stream" | "call" => {
                vec![("adds to a chunk", added, CHUNK_NS), ("takes CPU for a chunk", ours.cpu, CHUNK_NS)]
            }
            _ => Vec::new(),
        };
        for (what, seen, most) in promises {
            let word = if seen <= most { "met" } else { "missed" };
            text.push_str(&format!(
                "goal {word}: {} {what} ≤ {}: {}\n",
                ours.lane,
                duration(most),
                time(seen)
            ));
        }
    }
    text
}

/// Whether we are below each of the others.
fn compared(rows: &[&Row]) -> String {
    let mut text = String::new();
    for peer in rows.iter().filter(|row| !row.is_ours() && !row.is_direct()) {
        let Some(ours) = rows.iter().find(|row| row.is_ours() && row.way() == peer.way()) else { continue };
        let figures = [
            ("p50", ours.p50, peer.p50),
            ("p99", ours.p99, peer.p99),
            ("CPU", ours.cpu, peer.cpu),
            ("memory", ours.rss_kib, peer.rss_kib),
        ];
        let above: Vec<&str> =
            figures.iter().filter(|(_, ours, peer)| ours >= peer).map(|(name, ..)| *name).collect();
        let told = match above.is_empty() {
            true => format!("goal met: below {} in everything\n", peer.lane),
            false => format!("goal missed: not below {} in {}\n", peer.lane, above.join(", ")),
        };
        text.push_str(&told);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: &str, kind: &str, p50: u64, cpu: u64, wrong: u64) -> String {
        format!(
            r#"{{"step":"{step}","kind":"{kind}","clients":1,"p50_ns":{p50},"p99_ns":{},"rate":1000,"cpu_ns":{cpu},
            "rss_kib":9000,"units":10,"wrong":{wrong},"first_wrong":"x"}}"#,
            p50 * 2
        )
    }

    #[test]
    fn what_is_added_is_held_against_the_same_upstream_and_missed_goals_are_told() {
        let lane = |name: &str, small: u64, chunk: u64, wrong: u64| {
            let rows = [row("small", "small", small, small, 0), row("text", "stream", chunk, chunk, wrong)];
            format!(r#"{{"name":"{name}","missing":null,"rows":[{}]}}"#, rows.join(","))
        };
        let lanes = [
            lane("direct, Chat", 50_000, 2_000, 0),
            lane("direct, Anthropic", 70_000, 3_000, 0),
            lane("toolwright, Anthropic → Chat", 140_000, 15_000, 0),
            lane("toolwright, Anthropic → Anthropic", 130_000, 9_000, 0),
            lane("anthropic-proxy 1.2.0, Anthropic → Chat", 300_000, 30_000, 2),
            r#"{"name":"gone","missing":"no port","rows":[]}"#.to_owned(),
        ];
        let report = format!(r#"{{"lanes":[{}]}}"#, lanes.join(","));
        let text = render(&report, &[("other".to_owned(), "no network".to_owned())]).expect("a table");
        for said in [
            "goal met: toolwright, Anthropic → Chat adds p50 ≤ 200 µs: 90.0 µs",
            "goal met: toolwright, Anthropic → Anthropic adds p50 ≤ 200 µs: 60.0 µs",
            "goal missed: toolwright, Anthropic → Chat adds to a chunk ≤ 10.0 µs: 13.0 µs",
            "goal met: toolwright, Anthropic → Anthropic takes CPU for a chunk ≤ 10.0 µs: 9.00 µs",
            "goal missed: not below anthropic-proxy 1.2.0, Anthropic → Chat in memory",
            "anthropic-proxy 1.2.0, Anthropic → Chat, text: 2 answers went wrong (of 10 units), such as x",
            "gone: nothing was seen, no port",
            "other: nothing was seen, no network",
        ] {
            assert!(text.contains(said), "{said:?} is not in\n{text}");
        }
        assert_eq!(render("{}", &[]), None);
    }
}
