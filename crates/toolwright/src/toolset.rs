//! The tools that the commands offer: the built-in ones, registered as an executor needs them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_config::{looked_for, process_environment};
use toolwright_gateway::control::door_of;
use toolwright_normalizer::Normalizer;
use toolwright_tools::builtin::{BuiltinConfig, BuiltinError, FilesConfig, builtin_tools};
use toolwright_tools::{CallError, ErrorCode, ToolExecutor, ToolRegistry};

use crate::cli::{ConfigOptions, RootOptions, RuleOptions};
use crate::report::Report;
use crate::{rules_source, search_source, server_source};

/// An executor of all tools that flags and environment ask for.
pub fn executor(
    roots: &RootOptions,
    rules: &RuleOptions,
    config: &ConfigOptions,
) -> Result<ToolExecutor, Report> {
    let normalizer = Normalizer::new(rules_source::load_with_learned(rules)?);
    let executor = ToolExecutor::new(Arc::new(registry(roots, kept_out(config, rules))?));
    executor.set_normalizer(normalizer);
    Ok(executor)
}

/// The folders that the files tools may use, as they are told.
pub fn folders(roots: &RootOptions) -> Vec<PathBuf> {
    let given = &roots.folders;
    let roots = if given.is_empty() { vec![PathBuf::from(".")] } else { given.clone() };
    roots.into_iter().map(|folder| std::path::absolute(&folder).unwrap_or(folder)).collect()
}

/// What the files tools do not touch, wherever they work: our own files. Who writes the configuration has
/// programs started, and who reads the tokens may do what they allow.
pub fn kept_out(config: &ConfigOptions, rules: &RuleOptions) -> Vec<PathBuf> {
    let mut places = looked_for(config.config.as_deref(), &process_environment);
    places.extend(server_source::state_folder());
    places.extend(rules.rules.clone());
    // All control sockets are in one folder.
    let door = door_of(Path::new("toolwright.json")).ok();
    places.extend(door.and_then(|door| door.parent().map(Path::to_owned)));
    places.into_iter().map(|place| std::path::absolute(&place).unwrap_or(place)).collect()
}

/// The built-in tools, the files tools inside these folders only, and there not in what is kept out.
pub fn registry(roots: &RootOptions, kept_out: Vec<PathBuf>) -> Result<ToolRegistry, Report> {
    let given = &roots.folders;
    let roots = if given.is_empty() { vec![PathBuf::from(".")] } else { given.clone() };
    let roots = roots.into_iter().map(as_the_user_sees_it).collect();
    let config = BuiltinConfig {
        files: FilesConfig { roots, kept_out, ..FilesConfig::default() },
        search: search_source::config(),
        ..BuiltinConfig::default()
    };
    let registry = ToolRegistry::new();
    for tool in builtin_tools(&config).map_err(|error| unusable(&error))? {
        let name = tool.definition.name.clone();
        registry.register(tool.definition, tool.function).map_err(|error| {
            Report::usage(format!("the built-in tool \"{name}\" cannot be offered: {error}"), "report this")
        })?;
    }
    Ok(registry)
}

/// A relative folder below the current one by the name that the user came by. The system knows only the name
/// without links, and a model that is told the other one would be refused.
fn as_the_user_sees_it(folder: PathBuf) -> PathBuf {
    let (Some(seen), Ok(real)) = (std::env::var_os("PWD"), std::env::current_dir()) else { return folder };
    let seen = PathBuf::from(seen);
    let is_current = seen.is_absolute() && seen.canonicalize().is_ok_and(|seen| seen == real);
    if is_current && folder.is_relative() { seen.join(folder) } else { folder }
}

/// What was configured, in the words of flags and variables.
fn unusable(error: &BuiltinError) -> Report {
    match error {
        BuiltinError::Root { path, reason } => Report::usage(
            format!("cannot use the folder \"{}\" for the files tools: {reason}", path.display()),
            "give a folder that is there with --root",
        ),
        BuiltinError::Search { url, reason } => search_source::unusable(url, reason),
        BuiltinError::TimeZone { reason } => Report::usage(reason, "correct the time zone of this machine"),
    }
}

/// What the user of these commands can do about a failed call, where the tool cannot know it.
pub fn fix(tool: &str, error: &CallError) -> Option<String> {
    if tool != "search_web" || error.code != ErrorCode::Unavailable {
        return None;
    }
    match search_source::from_environment() {
        Ok(None) => Some(search_source::HOW_TO_CHOOSE.to_owned()),
        Ok(Some(_)) => None,
        Err(report) => report.fix().map(str::to_owned),
    }
}
