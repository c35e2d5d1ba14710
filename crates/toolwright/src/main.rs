//! The `toolwright` binary: flags, wiring and exit codes. The work is in the other crates.

mod cli;
mod code_pages;
mod commands;
mod finish;
mod input;
mod logging;
mod output;
mod report;
mod rules_source;
mod search_source;
mod seconds;
mod toolset;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::to_stderr();
    let result = match cli.command {
        None => commands::welcome::run(),
        Some(Command::Normalize(options)) => commands::normalize::run(&options),
        Some(Command::Explain(options)) => commands::explain::run(&options),
        Some(Command::Rules(options)) => commands::rules::run(&options),
        Some(Command::Tools(options)) => commands::tools::run(&options),
        Some(Command::Call(options)) => commands::call::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(report) => report.print(),
    }
}
