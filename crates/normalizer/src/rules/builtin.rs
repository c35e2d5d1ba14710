//! The built-in sets by name: rules that the product's founding documents list, and those that the files
//! tools need where no schema applies.

use super::Rule;
use super::file::parse_builtin;

/// A named set of built-in rules.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinSet {
    /// Its name for `--enable` and `--disable`.
    pub name: &'static str,
    /// Its purpose.
    pub about: &'static str,
    /// The calls that it applies to by default.
    pub active_for: ActiveFor,
    json: &'static str,
}

/// The calls that a built-in set applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActiveFor {
    /// Every call.
    EveryCall,
    /// Calls of language models that pass the LLM proxy.
    ModelCalls,
}

impl BuiltinSet {
    /// Whether it is active for every call by default.
    pub fn is_on_by_default(&self) -> bool {
        self.active_for == ActiveFor::EveryCall
    }

    /// The sets that are active for calls of language models only, by default.
    pub fn for_model_calls() -> impl Iterator<Item = &'static BuiltinSet> {
        BUILTIN_SETS.iter().filter(|set| set.active_for == ActiveFor::ModelCalls)
    }
}

/// Every built-in set.
pub const BUILTIN_SETS: &[BuiltinSet] = &[
    BuiltinSet {
        name: "claude-desktop",
        about: "what Claude Desktop sends to file servers: old_str, \"true\", raw JSON for JSON strings, step types",
        active_for: ActiveFor::EveryCall,
        json: include_str!("sets/claude-desktop.json"),
    },
    BuiltinSet {
        name: "file-path",
        about: "file_path, filepath and file for path in read_file, write_to_file and apply_diff",
        active_for: ActiveFor::EveryCall,
        json: include_str!("sets/file-path.json"),
    },
    BuiltinSet {
        name: "file-steps",
        about: "old_str, file_path and the like in the steps and edits of the built-in files tools, and steps for pipeline_json",
        active_for: ActiveFor::EveryCall,
        json: include_str!("sets/file-steps.json"),
    },
    BuiltinSet {
        name: "file-window-drop",
        about: "drops offset and limit from read_file where the tool has no such parameters; widens the read",
        active_for: ActiveFor::ModelCalls,
        json: include_str!("sets/file-window-drop.json"),
    },
    BuiltinSet {
        name: "zwave",
        about: "device_name, command and brightness for the Z-Wave tools",
        active_for: ActiveFor::EveryCall,
        json: include_str!("sets/zwave.json"),
    },
    BuiltinSet {
        name: "snake-to-camel",
        about: "snake_case keys for servers that do not declare snake_case names",
        active_for: ActiveFor::EveryCall,
        json: include_str!("sets/snake-to-camel.json"),
    },
];

/// The rules of one set; empty if no set has the name.
pub(super) fn builtin_rules(name: &str) -> Vec<Rule> {
    let Some(set) = BUILTIN_SETS.iter().find(|set| set.name == name) else { return Vec::new() };
    parse_builtin(set.json, set.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_parses_and_ids_are_unique() {
        let mut ids = Vec::new();
        for set in BUILTIN_SETS {
            let rules = builtin_rules(set.name);
            assert!(!rules.is_empty(), "{}", set.name);
            ids.extend(rules.into_iter().map(|rule| rule.id));
        }
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
