//! The rules in force, from the built-in sets, the flags and a file.

use std::path::Path;

use toolwright_normalizer::RuleSet;
use toolwright_normalizer::rules::{BUILTIN_SETS, Rule, parse_file};

use crate::cli::RuleOptions;
use crate::input::without_byte_order_mark;
use crate::report::Report;

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
    let names: Vec<&str> =
        BUILTIN_SETS.iter().filter(|set| is_on(set.name, set.on_by_default)).map(|set| set.name).collect();
    let builtin = RuleSet::from_sets(&names);
    match &options.rules {
        Some(path) => Ok(builtin.with_user_rules(read(path)?)),
        None => Ok(builtin),
    }
}

/// Reads and checks a rules file.
pub fn read(path: &Path) -> Result<Vec<Rule>, Report> {
    let text = std::fs::read_to_string(path).map_err(|error| Report::io("read", path, &error))?;
    let text = without_byte_order_mark(&text);
    parse_file(text).map_err(|errors| Report::rules(path, text, &errors))
}
