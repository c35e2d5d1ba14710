//! The `toolwright` binary: flags, wiring and exit codes. The work is in the other crates.

mod address;
mod cli;
mod code_pages;
mod commands;
mod definitions_source;
mod files;
mod finish;
mod gateway_source;
mod input;
mod ledger_source;
mod llm_source;
mod logging;
mod output;
mod report;
mod rules_source;
mod search_source;
mod seconds;
mod server_source;
mod signals;
mod telemetry_source;
mod toolset;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command, ServeOptions, ServersCommand};

/// The argument that makes this program the guardian of the servers of another process of it.
const GUARD: &str = "__guard";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == GUARD) {
        return toolwright_mcp::guard::run(args);
    }
    let cli = Cli::parse();
    let command = cli.command.unwrap_or_else(|| Command::Serve(ServeOptions::default()));
    let is_running = match &command {
        Command::Serve(_) | Command::Stdio(_) => true,
        Command::Servers(servers) => matches!(servers.command, Some(ServersCommand::Watch)),
        _ => false,
    };
    logging::to_stderr(if is_running { logging::Servers::Logged } else { logging::Servers::Told });
    let result = match command {
        Command::Serve(options) => commands::serve::run(&options),
        Command::Stdio(options) => commands::stdio::run(&options),
        Command::Dashboard(options) => commands::dashboard::run(&options),
        Command::Token(options) => commands::token::run(&options),
        Command::Normalize(options) => commands::normalize::run(&options),
        Command::Replay(options) => commands::replay::run(&options),
        Command::Explain(options) => commands::explain::run(&options),
        Command::Rules(options) => commands::rules::run(&options),
        Command::Tools(options) => commands::tools::run(&options),
        Command::Call(options) => commands::call::run(&options),
        Command::Servers(options) => commands::servers::run(&options),
        Command::Llm(options) => commands::llm::run(&options),
        Command::Audit(options) => commands::audit::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(report) => report.print(),
    }
}
