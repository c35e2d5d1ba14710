//! The rules in force, from the built-in sets, the flags and a file.

use std::path::Path;

use toolwright_executor::printable;
use toolwright_ledger::learn::LEARNED_RULES_FILE;
use toolwright_normalizer::RuleSet;
use toolwright_normalizer::rules::{BUILTIN_SETS, BuiltinSet, Rule, parse_file, parse_learned};

use crate::cli::RuleOptions;
use crate::input::without_byte_order_mark;
use crate::report::Report;
use crate::server_source;

/// Loads the rules that the options ask for.
pub fn load(options: &RuleOptions) -> Result<RuleSet, Report> {
    for name in options.enable.iter().chain(&options.disable) {
        if !BUILTIN_SETS.iter().any(|set| set.name == name) {
            let names: Vec<&str> = BUILTIN_SETS.iter().map(|set| set.name).collect();
            return Err(Report::usage(
                format!("no built-in set is called \"{name}\""),
                format!("use one of {}", names.join(", ")),
            ));
        }
    }
    let is_on = |name: &str, default: bool| {
        (default || options.enable.iter().any(|on| on == name))
            && !options.disable.iter().any(|off| off == name)
    };
    let names: Vec<&str> = BUILTIN_SETS
        .iter()
        .filter(|set| is_on(set.name, set.is_on_by_default()))
        .map(|set| set.name)
        .collect();
    let builtin = RuleSet::from_sets(&names);
    match &options.rules {
        Some(path) => Ok(builtin.with_user_rules(read(path)?)),
        None => Ok(builtin),
    }
}

/// The built-in sets that are active for calls of language models only.
pub fn sets_for_model_calls(options: &RuleOptions) -> Vec<&'static str> {
    let names = BuiltinSet::for_model_calls().map(|set| set.name);
    names.filter(|name| !options.enable.iter().chain(&options.disable).any(|said| said == name)).collect()
}

/// The same with the rules that were learned and accepted on this machine.
pub fn load_with_learned(options: &RuleOptions) -> Result<RuleSet, Report> {
    let rules = load(options)?;
    let Some(folder) = server_source::state_folder() else { return Ok(rules) };
    let file = folder.join(LEARNED_RULES_FILE);
    let Ok(text) = std::fs::read_to_string(&file) else { return Ok(rules) };
    match parse_learned(&text) {
        Ok(learned) => Ok(rules.with_learned_rules(learned)),
        Err(errors) => {
            let why = errors.first().map(|error| error.message.as_str()).unwrap_or_default();
            let why = printable(why, &[]);
            eprintln!("warning: the learned rules of {} are left out: {why}", file.display());
            Ok(rules)
        }
    }
}

/// Reads and checks a rules file.
pub fn read(path: &Path) -> Result<Vec<Rule>, Report> {
    let text = std::fs::read_to_string(path).map_err(|error| Report::io("read", path, &error))?;
    let text = without_byte_order_mark(&text);
    parse_file(text).map_err(|errors| Report::rules(path, text, &errors))
}
