//! Reading a rules file: every mistake with its place, its reason and its fix.

mod fields;
mod mistakes;

use std::collections::HashSet;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Member, Node};

use self::mistakes::{Mistakes, meant};
use super::builtin::{BUILTIN_SETS, builtin_rules};
use super::contradictions::contradictions;
use super::shadows::shadows;
use super::{Action, CaseStyle, CoerceTo, Rule};

/// The longest rules file that is read.
const MAX_FILE_BYTES: usize = 4 << 20;

const COMMON_KEYS: &[&str] = &["id", "tools", "type", "enabled", "note"];

/// The types with the keys they need and the keys they may have.
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

/// Reads a rules file: a JSON array of rules. All mistakes are reported at once, in the order of the
/// file. A byte order mark at its start is no part of the text.
pub fn parse_file(text: &str) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    read(text.strip_prefix('\u{feff}').unwrap_or(text), None)
}

/// Reads a built-in set; the tests hold that it has no mistakes.
pub(super) fn parse_builtin(text: &str, set: &'static str) -> Vec<Rule> {
    let rules = read(text, Some(set));
    debug_assert!(rules.is_ok(), "{rules:?}");
    rules.unwrap_or_default()
}

fn read(text: &str, set: Option<&'static str>) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    let arena = Bump::new();
    let mut reader = Reader { mistakes: Mistakes::new(text), set };
    let rules = reader.file(text, &arena);
    if reader.mistakes.count() == 0 { Ok(rules) } else { Err(reader.mistakes.into_errors()) }
}

struct Reader<'t> {
    mistakes: Mistakes<'t>,
    set: Option<&'static str>,
}

impl<'t> Reader<'t> {
    fn file(&mut self, text: &'t str, arena: &'t Bump) -> Vec<Rule> {
        if text.len() > MAX_FILE_BYTES {
            let fix = "split it or remove rules that are not used";
            self.mistakes.at_offset(0, "the file is too long", fix);
            return Vec::new();
        }
        let root = match raw::parse(text, arena) {
            Ok(parsed) => {
                if let Some(key) = parsed.conflicting_key {
                    let message = format!("\"{key}\" is given twice with different values");
                    self.mistakes.at_quoted(key, message, "keep one of them");
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
        self.check_ids(&rules, &nodes);
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
        if self.mistakes.count() > before {
            return None;
        }
        let action = self.action(kind?.0, node, members)?;
        Some(Rule { id: id?, tools, action, enabled, note, set: self.set })
    }

    /// The rule's type, as its line in the table.
    fn kind(&mut self, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<&'static Type> {
        let kind = self.name_at(node, members, "type")?;
        let found = TYPES.iter().find(|(name, _, _)| *name == kind);
        if found.is_none() {
            let names = || TYPES.iter().map(|(name, _, _)| *name);
            let fix = match meant(names(), &kind) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.mistakes.at(&value_of(members, "type")?, format!("unknown type \"{kind}\""), fix);
        }
        found
    }

    fn action(&mut self, kind: &str, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<Action> {
        let mut name = |key: &str| self.name_at(node, members, key);
        Some(match kind {
            "param_alias" => Action::ParamAlias { from: name("from")?, to: self.other(node, members)? },
            "param_default" => {
                Action::ParamDefault { name: name("from")?, value: self.value(members, false)? }
            }
            "type_coerce" => {
                let from = name("from")?;
                Action::TypeCoerce { name: from, to: self.choice(members, "coerce_to", CoerceTo::NAMES)? }
            }
            "json_accept_both" => Action::JsonAcceptBoth { name: name("from")? },
            "nested_alias" => {
                let (payload, from) = (name("in_payload")?, name("from")?);
                let to = self.other(node, members)?;
                Action::NestedAlias { payload, path: self.array_path(members)?, from, to }
            }
            "nested_default" => {
                let (payload, field) = (name("in_payload")?, name("from")?);
                let path = self.array_path(members)?;
                let value = self.value(members, path.has_items())?;
                Action::NestedDefault { payload, path, name: field, value }
            }
            "param_drop" => Action::ParamDrop { name: name("from")? },
            "case_convert" => {
                let before = self.mistakes.count();
                let only = self.optional_text(members, "from");
                if self.mistakes.count() > before {
                    return None;
                }
                Action::CaseConvert { style: self.choice(members, "to", CaseStyle::NAMES)?, name: only }
            }
            _ => {
                let from = name("from")?;
                Action::ValueMap { name: from, pairs: self.pairs(members)? }
            }
        })
    }

    fn check_keys(
        &mut self,
        node: &Node<'t>,
        members: &'t [Member<'t>],
        rule: &str,
        (kind, needed, allowed): &Type,
    ) {
        let all = || needed.iter().chain(*allowed).chain(COMMON_KEYS).copied();
        for member in members.iter().filter(|member| !all().any(|known| known == member.key)) {
            let fix = match meant(all(), member.key) {
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

    fn check_ids(&mut self, rules: &[Rule], nodes: &[&Node<'t>]) {
        let mut seen: HashSet<&str> = HashSet::new();
        let builtin: HashSet<String> = match self.set {
            Some(_) => HashSet::new(),
            None => BUILTIN_SETS.iter().flat_map(|set| builtin_rules(set.name)).map(|rule| rule.id).collect(),
        };
        for (rule, node) in rules.iter().zip(nodes) {
            if !seen.insert(&rule.id) {
                let message = format!("the id \"{}\" is used twice", rule.id);
                self.mistakes.at(node, message, "give every rule its own id");
            } else if builtin.contains(&rule.id) {
                let message = format!("\"{}\" is the id of a built-in rule", rule.id);
                self.mistakes.at(node, message, "choose another id");
            }
        }
    }

    /// Rules that leave nothing to do for others, and rules that undo others.
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

/// A line of [`TYPES`].
type Type = (&'static str, &'static [&'static str], &'static [&'static str]);

fn value_of<'t>(members: &'t [Member<'t>], key: &str) -> Option<Node<'t>> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}
