//! The table: what each gateway adds to a call of the same server.

use serde_json::Value;

use super::super::table::{align, duration};

/// What an idle gateway with ten servers may have in memory.
const IDLE_KIB: f64 = 20.0 * 1000.0 * 1000.0 / 1024.0;
/// What is added to a call over HTTP to a server over HTTP, by one client.
const ADDED_P50_NS: f64 = 50_000.0;
const ADDED_P99_NS: f64 = 200_000.0;

/// One lane at one number of clients.
#[derive(Clone)]
struct Row {
    lane: String,
    clients: u64,
    p50: f64,
    p99: f64,
    rate: f64,
    cpu: f64,
    rss_kib: f64,
    calls: u64,
    wrong: u64,
    first_wrong: Option<String>,
}

impl Row {
    fn read(lane: &str, value: &Value) -> Option<Row> {
        let number = |key: &str| value.get(key)?.as_f64();
        Some(Row {
            lane: lane.to_owned(),
            clients: value.get("clients")?.as_u64()?,
            p50: number("p50_ns").unwrap_or(f64::NAN),
            p99: number("p99_ns").unwrap_or(f64::NAN),
            rate: number("calls_per_second")?,
            cpu: number("cpu_ns")?,
            rss_kib: number("rss_kib").unwrap_or(0.0),
            calls: value.get("calls")?.as_u64()?,
            wrong: value.get("wrong")?.as_u64()?,
            first_wrong: value.get("first_wrong").and_then(Value::as_str).map(str::to_owned),
        })
    }

    fn is_direct(&self) -> bool {
        self.lane.starts_with("direct")
    }

    fn is_ours(&self) -> bool {
        self.lane.starts_with("toolwright")
    }

    /// Whether its server is reached over HTTP.
    fn is_posted(&self) -> bool {
        self.lane.contains(", HTTP")
    }
}

/// Renders the report of `mcp-bench`; `missing` are peers that could not be had.
pub(super) fn render(report: &str, missing: &[(String, String)]) -> Option<String> {
    let report: Value = serde_json::from_str(report).ok()?;
    let lanes = report.get("lanes")?.as_array()?;
    let mut rows = Vec::new();
    let mut notes: Vec<String> =
        missing.iter().map(|(name, why)| format!("{name}: nothing was seen, {why}")).collect();
    for lane in lanes {
        let name = lane.get("name")?.as_str()?;
        if let Some(reason) = lane.get("missing").and_then(Value::as_str) {
            notes.push(format!("{name}: nothing was seen, {reason}"));
        }
        for row in lane.get("rows")?.as_array()? {
            rows.push(Row::read(name, row)?);
        }
    }
    let mut counts: Vec<u64> = rows.iter().map(|row| row.clients).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut text = String::new();
    for clients in counts {
        let here: Vec<&Row> = rows.iter().filter(|row| row.clients == clients).collect();
        text.push_str(&block(clients, &here));
        text.push('\n');
        text.push_str(&compared(clients, &here));
    }
    text.push_str(&idle(&report));
    let wrong = rows.iter().filter(|row| row.wrong > 0);
    notes.extend(wrong.map(|row| {
        let first = row.first_wrong.clone().unwrap_or_default();
        format!(
            "{}, {} clients: {} of {} went wrong, such as {first}",
            row.lane, row.clients, row.wrong, row.calls
        )
    }));
    for note in notes {
        text.push_str(&format!("{note}\n"));
    }
    Some(text)
}

/// The direct lane that another is held against.
fn direct<'r>(row: &Row, rows: &[&'r Row]) -> Option<&'r Row> {
    rows.iter().find(|other| other.is_direct() && other.is_posted() == row.is_posted()).copied()
}

fn block(clients: u64, rows: &[&Row]) -> String {
    let heads = [
        &format!("{clients} clients"),
        "",
        "p50",
        "p99",
        "added p50",
        "added p99",
        "calls/s",
        "CPU/call",
        "memory",
    ];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let mut line = vec![row.lane.clone(), String::new(), duration(row.p50), duration(row.p99)];
        match direct(row, rows).filter(|_| !row.is_direct()) {
            Some(direct) => {
                line.extend([row.p50 - direct.p50, row.p99 - direct.p99].map(|ns| duration(ns.max(0.0))))
            }
            None => line.extend(["–", "–"].map(str::to_owned)),
        }
        line.push(format!("{:.0}", row.rate));
        let is_seen = row.rss_kib > 0.0;
        line.push(if is_seen { duration(row.cpu) } else { "–".to_owned() });
        line.push(if is_seen { megabytes(row.rss_kib) } else { "–".to_owned() });
        lines.push(line);
    }
    align(&lines)
}

/// Whether we add less than each of the others, and what was promised to one client.
fn compared(clients: u64, rows: &[&Row]) -> String {
    let mut text = String::new();
    for way in [", stdio", ", HTTP"] {
        let of = |row: &&&Row| row.lane.ends_with(way);
        let Some(ours) = rows.iter().filter(of).find(|row| row.is_ours()) else { continue };
        for peer in rows.iter().filter(of).filter(|row| !row.is_ours() && !row.is_direct()) {
            let word = if ours.p50 < peer.p50 && ours.p99 < peer.p99 { "met" } else { "missed" };
            text.push_str(&format!(
                "goal {word}: {} adds less than {} with {clients} clients\n",
                ours.lane, peer.lane
            ));
        }
        let direct = direct(ours, rows).filter(|_| clients == 1 && way == ", HTTP");
        if let Some(direct) = direct {
            for (name, added, most) in
                [("p50", ours.p50 - direct.p50, ADDED_P50_NS), ("p99", ours.p99 - direct.p99, ADDED_P99_NS)]
            {
                let word = if added <= most { "met" } else { "missed" };
                let (added, most) = (duration(added.max(0.0)), duration(most));
                text.push_str(&format!("goal {word}: {} adds {name} ≤ {most}: {added}\n", ours.lane));
            }
        }
    }
    text.push('\n');
    text
}

fn idle(report: &Value) -> String {
    let heads = ["idle", "", "memory", "guardian", "servers", "tools", "threads"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    let mut goal = String::new();
    for row in report.get("idle").and_then(Value::as_array).into_iter().flatten() {
        let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| row.get(key).and_then(Value::as_f64).unwrap_or(0.0);
        if let Some(reason) = row.get("missing").and_then(Value::as_str) {
            goal.push_str(&format!("{name}: nothing was seen of it idle, {reason}\n"));
            continue;
        }
        let (own, guardian) = (number("rss_kib"), number("guardian_kib"));
        let counts = ["servers", "tools", "threads"].map(|key| format!("{:.0}", number(key)));
        let mut line = vec![name.to_owned(), String::new(), megabytes(own), megabytes(guardian)];
        line.extend(counts);
        lines.push(line);
        if name.starts_with("toolwright") {
            let word = if own <= IDLE_KIB { "met" } else { "missed" };
            goal.push_str(&format!("goal {word}: idle with 10 servers ≤ 20 MB: {}\n", megabytes(own)));
        }
    }
    format!("{}{goal}\n", align(&lines))
}

fn megabytes(kib: f64) -> String {
    format!("{:.1} MB", kib * 1024.0 / 1_000_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_held_against_the_same_kind_of_server() {
        let row = |p50: u64, p99: u64, wrong: u64| {
            format!(
                r#"[{{"clients":1,"p50_ns":{p50},"p99_ns":{p99},"calls_per_second":1000,"cpu_ns":5000,"rss_kib":9000,
                "calls":10,"wrong":{wrong},"first_wrong":"x"}}]"#
            )
        };
        let report = format!(
            r#"{{"lanes":[{{"name":"direct, stdio","rows":{}}},{{"name":"direct, HTTP","rows":{}}},
            {{"name":"toolwright, HTTP","rows":{}}},{{"name":"mcp-proxy (Rust) 0.6.0, HTTP","rows":{}}},
            {{"name":"toolwright, stdio","rows":{}}},{{"name":"gone","missing":"no port","rows":[]}}],
            "idle":[{{"name":"toolwright 1","rss_kib":10000,"guardian_kib":1000,"servers":10,"tools":50}}]}}"#,
            row(20_000, 30_000, 0),
            row(50_000, 90_000, 0),
            row(90_000, 150_000, 0),
            row(120_000, 300_000, 2),
            row(80_000, 150_000, 0),
        );
        let text = render(&report, &[("other".to_owned(), "no network".to_owned())]).expect("a table");
        for said in [
            "goal met: toolwright, HTTP adds p50 ≤ 50.0 µs: 40.0 µs",
            "goal met: toolwright, HTTP adds less than mcp-proxy (Rust) 0.6.0, HTTP with 1 clients",
            "goal met: idle with 10 servers ≤ 20 MB: 10.2 MB",
            "mcp-proxy (Rust) 0.6.0, HTTP, 1 clients: 2 of 10 went wrong, such as x",
            "gone: nothing was seen, no port",
            "other: nothing was seen, no network",
        ] {
            assert!(text.contains(said), "{said:?} is not in\n{text}");
        }
        assert_eq!(render("{}", &[]), None);
    }
}
