//! Every figure in its full size, one after the other, each told when it is known.
//!
//! `soak [--full] [--minutes N] [ID…]`. A figure with a fault makes it fail; a goal that is missed is told.

#![allow(clippy::print_stdout, reason = "its stdout is its report")]

use std::process::ExitCode;
use std::time::Duration;

use toolwright_testkit::figures::{self, Figure, gateway};
use toolwright_testkit::load::GatewayPrograms;
use toolwright_testkit::servers::Programs;

/// How long servers are in use: by default, and in full.
const MINUTES: f64 = 3.0;
const FULL_MINUTES: f64 = 120.0;

/// A large result that is still taken.
const ANSWERED_MIB: u64 = 15;

/// Every figure, in the order in which they run.
const IDS: [&str; 14] =
    ["Q01", "Q09", "Q10", "Q11", "Q12", "Q13", "Q16", "Q18", "Q06", "Q14", "Q15", "Q24", "Q27", "Q05"];

/// What was asked for.
struct Wanted {
    minutes: f64,
    ids: Vec<String>,
}

fn main() -> ExitCode {
    let wanted = match wanted(std::env::args().skip(1)) {
        Ok(wanted) => wanted,
        Err(reason) => {
            eprintln!("error: {reason}\nusage: soak [--full] [--minutes N] [{}]", IDS.join("|"));
            return ExitCode::from(2);
        }
    };
    let Ok(own) = std::env::current_exe() else { return ExitCode::FAILURE };
    let programs = Programs::beside(&own);
    let gateways = GatewayPrograms::beside(&own);
    let mut faults = 0;
    for id in IDS.into_iter().filter(|id| wanted.ids.is_empty() || wanted.ids.iter().any(|other| other == id))
    {
        // Each in a runtime of its own: what one leaves behind does not disturb the next.
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let Ok(runtime) = runtime else { return ExitCode::FAILURE };
        let figures = runtime.block_on(measure(&programs, &gateways, id, wanted.minutes));
        drop(runtime);
        for figure in figures {
            println!("{figure}");
            faults += figure.faults.len();
        }
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn measure(programs: &Programs, gateways: &GatewayPrograms, id: &str, minutes: f64) -> Vec<Figure> {
    let figure = match id {
        "Q01" => gateway::crashes(gateways, 500).await,
        "Q09" => figures::torture(programs, 100, 100).await,
        "Q10" => figures::kills(programs, 1000).await,
        "Q11" => figures::hung(programs, 64, Duration::from_secs(30)).await,
        "Q12" => {
            let refused = figures::large(programs, 64, 20).await;
            return vec![refused, figures::large(programs, ANSWERED_MIB, 20).await];
        }
        "Q13" => figures::depths(programs, 20).await,
        "Q16" => figures::around_completion(programs, 100_000).await,
        "Q18" => figures::orphans(programs, 30),
        "Q06" => gateway::sessions(gateways, 10_000).await,
        "Q14" => gateway::many_tools(gateways, 10, 1000, 100).await,
        "Q15" => {
            let ids = gateway::ids(gateways).await;
            return vec![ids, gateway::routing(gateways, 64, 1_000_000).await];
        }
        "Q24" => gateway::reloads(gateways, 1000).await,
        "Q27" => gateway::starts(gateways).await,
        _ => figures::watch(programs, Duration::from_secs_f64(minutes * 60.0)).await,
    };
    vec![figure]
}

fn wanted(mut words: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut wanted = Wanted { minutes: MINUTES, ids: Vec::new() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--full" => wanted.minutes = FULL_MINUTES,
            "--minutes" => {
                let minutes = words.next().and_then(|minutes| minutes.parse().ok());
                wanted.minutes =
                    minutes.filter(|minutes| *minutes > 0.0).ok_or("--minutes needs a number above 0")?;
            }
            id if IDS.contains(&id) => wanted.ids.push(word),
            other => return Err(format!("\"{other}\" was not expected")),
        }
    }
    Ok(wanted)
}
