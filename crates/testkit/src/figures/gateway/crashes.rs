//! Q01: the gateway is killed at any moment, and what it has answered is written down.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::super::{Dice, Figure, Times};
use crate::load::{Client, Era, GatewayPrograms, Served};
use crate::servers::PATIENCE;

const CLIENTS: usize = 8;
/// How long a client rests between two calls: load, and a journal that can still be read as a whole.
const PAUSE: Duration = Duration::from_millis(5);
/// A kill comes this long after the start of its load, at least and at most, in milliseconds.
const KILLED_AFTER: (u64, u64) = (20, 400);

/// What one client was told before the gateway was killed.
#[derive(Default)]
struct Told {
    /// The values of its calls that were answered.
    answered: Vec<String>,
    /// When the first was.
    first: Option<Instant>,
    /// What should not have been said.
    odd: Vec<String>,
}

/// What the journal has of one call, by the value in its arguments.
#[derive(Default)]
struct Written {
    begins: usize,
    ends: usize,
}

/// Q01: so many kills under load. Every answered call is in the journal, once.
pub async fn crashes(programs: &GatewayPrograms, kills: usize) -> Figure {
    let mut figure = Figure::new("Q01", format!("{kills} times kill -9 under the load of {CLIENTS} clients"));
    let servers = [("one".to_owned(), programs.entry(&[]))];
    let flags = ["--rate", "0", "--log-dir", "{folder}/logs"];
    let mut served = Served::start_with(programs, Some(&programs.apart(&servers)), &flags, &[]);
    let journal = served.folder().join("toolwright/journal/main");
    let mut dice = Dice(0x5eed_0001);
    let (mut says, mut ready, mut loaded) = (Times::default(), Times::default(), Duration::ZERO);
    let mut answered: Vec<String> = Vec::new();
    let mut torn = 0;
    for round in 0..kills {
        let begin = Instant::now();
        let mut clients = JoinSet::new();
        for client in 0..CLIENTS {
            clients.spawn(calls(served.address, client, format!("k{round}c{client}")));
        }
        sleep(Duration::from_millis(KILLED_AFTER.0 + dice.below(KILLED_AFTER.1 - KILLED_AFTER.0))).await;
        served.kill();
        loaded += begin.elapsed();
        let mut first = None::<Instant>;
        while let Some(told) = clients.join_next().await {
            let told = told.expect("a client");
            figure.must(told.odd.is_empty(), || format!("kill {round}: {}", told.odd.join("; ")));
            first = first.into_iter().chain(told.first).min();
            answered.extend(told.answered);
        }
        if round > 0 {
            says.add(served.took);
            // From the start of the program, so that nothing of it is left out.
            first.into_iter().for_each(|first| ready.add(served.took + first.duration_since(begin)));
        }
        served.start_again();
        let torn_now = torn_ends(&journal);
        figure.must(torn_now <= torn + 1, || format!("kill {round}: {} torn ends", torn_now - torn));
        torn = torn_now;
    }
    let end = served.stop();
    figure.must(end.is_some_and(|(_, code)| code == 0), || format!("an orderly end: {end:?}"));
    compare(&mut figure, &served, &answered);
    let per_second = answered.len() as f64 / loaded.as_secs_f64();
    figure.see(format!("{} calls were answered, {per_second:.0} a second; {torn} torn ends", answered.len()));
    figure.see(format!("from the start to the address: {says}"));
    figure.see(format!("from the start to the first answered call: {ready}"));
    figure.should("≥ 200 calls a second", per_second >= 200.0);
    figure.should("ready again ≤ 1 s", ready.most() <= Duration::from_secs(1));
    figure
}

/// Calls one after the other until the gateway is gone.
async fn calls(address: SocketAddr, client: usize, label: String) -> Told {
    let mut told = Told::default();
    let era = if client.is_multiple_of(2) { Era::Legacy } else { Era::Modern };
    let Ok(mut client) = Client::open(address, "/mcp/t/one", era).await else { return told };
    for number in 0_u64.. {
        let value = format!("{label}n{number}");
        let arguments = format!(r#"{{"text":"{value}"}}"#);
        let id = number.to_string();
        match timeout(PATIENCE, client.call(&id, "echo", &arguments)).await {
            Ok(Ok(reply)) if reply.text() == Some(&value) => {
                told.first.get_or_insert_with(Instant::now);
                told.answered.push(value);
            }
            Ok(Ok(reply)) => told.odd.push(format!("{value}: {reply:?}")),
            Ok(Err(_)) => return told,
            Err(_) => {
                told.odd.push(format!("{value}: no answer and no end"));
                return told;
            }
        }
        sleep(PAUSE).await;
    }
    told
}

/// The journal and the numbers, against what clients were told.
fn compare(figure: &mut Figure, served: &Served, answered: &[String]) {
    let (code, verified, _) = served.run(&["audit", "verify"]);
    figure.must(code == 0, || format!("audit verify ended with {code}: {verified}"));
    let (code, exported, complaint) = served.run(&["audit", "export"]);
    figure.must(code == 0, || format!("audit export ended with {code}: {complaint}"));
    let mut written: HashMap<String, Written> = HashMap::new();
    let (mut records, mut ends) = (0, 0_u64);
    for line in exported.lines() {
        let record: Value = serde_json::from_str(line).unwrap_or_default();
        records += 1;
        figure.must(record["seq"] == records, || format!("record {records} is {}", record["seq"]));
        let call = written.entry(record["arguments"]["text"].as_str().unwrap_or_default().to_owned());
        let call = call.or_default();
        match record["kind"].as_str() {
            Some("call") => (call.ends, ends) = (call.ends + 1, ends + 1),
            _ => call.begins += 1,
        }
    }
    let missing: Vec<&String> =
        answered.iter().filter(|value| written.get(*value).is_none_or(|call| call.ends == 0)).collect();
    figure.must(missing.is_empty(), || format!("{} answered calls are missing: {missing:?}", missing.len()));
    let twice: Vec<&String> =
        written.iter().filter(|(_, call)| call.ends > 1 || call.begins > 1).map(|(value, _)| value).collect();
    figure.must(twice.is_empty(), || format!("{} calls are there twice: {twice:?}", twice.len()));
    let cut = written.values().filter(|call| call.ends == 0).count();
    figure.see(format!("{records} records, {ends} of ends; {cut} calls were cut"));
    let numbers = fs::read_to_string(served.folder().join("logs/normalizer_stats.json")).unwrap_or_default();
    let numbers: Value = serde_json::from_str(&numbers).unwrap_or_default();
    figure.must(numbers["total_processed"] == ends, || {
        format!("{} calls are counted, {ends} are written down", numbers["total_processed"])
    });
}

/// How many ends of records were put aside.
fn torn_ends(journal: &Path) -> usize {
    let files = fs::read_dir(journal).into_iter().flatten().flatten();
    files.filter(|file| file.file_name().to_string_lossy().contains(".torn-")).count()
}
