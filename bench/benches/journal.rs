//! What an append costs: one thread and eight, in both modes. Prints the middle and the slow ones.

#![allow(clippy::print_stdout, missing_docs)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use toolwright_ledger::Record;
use toolwright_ledger::journal::{Durability, Journal, JournalOptions};

/// About 500 bytes as a line.
fn record(number: usize) -> Record {
    let arguments = format!(r#"{{"path":"/srv/notes/{number}.md","limit":20}}"#);
    Record {
        ts: 1_790_000_000_000_000,
        call: format!("call-{number}"),
        client: Some("desk".into()),
        front: "mcp".into(),
        server: Some("files".into()),
        tool: "read_file".into(),
        arguments: RawValue::from_string(arguments).ok(),
        duration_us: 1234,
        bytes_out: 4096,
        ..Record::default()
    }
}

fn run(durability: Durability, threads: usize, each: usize) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let options = JournalOptions { node: Some("bench".into()), durability, ..JournalOptions::default() };
    let (journal, _) = Journal::open(folder.path(), options)?;
    let journal = Arc::new(journal);
    let begin = Instant::now();
    let workers: Vec<_> = (0..threads)
        .map(|thread| {
            let journal = Arc::clone(&journal);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
                let append = |number: usize| {
                    let record = record(thread * each + number);
                    let begin = Instant::now();
                    let appended = match durability {
                        Durability::Process => journal.append(record),
                        Durability::Power => runtime.block_on(journal.append_durable(record)),
                    };
                    appended.expect("written");
                    begin.elapsed()
                };
                (0..each).map(append).collect::<Vec<Duration>>()
            })
        })
        .collect();
    let mut times: Vec<Duration> = Vec::new();
    for worker in workers {
        times.extend(worker.join().map_err(|_| "a thread panicked")?);
    }
    let all = begin.elapsed();
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let at = |share: f64| micros(times[((times.len() - 1) as f64 * share) as usize]);
    let size: u64 =
        std::fs::read_dir(folder.path())?.flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum();
    println!(
        "{:8} {threads} threads: p50 {:9.2} µs  p99 {:9.2} µs  mean per append (all threads) {:8.2} µs  {:9.0}/s  {} bytes a line",
        durability.word(),
        at(0.5),
        at(0.99),
        micros(all) / times.len() as f64,
        times.len() as f64 / all.as_secs_f64(),
        size / times.len() as u64,
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(Durability::Process, 1, 100_000)?;
    run(Durability::Process, 8, 25_000)?;
    run(Durability::Power, 1, 500)?;
    run(Durability::Power, 8, 250)
}
