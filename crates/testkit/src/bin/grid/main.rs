//! One gateway against the hostile server, case by case, for the grid of `cargo xtask bench hostile`.
//!
//! `grid ours` drives our own connections, in a process of their own (`grid serve`). `grid peer COMMAND…`
//! drives a gateway over Streamable HTTP; `{port}` in its words is replaced. Every case has a fresh
//! gateway. The report is one JSON object on stdout.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

mod cases;
mod http;
mod ours;
mod way;

use std::process::ExitCode;

use serde_json::json;
use way::Starts;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let starts = match words.split_first() {
        Some((word, [])) if word == "serve" => {
            runtime.block_on(ours::serve());
            return ExitCode::SUCCESS;
        }
        Some((word, [])) if word == "ours" => Starts::Ours,
        Some((word, command)) if word == "peer" && !command.is_empty() => Starts::Peer(command.to_vec()),
        _ => {
            eprintln!("usage: grid ours | peer COMMAND… | serve");
            return ExitCode::from(2);
        }
    };
    let cells = runtime.block_on(cases::all(&starts));
    let rows: Vec<_> = cells.into_iter().map(|(case, said)| json!({"case": case, "said": said})).collect();
    println!("{}", json!({"rows": rows}));
    ExitCode::SUCCESS
}
