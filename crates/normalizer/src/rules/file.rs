//! Parser of rules files: reports every mistake with its position, its reason and its fix.

mod fields;
mod mistakes;

use std::collections::{HashMap, HashSet};

use bumpalo::Bump;
use toolwright_base::closest_name;
use toolwright_jsonrpc::raw::{self, Member, Node, same_value};

use self::mistakes::RuleMistakes;
use super::builtin::{BUILTIN_SETS, builtin_rules};
use super::contradictions::contradictions;
use super::payload::ArrayPath;
use super::shadows::shadows;
use super::{Action, CaseStyle, CoerceTo, Rule};

/// Name of the set of learned rules.
pub const LEARNED_SET: &str = "learned";

/// Maximum length of a rules file.
const MAX_FILE_BYTES: usize = 4 << 20;

const COMMON_KEYS: &[&str] = &["id", "tools", "type", "enabled", "note"];

/// The types with their required and their optional keys.
const TYPES: &[(&str, &[&str], &[&str])] = &[
    ("param_alias", &["from", "to"], &[]),
    ("param_default", &["from", "value"], &[]),
    ("type_coerce", &["from", "coerce_to"], &[]),
    ("json_accept_both", &["from"], &[]),
    ("nested_alias", &["in_payload", "from", "to"], &["array_path"]),
    ("nested_default", &["in_payload", "from", "value"], &["array_path"]),
    ("param_drop", &["from"], &[]),
    ("case_convert", &["to"], &["from"]),
    ("value_map", &["from", "value"], &[]),
];

/// One mistake in a rules file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct RuleFileError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

/// Parses a rules file: a JSON array of rules. Reports all mistakes at once, in the order of the
/// file. A byte order mark at its start is ignored.
pub fn parse_file(text: &str) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    read(text.strip_prefix('\u{feff}').unwrap_or(text), None)
}

/// Parses a file of learned rules. Like those of a built-in set, they apply only if the tool's schema agrees.
pub fn parse_learned(text: &str) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    read(text, Some(LEARNED_SET))
}

/// Parses a built-in set; the tests ensure that it has no mistakes.
pub(super) fn parse_builtin(text: &str, set: &'static str) -> Vec<Rule> {
    let rules = read(text, Some(set));
    debug_assert!(rules.is_ok(), "{rules:?}");
    rules.unwrap_or_default()
}

fn read(text: &str, set: Option<&'static str>) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    let arena = Bump::new();
    let mut reader = RuleFileReader { mistakes: RuleMistakes::new(text), set };
    let rules = reader.file(text, &arena);
    if reader.mistakes.count() == 0 { Ok(rules) } else { Err(reader.mistakes.into_errors()) }
}

struct RuleFileReader<'t> {
    mistakes: RuleMistakes<'t>,
    set: Option<&'static str>,
}

impl<'t> RuleFileReader<'t> {
    fn file(&mut self, text: &'t str, arena: &'t Bump) -> Vec<Rule> {
        if text.len() > MAX_FILE_BYTES {
            let fix = "split it or remove rules that are not used";
            self.mistakes.at_offset(0, "the file is too long", fix);
            return Vec::new();
        }
        let root = match raw::parse(text, arena) {
            Ok(parsed) => {
                if parsed.conflicting_key.is_some() {
                    self.check_repeats(&parsed.root);
                }
                parsed.root
            }
            Err(error) => {
                let message = format!("this is not JSON: {}", error.kind);
                self.mistakes.at_offset(error.offset, message, "write a JSON array of rules");
                return Vec::new();
            }
        };
        let Some(items) = root.as_array() else {
            let message = format!("a rules file is a JSON array, not {}", root.a_type_name());
            self.mistakes.at(&root, message, "write [ {…}, {…} ]");
            return Vec::new();
        };
        let (mut rules, mut nodes) = (Vec::new(), Vec::new());
        for item in items {
            if let Some(rule) = self.rule(item) {
                rules.push(rule);
                nodes.push(item);
            }
        }
        self.check_ids(items);
        self.check_together(&rules, &nodes);
        rules
    }

    fn rule(&mut self, node: &Node<'t>) -> Option<Rule> {
        let Some(members) = node.as_object() else {
            let fix = "write {\"id\": …, \"tools\": […], \"type\": …}";
            self.mistakes.at(node, "a rule is an object", fix);
            return None;
        };
        let before = self.mistakes.count();
        let id = self.name_at(node, members, "id");
        let rule = id.as_ref().map_or("the rule".to_owned(), |id| format!("rule \"{id}\""));
        let kind = self.kind(node, members);
        if let Some(kind) = kind {
            self.check_keys(node, members, &rule, kind);
        }
        let tools = self.tools(node, members, &rule);
        let enabled = self.flag(members, "enabled").unwrap_or(true);
        let note = self.optional_text(members, "note");
        let Some(kind) = kind else {
            // These keys mean the same in every type.
            self.given_name(members, "from");
            self.given_name(members, "in_payload");
            self.array_path(members);
            return None;
        };
        let action = self.action(kind.0, members);
        if self.mistakes.count() > before {
            return None;
        }
        Some(Rule { id: id?, tools, action: action?, enabled, note, set: self.set })
    }

    /// Reports keys that are present twice in one object with different values.
    fn check_repeats(&mut self, node: &Node<'t>) {
        for item in node.as_array().unwrap_or_default() {
            self.check_repeats(item);
        }
        let mut seen: HashMap<&str, Node<'t>> = HashMap::new();
        for member in node.as_object().unwrap_or_default() {
            self.check_repeats(&member.value);
            let first = *seen.entry(member.key).or_insert(member.value);
            if !same_value(&first, &member.value) {
                let message = format!("\"{}\" is given twice with different values", member.key);
                self.mistakes.at_quoted(member.raw_key(), message, "keep one of them");
            }
        }
    }

    /// The rule's type, as its row in the table.
    fn kind(&mut self, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<&'static RuleType> {
        let kind = self.name_at(node, members, "type")?;
        let found = TYPES.iter().find(|(name, _, _)| *name == kind);
        if found.is_none() {
            let names = || TYPES.iter().map(|(name, _, _)| *name);
            let fix = match closest_name(&kind, names()) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.mistakes.at(&value_of(members, "type")?, format!("unknown type \"{kind}\""), fix);
        }
        found
    }

    /// The action of the rule. Parses every key before it returns, so that all mistakes are reported.
    fn action(&mut self, kind: &str, members: &'t [Member<'t>]) -> Option<Action> {
        if kind == "case_convert" {
            let name = self.optional_text(members, "from");
            return Some(Action::CaseConvert { style: self.choice(members, "to", CaseStyle::NAMES)?, name });
        }
        let from = self.given_name(members, "from");
        Some(match kind {
            "param_alias" => {
                let to = self.other(from.as_deref(), members);
                Action::ParamAlias { from: from?, to: to? }
            }
            "param_default" => {
                let value = self.value(members, false);
                Action::ParamDefault { name: from?, value: value? }
            }
            "type_coerce" => {
                let to = self.choice(members, "coerce_to", CoerceTo::NAMES);
                Action::TypeCoerce { name: from?, to: to? }
            }
            "json_accept_both" => Action::JsonAcceptBoth { name: from? },
            "nested_alias" => {
                let (payload, path) = (self.given_name(members, "in_payload"), self.array_path(members));
                let to = self.other(from.as_deref(), members);
                Action::NestedAlias { payload: payload?, path: path?, from: from?, to: to? }
            }
            "nested_default" => {
                let (payload, path) = (self.given_name(members, "in_payload"), self.array_path(members));
                // A mistake in the path is already reported.
                let in_list = path.as_ref().is_none_or(ArrayPath::has_items);
                let value = self.value(members, in_list);
                Action::NestedDefault { payload: payload?, path: path?, name: from?, value: value? }
            }
            "param_drop" => Action::ParamDrop { name: from? },
            _ => {
                let pairs = self.pairs(members);
                Action::ValueMap { name: from?, pairs: pairs? }
            }
        })
    }

    fn check_keys(
        &mut self,
        node: &Node<'t>,
        members: &'t [Member<'t>],
        rule: &str,
        (kind, needed, allowed): &RuleType,
    ) {
        let all = || needed.iter().chain(*allowed).chain(COMMON_KEYS).copied();
        for member in members.iter().filter(|member| !all().any(|known| known == member.key)) {
            let fix = match closest_name(member.key, all()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("{kind} takes {}", all().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("unknown key \"{}\" in a {kind} rule", member.key);
            self.mistakes.at_quoted(member.raw_key(), message, fix);
        }
        for key in needed.iter().filter(|key| value_of(members, key).is_none()) {
            self.mistakes.at(node, format!("{rule}: {kind} needs \"{key}\""), format!("add \"{key}\""));
        }
    }

    /// Reports ids that are used twice or belong to a built-in rule, whatever else is wrong with the rule.
    fn check_ids(&mut self, items: &'t [Node<'t>]) {
        let mut seen: HashSet<String> = HashSet::new();
        let builtin: HashSet<String> = match self.set {
            Some(_) => HashSet::new(),
            None => BUILTIN_SETS.iter().flat_map(|set| builtin_rules(set.name)).map(|rule| rule.id).collect(),
        };
        for node in items {
            let id = node.as_object().and_then(|members| value_of(members, "id"));
            let Some(id) = id.as_ref().and_then(Node::as_text).filter(|id| !id.trim().is_empty()) else {
                continue;
            };
            if !seen.insert(id.clone().into_owned()) {
                let message = format!("the id \"{id}\" is used twice");
                self.mistakes.at(node, message, "give every rule its own id");
            } else if builtin.contains(&*id) {
                let message = format!("\"{id}\" is the id of a built-in rule");
                self.mistakes.at(node, message, "choose another id");
            }
        }
    }

    /// Reports rules that make others unreachable, and rules that undo others.
    fn check_together(&mut self, rules: &[Rule], nodes: &[&Node<'t>]) {
        for shadow in shadows(rules) {
            let message = format!(
                "rule \"{}\" can never fire: \"{}\" takes \"{}\" first",
                rules[shadow.rule].id, rules[shadow.earlier].id, shadow.what
            );
            let fix = "remove one of them, or narrow the tools of the first";
            self.mistakes.at(nodes[shadow.rule], message, fix);
        }
        let rules: Vec<&Rule> = rules.iter().collect();
        for contradiction in contradictions(&rules) {
            self.mistakes.at(nodes[contradiction.rule], contradiction.message, contradiction.fix);
        }
    }
}

/// A row of [`TYPES`].
type RuleType = (&'static str, &'static [&'static str], &'static [&'static str]);

fn value_of<'t>(members: &'t [Member<'t>], key: &str) -> Option<Node<'t>> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}
