//! The `toolwright` binary: flags, wiring and exit codes. The work is in the other crates.

// Before the modules that use its macros.
#[macro_use]
mod stderr;

mod address;
mod agent_mind;
mod agent_source;
mod cli;
mod client_files;
mod code_pages;
mod commands;
mod completing;
mod definitions_source;
mod expected;
mod finish;
mod gateway_source;
#[cfg(unix)]
mod init;
mod input;
mod ledger_source;
mod llm_source;
mod logging;
mod output;
mod progress;
mod report;
mod rules_source;
mod search_source;
mod seconds;
mod server_source;
mod signals;
mod telemetry_source;
mod toolset;
mod voice_source;
mod watchdog;
mod wrong_use;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::cli::{Cli, Command, ServeOptions, ServersCommand};

/// Memory that a large call took goes back to the system within a moment (`.cargo/config.toml` says how soon).
#[cfg(all(feature = "jemalloc", target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The argument that makes this program the guardian of the servers of another process of it.
const GUARD: &str = "__guard";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|arg| arg == GUARD) {
        return toolwright_mcp::guard::run(args);
    }
    #[cfg(unix)]
    if let Some(code) = init::run() {
        return code;
    }
    // A shell asks what can stand next. It does not return then.
    completing::answer(Cli::command);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_use::tell(&error, &Cli::command()),
    };
    let command = cli.command.unwrap_or_else(|| Command::Serve(ServeOptions::default()));
    let is_running = match &command {
        Command::Serve(_) | Command::Demo(_) | Command::Stdio(_) | Command::Voice(_) => true,
        Command::Servers(servers) => matches!(servers.command, Some(ServersCommand::Watch)),
        _ => false,
    };
    // A line of the log in the middle of a page would stay there. What goes wrong the page says itself.
    if !(matches!(command, Command::Tui(_)) && std::io::stderr().is_terminal()) {
        logging::to_stderr(if is_running { logging::Servers::Logged } else { logging::Servers::Told });
    }
    let result = match command {
        Command::Serve(options) => commands::serve::run(&options),
        Command::Demo(options) => commands::demo::run(&options),
        Command::Stdio(options) => commands::stdio::run(&options),
        Command::Status(options) => commands::status::run(&options),
        Command::Tui(options) => commands::tui::run(&options),
        Command::Doctor(options) => commands::doctor::run(&options),
        Command::Voice(options) => commands::voice::run(&options),
        Command::Install(options) => commands::install::run(&options),
        Command::Import(options) => commands::import::run(&options),
        Command::Dashboard(options) => commands::dashboard::run(&options),
        Command::Token(options) => commands::token::run(&options),
        Command::Normalize(options) => commands::normalize::run(&options),
        Command::Replay(options) => commands::replay::run(&options),
        Command::Explain(options) => commands::explain::run(&options),
        Command::Rules(options) => commands::rules::run(&options),
        Command::Tools(options) => commands::tools::run(&options),
        Command::Call(options) => commands::call::run(&options),
        Command::Ask(options) => commands::ask::run(&options),
        Command::Servers(options) => commands::servers::run(&options),
        Command::Llm(options) => commands::llm::run(&options),
        Command::Audit(options) => commands::audit::run(&options),
        Command::Completions(options) => commands::completions::run(&options),
        Command::Man(options) => commands::man::run(&options),
    };
    match result {
        Ok(code) => code,
        Err(report) => report.print(),
    }
}
