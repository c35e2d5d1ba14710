//! What a gateway adds to a call: a server by itself, behind us, and behind other gateways, in turns.
//!
//! `mcp-bench ORDER.json`, where the order is a list of lanes: `{"name", "words", "path", "tool"}`. The words start a
//! program that serves HTTP on `127.0.0.1:{port}`; its MCP endpoint is at the path, and `echo` is called the tool there.
//! All lanes stand ready, and take turns: what else the machine does falls on all of them alike. Of each lane the
//! round counts in which half of the calls were quickest.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

mod lane;
mod load;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use lane::Lane;
use load::Figures;
use serde_json::{Value, json};

/// How many clients call at once.
const CLIENTS: [usize; 3] = [1, 8, 32];
const ROUNDS: usize = 5;
/// What one round of a lane may take at most, and how many calls it makes at most.
const ROUND: Duration = Duration::from_millis(1500);
const CALLS: usize = 4_000;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("mcp-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<Value, Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: mcp-bench ORDER.json")?;
    let order: Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let mut lanes = Vec::new();
    let mut missing = Vec::new();
    for entry in order.as_array().ok_or("the order is a list")? {
        match Lane::start(entry).await {
            Ok(lane) => lanes.push(lane),
            Err(error) => missing.push(json!({"name": entry["name"], "error": error.to_string()})),
        }
    }
    let mut best: Vec<Vec<Option<Figures>>> = lanes.iter().map(|_| CLIENTS.iter().map(|_| None).collect()).collect();
    for round in 0..=ROUNDS {
        for (at, clients) in CLIENTS.into_iter().enumerate() {
            for (lane, best) in lanes.iter().zip(&mut best) {
                eprintln!("round {round}, {clients} clients: {}", lane.name);
                let figures = load::measure(lane, clients, CALLS, ROUND).await?;
                // The first round is for warming up.
                let is_better = |old: &Figures| figures.p50_ns < old.p50_ns;
                if round > 0 && best[at].as_ref().is_none_or(is_better) {
                    best[at] = Some(figures);
                }
            }
        }
    }
    let rows: Vec<Value> = lanes
        .iter()
        .zip(&best)
        .map(|(lane, best)| {
            let figures: Vec<Value> = best.iter().flatten().map(Figures::to_json).collect();
            json!({"name": lane.name, "clients": CLIENTS, "figures": figures, "rss_kib": lane.rss_kib()})
        })
        .collect();
    Ok(json!({"lanes": rows, "missing": missing}))
}
