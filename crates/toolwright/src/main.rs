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
mod server_source;
mod signals;
mod toolset;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command, ServersCommand};

/// The argument that makes this program the guardian of the servers of another process of it.
const GUARD: &str = "__guard";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == GUARD) {
        return toolwright_mcp::guard::run(args);
    }
    let cli = Cli::parse();
    let is_watching = matches!(&cli.command, Some(Command::Servers(servers)) if matches!(servers.command, Some(ServersCommand::Watch)));
    logging::to_stderr(if is_watching { logging::Servers::Logged } else { logging::Servers::Told });
    let result = match cli.command {
        None => commands::welcome::run(),
        Some(Command::Normalize(options)) => commands::normalize::run(&options),
        Some(Command::Explain(options)) => commands::explain::run(&options),
        Some(Command::Rules(options)) => commands::rules::run(&options),
        Some(Command::Tools(options)) => commands::tools::run(&options),
        Some(Command::Call(options)) => commands::call::run(&options),
        Some(Command::Servers(options)) => commands::servers::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(report) => report.print(),
    }
}
