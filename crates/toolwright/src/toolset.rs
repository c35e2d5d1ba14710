//! The tools that the commands offer: the built-in ones, registered as an executor needs them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_builtin_tools::{BuiltinConfig, BuiltinError, FilesConfig, builtin_tools};
use toolwright_config::{Configuration, looked_for, process_environment};
use toolwright_executor::{CallError, ErrorCode, RegisteredTool, ToolExecutor, ToolRegistry};
use toolwright_normalizer::ActiveRules;
use toolwright_port::control::door_of;
use toolwright_voice::VoicePolicy;

use crate::cli::{ConfigOptions, RootOptions, RuleOptions};
use crate::report::Report;
use crate::{rules_source, search_source, server_source};

/// The words for built-in tools, in the order of founding document 001.
const LOCAL_WORDS: [&str; 4] = ["datetime", "search", "volume", "files"];

/// An executor of all tools that flags and environment ask for.
pub fn executor(
    roots: &RootOptions,
    rules: &RuleOptions,
    config: &ConfigOptions,
) -> Result<ToolExecutor, Report> {
    let active = Arc::new(ActiveRules::new(rules_source::load_with_learned(rules)?));
    let registry = registry(roots, kept_out(config, rules))?;
    Ok(ToolExecutor::new(Arc::new(registry)).with_rules(active))
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

/// Who is offered tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// Clients over MCP, by `serve` and `stdio`.
    McpClients,
    /// The model of `ask`.
    OwnModel,
    /// The voice.
    Voice,
}

impl Front {
    /// The words for the built-in tools that it offers, whatever becomes of its servers.
    pub fn local_tools(self, registry: &ToolRegistry, configuration: Option<&Configuration>) -> Vec<String> {
        match self {
            Front::McpClients if !configuration.is_none_or(Configuration::serves_own_tools) => Vec::new(),
            Front::OwnModel if configuration.is_some_and(|said| said.serves_builtin_tools == Some(false)) => {
                Vec::new()
            }
            Front::McpClients | Front::OwnModel => local_words(registry, |_| true),
            Front::Voice => {
                let settings = configuration.and_then(|configuration| configuration.voice.as_ref());
                let policy = VoicePolicy::new(settings.and_then(|settings| settings.tools.as_deref()), &[]);
                local_words(registry, |tool| policy.has(tool))
            }
        }
    }
}

/// The built-in tools that a front offers, by the words that messages have for them. The files tools count as one.
pub fn local_words(registry: &ToolRegistry, is_offered: impl Fn(&RegisteredTool) -> bool) -> Vec<String> {
    let snapshot = registry.snapshot();
    let is_there = |word: &str| {
        let mut tools = snapshot.tools().iter();
        tools.any(|tool| word_of(tool.qualified_name()) == Some(word) && is_offered(tool))
    };
    LOCAL_WORDS.iter().filter(|word| is_there(word)).map(|word| (*word).to_owned()).collect()
}

fn word_of(qualified_name: &str) -> Option<&'static str> {
    match qualified_name {
        "builtin/get_current_datetime" => Some("datetime"),
        "builtin/search_web" => Some("search"),
        "builtin/control_speaker_volume" => Some("volume"),
        name if name.starts_with("files/") => Some("files"),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use toolwright_config::parse;

    use super::*;

    #[test]
    fn messages_name_the_tools_that_a_front_offers() {
        let registry = registry(&RootOptions::default(), Vec::new()).expect("the built-in tools");
        let all = ["datetime", "search", "volume", "files"];
        let without_files = ["datetime", "search", "volume"];
        let named = |front: Front, file: Option<&str>| {
            let configuration = file
                .map(|text| parse(text, Path::new("toolwright.json"), &|_| None).expect("a configuration"));
            front.local_tools(&registry, configuration.as_ref())
        };
        assert_eq!(named(Front::McpClients, None), all);
        let plain = Some(r#"{"mcpServers": {"zwave": {"command": "zwave-mcp-server"}}}"#);
        assert!(named(Front::McpClients, plain).is_empty());
        assert_eq!(named(Front::OwnModel, plain), all);
        assert_eq!(named(Front::Voice, plain), without_files);
        let on = Some(r#"{"mcpServers": {"zwave": {"command": "x"}}, "builtinTools": true}"#);
        assert_eq!(named(Front::McpClients, on), all);
        let off = Some(r#"{"mcpServers": {"zwave": {"command": "x"}}, "builtinTools": false}"#);
        assert!(named(Front::OwnModel, off).is_empty());
    }
}
