//! One request to a model's server through each of several proxies, in turn, many times: what each adds.
//!
//! `llm-bench ORDER` reads which lanes there are (see `order.rs`), starts an upstream and all of them, measures them in turn
//! in several rounds, and prints what was seen as JSON. `llm-bench upstream` is that upstream. `cargo xtask bench llm` writes
//! the order and the table.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

mod asked;
mod lane;
mod measure;
mod order;
mod processor;
mod upstream;

use std::process::ExitCode;

use lane::{Lane, Upstream};
use order::Order;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Some(word) = std::env::args().nth(1) else {
        eprintln!("usage: llm-bench ORDER | upstream");
        return ExitCode::from(2);
    };
    // One thread: what drives should take as little of a small machine as it can.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return ExitCode::FAILURE };
    let done = match word.as_str() {
        "upstream" => runtime.block_on(upstream::serve()).map_err(|error| error.to_string()),
        file => read(file).and_then(|order| {
            let report = runtime.block_on(run(&order))?;
            println!("{report}");
            Ok(())
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn read(file: &str) -> Result<Order, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))
}

async fn run(order: &Order) -> Result<Value, String> {
    let upstream = Upstream::start().await?;
    let mut lanes = Vec::new();
    for wanted in &order.lanes {
        eprintln!("    starting {}", wanted.name);
        let lane = Lane::start(wanted, &upstream).await.unwrap_or_else(|reason| {
            eprintln!("    {}: {reason}", wanted.name);
            Lane::missing(wanted, reason)
        });
        lanes.push(lane);
    }
    for round in 1..=order.rounds {
        for step in &order.steps {
            eprintln!("    round {round} of {}: {}", order.rounds, step.name());
            for lane in &mut lanes {
                lane.measure(step).await;
            }
        }
    }
    let rows: Vec<Value> = lanes.iter().map(|lane| lane.report(&order.steps)).collect();
    Ok(json!({"lanes": rows}))
}
