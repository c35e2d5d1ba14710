//! Reading a rules file: every mistake with its place, its reason and its fix.

use std::collections::HashMap;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Kind, Member, Node};

use super::builtin::{BUILTIN_SETS, builtin_rules};
use super::payload::ArrayPath;
use super::{Action, CaseStyle, CoerceTo, Rule, Scope};

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

/// Reads a rules file: a JSON array of rules. All mistakes are reported at once.
pub fn parse_file(text: &str) -> Result<Vec<Rule>, Vec<RuleFileError>> {
    let arena = Bump::new();
    let mut reader = Reader { text, errors: Vec::new(), set: None };
    let rules = reader.file(&arena);
    if reader.errors.is_empty() { Ok(rules) } else { Err(reader.errors) }
}

/// Reads a built-in set; the tests hold that it has no mistakes.
pub(super) fn parse_builtin(text: &str, set: &'static str) -> Vec<Rule> {
    let arena = Bump::new();
    let mut reader = Reader { text, errors: Vec::new(), set: Some(set) };
    let rules = reader.file(&arena);
    debug_assert!(reader.errors.is_empty(), "{:?}", reader.errors);
    rules
}

struct Reader<'t> {
    text: &'t str,
    errors: Vec<RuleFileError>,
    set: Option<&'static str>,
}

impl<'t> Reader<'t> {
    fn file(&mut self, arena: &'t Bump) -> Vec<Rule> {
        if self.text.len() > MAX_FILE_BYTES {
            self.error_at(0, "the file is too long", "split it or remove rules that are not used");
            return Vec::new();
        }
        let root = match raw::parse(self.text, arena) {
            Ok(parsed) => {
                if let Some(key) = parsed.conflicting_key {
                    let offset = key.as_ptr() as usize - self.text.as_ptr() as usize;
                    let message = format!("\"{key}\" is given twice with different values");
                    self.error_at(offset.saturating_sub(1), &message, "keep one of them");
                }
                parsed.root
            }
            Err(error) => {
                self.error_at(
                    error.offset,
                    &format!("this is not JSON: {}", error.kind),
                    "write a JSON array of rules",
                );
                return Vec::new();
            }
        };
        let Some(items) = root.as_array() else {
            self.error(
                &root,
                &format!("a rules file is a JSON array, not {}", root.a_type_name()),
                "write [ {…}, {…} ]",
            );
            return Vec::new();
        };
        let mut rules: Vec<(Rule, Node<'t>)> = Vec::new();
        for item in items {
            if let Some(rule) = self.rule(item) {
                rules.push((rule, *item));
            }
        }
        self.check_ids(&rules);
        self.check_reach(&rules);
        rules.into_iter().map(|(rule, _)| rule).collect()
    }

    fn rule(&mut self, node: &Node<'t>) -> Option<Rule> {
        let Some(members) = node.as_object() else {
            self.error(node, "a rule is an object", "write {\"id\": …, \"tools\": […], \"type\": …}");
            return None;
        };
        let id = self.text_of(node, members, "id")?;
        let kind = self.text_of(node, members, "type")?;
        let Some((_, needed, allowed)) = TYPES.iter().find(|(name, _, _)| *name == kind) else {
            let names: Vec<&str> = TYPES.iter().map(|(name, _, _)| *name).collect();
            let fix = format!("use one of {}", names.join(", "));
            self.error(&value_of(members, "type")?, &format!("unknown type \"{kind}\""), &fix);
            return None;
        };
        let before = self.errors.len();
        self.check_keys(members, &kind, needed, allowed);
        for key in *needed {
            if value_of(members, key).is_none() {
                self.error(
                    node,
                    &format!("rule \"{id}\": {kind} needs \"{key}\""),
                    &format!("add \"{key}\""),
                );
            }
        }
        let tools = self.tools(node, members, &id);
        let enabled = self.flag(members, "enabled").unwrap_or(true);
        let note = self.optional_text(members, "note");
        if self.errors.len() > before {
            return None;
        }
        let action = self.action(&kind, node, members)?;
        Some(Rule { id, tools, action, enabled, note, set: self.set })
    }

    fn action(&mut self, kind: &str, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<Action> {
        let mut name = |key: &str| self.text_of(node, members, key);
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
                let before = self.errors.len();
                let only = self.optional_text(members, "from");
                if self.errors.len() > before {
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

    /// The target of an alias, which must differ from its source.
    fn other(&mut self, node: &Node<'t>, members: &'t [Member<'t>]) -> Option<String> {
        let (from, to) = (self.text_of(node, members, "from")?, self.text_of(node, members, "to")?);
        if from == to {
            self.error(
                &value_of(members, "to")?,
                "\"from\" and \"to\" are the same, so the rule can never fire",
                "name the parameter the tool expects",
            );
            return None;
        }
        Some(to)
    }

    fn value(&mut self, members: &'t [Member<'t>], in_list: bool) -> Option<String> {
        let value = value_of(members, "value")?;
        let json = value.to_json();
        if json.contains("{{index}}") && !in_list {
            self.error(
                &value,
                "{{index}} has no meaning outside of a list",
                "use nested_default with an array_path",
            );
            return None;
        }
        Some(json)
    }

    fn pairs(&mut self, members: &'t [Member<'t>]) -> Option<Vec<(String, String)>> {
        let value = value_of(members, "value")?;
        match value.as_object() {
            Some(pairs) if !pairs.is_empty() => {
                let again = pairs.iter().find(|pair| {
                    let to = pair.value.as_text().unwrap_or_else(|| pair.value.to_json().into());
                    pairs.iter().any(|other| other.key == to)
                });
                if let Some(pair) = again {
                    let message = format!(
                        "{} is both a new value and an old one, so a second pass would change it again",
                        pair.value.to_json()
                    );
                    self.error(&pair.value, &message, "map every old value to its final one");
                    return None;
                }
                Some(pairs.iter().map(|pair| (pair.key.to_owned(), pair.value.to_json())).collect())
            }
            _ => {
                self.error(
                    &value,
                    "\"value\" of a value_map is an object of old and new values",
                    "write {\"old\": \"new\"}",
                );
                None
            }
        }
    }

    fn array_path(&mut self, members: &'t [Member<'t>]) -> Option<ArrayPath> {
        let Some(value) = value_of(members, "array_path") else { return Some(ArrayPath::default()) };
        let Some(text) = value.as_text() else {
            self.error(&value, "\"array_path\" is a text", "for example \"steps[]\"");
            return None;
        };
        match ArrayPath::parse(&text) {
            Ok(path) => Some(path),
            Err(message) => {
                self.error(&value, &message, "for example \"steps[]\"");
                None
            }
        }
    }

    fn choice<T: Copy>(&mut self, members: &'t [Member<'t>], key: &str, choices: &[(&str, T)]) -> Option<T> {
        let value = value_of(members, key)?;
        let text = value.as_text().unwrap_or_default();
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let fix = format!("use one of {}", names.join(", "));
            self.error(&value, &format!("{} is no value of \"{key}\"", value.to_json()), &fix);
        }
        found
    }

    fn tools(&mut self, node: &Node<'t>, members: &'t [Member<'t>], id: &str) -> Vec<Scope> {
        let Some(value) = value_of(members, "tools") else {
            self.error(
                node,
                &format!("rule \"{id}\" needs \"tools\""),
                "list tool names, server/name, patterns, or \"*\"",
            );
            return Vec::new();
        };
        let names: Vec<_> = value.as_array().unwrap_or_default().iter().map(|item| item.as_text()).collect();
        if names.is_empty()
            || names.iter().any(|name| name.as_ref().is_none_or(|name| name.trim().is_empty()))
        {
            self.error(
                &value,
                &format!("\"tools\" of rule \"{id}\" is a list of at least one name"),
                "for example [\"read_file\"]",
            );
            return Vec::new();
        }
        names.into_iter().flatten().map(|name| Scope::parse(&name)).collect()
    }

    fn optional_text(&mut self, members: &'t [Member<'t>], key: &str) -> Option<String> {
        let value = value_of(members, key)?;
        let text = value.as_text().map(|text| text.into_owned());
        if text.is_none() {
            self.error(&value, &format!("\"{key}\" is a text"), "write it in quotes");
        }
        text
    }

    fn flag(&mut self, members: &'t [Member<'t>], key: &str) -> Option<bool> {
        let value = value_of(members, key)?;
        match value.kind {
            Kind::Bool(flag) => Some(flag),
            _ => {
                self.error(
                    &value,
                    &format!("\"{key}\" is true or false"),
                    "write true or false without quotes",
                );
                None
            }
        }
    }

    fn check_keys(&mut self, members: &'t [Member<'t>], kind: &str, needed: &[&str], allowed: &[&str]) {
        for member in members {
            let key = member.key;
            if COMMON_KEYS.contains(&key) || needed.contains(&key) || allowed.contains(&key) {
                continue;
            }
            let all: Vec<&str> = needed.iter().chain(allowed).chain(COMMON_KEYS).copied().collect();
            let near = all.iter().min_by_key(|known| strsim::osa_distance(known, key));
            let fix = match near.filter(|near| strsim::osa_distance(near, key) <= 2) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("{kind} takes {}", all.join(", ")),
            };
            let offset = self.offset_of(member.raw_key()).saturating_sub(1);
            self.error_at(offset, &format!("unknown key \"{key}\" in a {kind} rule"), &fix);
        }
    }

    fn check_ids(&mut self, rules: &[(Rule, Node<'t>)]) {
        let mut seen: HashMap<&str, ()> = HashMap::new();
        let builtin: Vec<String> = match self.set {
            Some(_) => Vec::new(),
            None => BUILTIN_SETS.iter().flat_map(|set| builtin_rules(set.name)).map(|rule| rule.id).collect(),
        };
        for (rule, node) in rules {
            if seen.insert(&rule.id, ()).is_some() {
                self.error(
                    node,
                    &format!("the id \"{}\" is used twice", rule.id),
                    "give every rule its own id",
                );
            } else if builtin.contains(&rule.id) {
                self.error(
                    node,
                    &format!("\"{}\" is the id of a built-in rule", rule.id),
                    "choose another id",
                );
            }
        }
    }

    /// A second rule that renames or drops the same key for the same tools never sees it.
    fn check_reach(&mut self, rules: &[(Rule, Node<'t>)]) {
        for (index, (rule, node)) in rules.iter().enumerate() {
            let Some(key) = consumed(&rule.action).filter(|_| rule.enabled) else { continue };
            let undoes = |earlier: &Rule| match (&earlier.action, &rule.action) {
                (Action::ParamAlias { from: a, to: b }, Action::ParamAlias { from: c, to: d }) => {
                    a == d
                        && b == c
                        && earlier.enabled
                        && (covers(&earlier.tools, &rule.tools) || covers(&rule.tools, &earlier.tools))
                }
                _ => false,
            };
            if let Some((earlier, _)) = rules[..index].iter().find(|(earlier, _)| undoes(earlier)) {
                let message = format!("rule \"{}\" undoes \"{}\"", rule.id, earlier.id);
                self.error(node, &message, "keep the one that leads to the name the tool declares");
            }
            let earlier = rules[..index].iter().map(|(earlier, _)| earlier).find(|earlier| {
                earlier.enabled
                    && consumed(&earlier.action).as_ref() == Some(&key)
                    && covers(&earlier.tools, &rule.tools)
            });
            if let Some(earlier) = earlier {
                let message =
                    format!("rule \"{}\" can never fire: \"{}\" takes \"{key}\" first", rule.id, earlier.id);
                self.error(node, &message, "remove one of them, or narrow the tools of the first");
            }
        }
    }

    fn text_of(&mut self, node: &Node<'t>, members: &'t [Member<'t>], key: &str) -> Option<String> {
        let Some(value) = value_of(members, key) else {
            self.error(node, &format!("\"{key}\" is missing"), &format!("add \"{key}\" to the rule"));
            return None;
        };
        match value.as_text().filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(text.into_owned()),
            None => {
                self.error(&value, &format!("\"{key}\" is a text that is not empty"), "write it in quotes");
                None
            }
        }
    }

    fn error(&mut self, node: &Node<'_>, message: &str, fix: &str) {
        let offset = node.source().map_or(0, |source| self.offset_of(source));
        self.error_at(offset, message, fix);
    }

    /// Where a part of the file stands in it.
    fn offset_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn error_at(&mut self, offset: usize, message: &str, fix: &str) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.errors.push(RuleFileError { line, column, message: message.to_owned(), fix: fix.to_owned() });
    }
}

fn value_of<'t>(members: &'t [Member<'t>], key: &str) -> Option<Node<'t>> {
    members.iter().find(|member| member.key == key).map(|member| member.value)
}

/// What no later rule of its kind finds after the rule has fired.
fn consumed(action: &Action) -> Option<String> {
    match action {
        Action::ParamAlias { from: name, .. } | Action::ParamDrop { name } => Some(name.clone()),
        Action::ParamDefault { name, .. } => Some(format!("missing {name}")),
        Action::NestedAlias { payload, path, from, .. } => Some(format!("{from} in {payload} {path}")),
        Action::NestedDefault { payload, path, name, .. } => {
            Some(format!("missing {name} in {payload} {path}"))
        }
        _ => None,
    }
}

/// Whether every tool of `narrow` is one of `wide`, and `wide` runs first. Rules for every tool run
/// after those that name one.
fn covers(wide: &[Scope], narrow: &[Scope]) -> bool {
    narrow.iter().all(|scope| {
        wide.iter().any(|wide| match (wide, scope) {
            (Scope::Every, _) => *scope == Scope::Every,
            (Scope::Glob(_), Scope::Name(name)) => wide.covers_name(name),
            _ => wide == scope,
        })
    })
}
