//! Our own lane of `cargo xtask bench`: times the normalizer in process, on the work order it is given, and
//! what the executor and a connection to a server add to a call.
//!
//! A program of its own, so that `cargo xtask` itself does not wait for the normalizer to build.

mod call;
mod executor;
mod order;
mod stdio;
mod stopwatch;

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use order::Order;
use serde_json::Value;
use stopwatch::Stopwatch;

fn main() -> ExitCode {
    let Some(what) = std::env::args_os().nth(1) else {
        eprintln!("usage: xtask-measure <work order> | executor | stdio <server>");
        return ExitCode::from(2);
    };
    let done = match what.to_str() {
        Some("executor") => executor::measure().and_then(|report| print(&report)),
        Some("stdio") => {
            let server = std::env::args_os().nth(2).ok_or_else(|| "no server was named".to_owned());
            server.and_then(|server| stdio::measure(Path::new(&server))).and_then(|report| print(&report))
        }
        _ => measure(Path::new(&what)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(path: &Path) -> Result<(), String> {
    let order = Order::read(path)?;
    let caller = call::Caller::new(&order.tool, &read(&order.schema)?)?;
    let stopwatch = Stopwatch::new(&order);
    let mut timings = Vec::new();
    for row in &order.rows {
        let text = read(&row.input)?;
        if let Some(result) = caller.result(&text) {
            fs::write(&row.output, result).map_err(|error| format!("{}: {error}", row.output.display()))?;
        }
        timings.push(stopwatch.time(|| caller.result_bytes(&text)));
    }
    print(&order::report(&order, &timings, env!("CARGO_PKG_VERSION")))
}

fn print(report: &Value) -> Result<(), String> {
    writeln!(io::stdout(), "{report}").map_err(|error| format!("cannot print: {error}"))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
