//! One call through each of several gateways, in turn, many times: what each adds.
//!
//! `mcp-bench ORDER` reads which lanes there are (see `order.rs`), starts them all, measures them in turn in
//! several rounds, and prints what was seen as JSON. `cargo xtask bench mcp` writes the order and the table.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

mod lane;
mod measure;
mod order;

use std::process::ExitCode;

use lane::Lane;
use order::Order;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: mcp-bench ORDER");
        return ExitCode::from(2);
    };
    let order = std::fs::read_to_string(&file).map_err(|error| error.to_string());
    let order =
        order.and_then(|text| serde_json::from_str::<Order>(&text).map_err(|error| error.to_string()));
    let order = match order {
        Ok(order) => order,
        Err(reason) => {
            eprintln!("error: {file}: {reason}");
            return ExitCode::from(2);
        }
    };
    // One thread: what drives should take as little of a small machine as it can.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return ExitCode::FAILURE };
    println!("{}", runtime.block_on(run(&order)));
    ExitCode::SUCCESS
}

async fn run(order: &Order) -> Value {
    let mut upstream = 0;
    let mut lanes = Vec::new();
    for wanted in &order.lanes {
        eprintln!("    starting {}", wanted.name);
        match Lane::start(wanted, upstream).await {
            Ok(lane) => {
                if wanted.is_upstream {
                    upstream = lane.port();
                }
                lanes.push(lane);
            }
            Err(reason) => {
                eprintln!("    {}: {reason}", wanted.name);
                lanes.push(Lane::missing(wanted, reason));
            }
        }
    }
    for round in 1..=order.rounds {
        for step in &order.steps {
            eprintln!("    round {round} of {}, {} clients", order.rounds, step.clients);
            for lane in &mut lanes {
                lane.measure(step).await;
            }
        }
    }
    let rows: Vec<Value> = lanes.iter().map(Lane::report).collect();
    drop(lanes);
    let mut idle = Vec::new();
    for wanted in &order.idle {
        eprintln!("    idle: {}", wanted.name);
        idle.push(lane::idle(wanted).await);
    }
    json!({"lanes": rows, "idle": idle})
}
