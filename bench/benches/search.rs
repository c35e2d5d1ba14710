//! How fast a million calls are put into the index file, and how fast they are searched.
//!
//! Run with `cargo bench -p toolwright-bench --bench search`; a number as argument says how many calls.

#![allow(clippy::print_stdout, reason = "a benchmark's results are its output")]

use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolwright_ledger::index::{By, Filter, Menu, Status, Store, StoreError};
use toolwright_ledger::{Change, Failure, Record};

const CALLS: u64 = 1_000_000;
const BATCH: u64 = 500;
const SEARCHES: usize = 200;
const START: i64 = 1_790_000_000_000_000;
/// Calls come every two seconds: a million are 23 days.
const BETWEEN: i64 = 2_000_000;

/// Tools, the first far more frequent than the last.
const TOOLS: [&str; 8] = [
    "read_file",
    "search_code",
    "write_file",
    "run_tests",
    "fetch_page",
    "send_mail",
    "list_events",
    "set_volume",
];
const WORDS: [&str; 16] = [
    "the",
    "config",
    "server",
    "database",
    "invoice",
    "kitchen",
    "report",
    "timeout",
    "refactor",
    "holiday",
    "gateway",
    "station",
    "umbrella",
    "quarterly",
    "zebra",
    "xylophone",
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A place in a list: each half as likely as the one before it.
    fn skewed(&mut self, places: usize) -> usize {
        (self.next().trailing_zeros() as usize).min(places - 1)
    }
}

fn record(seq: u64, random: &mut Random) -> Record {
    let tool = TOOLS[random.skewed(TOOLS.len())];
    let (first, second, third) = (random.skewed(16), random.skewed(16), random.next() % 50_000);
    let arguments = format!(
        r#"{{"path":"/home/user/project/src/module{third}/file.rs","query":"{} {} item{third}","limit":{}}}"#,
        WORDS[first],
        WORDS[second],
        random.next() % 100
    );
    let mut record = Record {
        seq,
        ts: START + seq as i64 * BETWEEN,
        node: "bench".into(),
        call: format!("call-{seq}"),
        client: Some(["claude", "cursor", "codex"][random.skewed(3)].into()),
        session: Some(format!("session-{}", seq / 200)),
        front: "mcp".into(),
        toolbox: Some("work".into()),
        server: Some(["files", "web", "home"][random.skewed(3)].into()),
        tool: tool.into(),
        bytes_in: arguments.len() as u64,
        arguments: RawValue::from_string(arguments).ok(),
        duration_us: random.next() % 500_000,
        bytes_out: random.next() % 5_000,
        ..Record::default()
    };
    if random.next().is_multiple_of(20) {
        let message = format!("no such file: /home/user/project/src/module{third}/file.rs");
        record.error = Some(Failure { code: "tool_failed".into(), message, ..Failure::default() });
    }
    if random.next().is_multiple_of(10) {
        let change = Change { code: "param_renamed".into(), path: "/path".into(), ..Change::default() };
        record.changes = vec![change];
        record.normalized = record.arguments.clone();
    }
    record
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(CALLS);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("index.db");
    let (store, _) = Store::sqlite(&file).await?;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut inserting = Duration::ZERO;
    for first in (1..=calls).step_by(BATCH as usize) {
        let records: Vec<Record> =
            (first..(first + BATCH).min(calls + 1)).map(|seq| record(seq, &mut random)).collect();
        let begun = Instant::now();
        store.insert(&records).await?;
        inserting += begun.elapsed();
    }
    println!(
        "insert: {calls} records in {inserting:.1?}, {:.0} records/s",
        calls as f64 / inserting.as_secs_f64()
    );
    println!("file: {} MiB", std::fs::metadata(&file)?.len() >> 20);
    searches(&store, calls, &mut random).await?;
    others(&store, calls).await?;
    store.close().await;
    Ok(())
}

/// Tool, time and text together, from frequent to rare, over an hour, a day and everything.
async fn searches(store: &Store, calls: u64, random: &mut Random) -> Result<(), StoreError> {
    let end = START + calls as i64 * BETWEEN;
    let mut all = Vec::new();
    for (name, span) in [("an hour", 3_600_000_000), ("a day", 86_400_000_000), ("everything", i64::MAX / 4)]
    {
        let mut times = Vec::new();
        let mut found = 0;
        for nr in 0..SEARCHES {
            let text = match nr % 4 {
                0 => WORDS[random.skewed(16)].to_owned(),
                1 => WORDS[nr % 16].to_owned(),
                2 => format!("item{}", random.next() % 50_000),
                _ => format!("{} {}*", WORDS[nr % 16], &WORDS[(nr / 16) % 16][..3]),
            };
            let from = START.max(end - span.min(end)) - (random.next() % 1_000) as i64;
            let back = if span < i64::MAX / 4 { (random.next() % 20) as i64 * span } else { 0 };
            let filter = Filter {
                tool: Some(TOOLS[nr % TOOLS.len()].into()),
                text: Some(text),
                from: Some(from - back),
                to: Some((from - back).saturating_add(span)),
                ..Filter::default()
            };
            let begun = Instant::now();
            found += store.calls(&filter, None, 50).await?.calls.len();
            times.push(begun.elapsed());
        }
        all.extend_from_slice(&times);
        report(&format!("tool + time + text, {name} ({found} found)"), &mut times);
    }
    report("tool + time + text, all", &mut all);
    Ok(())
}

/// What a dashboard asks besides.
async fn others(store: &Store, calls: u64) -> Result<(), StoreError> {
    let end = START + calls as i64 * BETWEEN;
    let day = Filter { from: Some(end - 86_400_000_000), ..Filter::default() };
    let any = Filter::default();
    let failed = Filter { status: Some(Status::Error), ..Filter::default() };
    let rule = Filter { rule: Some("param_renamed".into()), ..Filter::default() };
    for (name, filter) in [("newest", &any), ("newest failed", &failed), ("newest changed by a rule", &rule)]
    {
        let mut times = Vec::new();
        for _ in 0..20 {
            let begun = Instant::now();
            store.calls(filter, None, 50).await?;
            times.push(begun.elapsed());
        }
        report(name, &mut times);
    }
    for (name, filter, by) in [
        ("by tool, a day", &day, By::Tool),
        ("by minute, a day", &day, By::Minute),
        ("by tool, all", &any, By::Tool),
    ] {
        let mut times = Vec::new();
        for _ in 0..3 {
            let begun = Instant::now();
            store.sums(filter, by, 2_000).await?;
            times.push(begun.elapsed());
        }
        report(name, &mut times);
    }
    let begun = Instant::now();
    store.values(Menu::Tools, 100).await?;
    println!("menu of tools: {:.1?}", begun.elapsed());
    Ok(())
}

fn report(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() * share).div_ceil(100).max(1) - 1];
    println!("{name}: p50 {:.1?}, p95 {:.1?}, most {:.1?}", at(50), at(95), at(100));
}
