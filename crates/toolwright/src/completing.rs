//! What a shell can complete: commands and flags, and the names of servers, toolboxes, tools, rules, codes and clients.
//!
//! Names come from the gateway that runs, or else from files: the configuration, what tools were seen, the rules. No
//! server is started for it, and nothing is printed but names.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::CompleteEnv;
use tokio::runtime::Builder;
use toolwright_backend::Servers;
use toolwright_config::clients::CLIENTS;
use toolwright_config::{load, locate, process_environment};
use toolwright_endpoints::OWN_TOOLBOX;
use toolwright_model::Code;
use toolwright_normalizer::rules::BUILTIN_SETS;
use toolwright_port::control::{self, Names, Question, Reply};
use toolwright_security::Pins;

use crate::cli::{Cli, RootOptions, RuleOptions};
use crate::{definitions_source, rules_source, server_source, toolset};

/// The variable by which a shell asks.
pub const VARIABLE: &str = "TOOLWRIGHT_COMPLETE";

/// Answers a shell that asks, and ends the program then.
pub fn answer(command: impl Fn() -> Command) {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

pub fn servers() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| candidates(begun, names().servers))
}

pub fn toolboxes() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        let mut toolboxes = names().toolboxes;
        toolboxes.push(OWN_TOOLBOX.to_owned());
        candidates(begun, toolboxes)
    })
}

pub fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| candidates(begun, own_tools().into_iter().chain(names().tools)))
}

pub fn explainable() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        let codes = Code::ALL.iter().map(|code| code.as_str().to_owned());
        let rules = rules_source::load_with_learned(&RuleOptions::default());
        let rules = rules.map(|rules| rules.rules().iter().map(|rule| rule.id.clone()).collect());
        let rules: Vec<String> = rules.unwrap_or_default();
        candidates(begun, codes.chain(rules))
    })
}

pub fn clients() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        candidates(begun, CLIENTS.iter().map(|client| client.id.to_owned()))
    })
}

pub fn commands() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        let program = Cli::command();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        candidates(begun, shown.map(|command| command.get_name().to_owned()))
    })
}

pub fn sets() -> ArgValueCompleter {
    ArgValueCompleter::new(|begun: &OsStr| {
        candidates(begun, BUILTIN_SETS.iter().map(|set| set.name.to_owned()))
    })
}

fn own_tools() -> Vec<String> {
    let Ok(registry) = toolset::registry(&RootOptions::default(), Vec::new()) else { return Vec::new() };
    registry.snapshot().tools().iter().map(|tool| tool.name().to_owned()).collect()
}

fn candidates(begun: &OsStr, names: impl IntoIterator<Item = String>) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    let mut names: Vec<String> = names.into_iter().filter(|name| name.starts_with(&*begun)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// The names there are: of the gateway that runs with the configuration of this command line, or of that file.
fn names() -> Names {
    let Ok(Some(located)) = locate(named_file().as_deref(), &process_environment) else {
        return Names::default();
    };
    if let Some(names) = running(&located.file) {
        return names;
    }
    let Ok(configuration) = load(&located.file, &process_environment) else { return Names::default() };
    let servers: Vec<String> = Servers::names_of(&configuration).collect();
    Names {
        tools: seen_tools(&servers),
        toolboxes: configuration.toolboxes.iter().map(|toolbox| toolbox.name.clone()).collect(),
        servers,
    }
}

fn running(file: &std::path::Path) -> Option<Names> {
    let door = control::door_of(file).ok().filter(|door| door.exists())?;
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    match runtime.block_on(control::ask(&door, &Question::Names)) {
        Ok(Reply::Names(names)) => Some(names),
        _ => None,
    }
}

/// Tools as they were seen when their servers ran.
fn seen_tools(servers: &[String]) -> Vec<String> {
    let Some(file) = server_source::state_folder().map(|folder| folder.join(definitions_source::FILE)) else {
        return Vec::new();
    };
    let Ok(pins) = Pins::open(Some(file)) else { return Vec::new() };
    // A server is known there by its toolbox too.
    let own = |server: &str| {
        servers.iter().find(|known| server == *known || server.ends_with(&format!("/{known}"))).cloned()
    };
    let agreed = pins.agreed();
    agreed.iter().filter_map(|agreed| Some(format!("{}/{}", own(&agreed.server)?, agreed.tool))).collect()
}

/// The file after `--config` on the line that is being written.
fn named_file() -> Option<PathBuf> {
    let words: Vec<_> = std::env::args_os().collect();
    let next = words.iter().position(|word| word == "--config").and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("--config=").map(PathBuf::from));
    next.map(PathBuf::from).or(joined)
}
