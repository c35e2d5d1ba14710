//! Parser of the single keys of a rule.

use toolwright_base::closest_name;
use toolwright_jsonrpc::raw::{Kind, Member, Node};

use super::{RuleFileReader, value_of};
use crate::rules::Scope;
use crate::rules::payload::ArrayPath;

const TOOLS_FIX: &str = "list tool names, server/name, patterns, or \"*\"";

impl<'t> RuleFileReader<'t> {
    /// A text that every rule of the type requires.
    pub(super) fn name_at(
        &mut self,
        node: &Node<'t>,
        members: &'t [Member<'t>],
        key: &str,
    ) -> Option<String> {
        if value_of(members, key).is_none() {
            self.mistakes.at(node, format!("\"{key}\" is missing"), format!("add \"{key}\" to the rule"));
        }
        self.given_name(members, key)
    }

    /// A text under a key that may be missing; a missing key is reported elsewhere.
    pub(super) fn given_name(&mut self, members: &'t [Member<'t>], key: &str) -> Option<String> {
        let value = value_of(members, key)?;
        match value.as_text() {
            Some(text) if !text.trim().is_empty() => Some(text.into_owned()),
            Some(_) => {
                self.mistakes.at(&value, format!("\"{key}\" is empty"), "write a name between the quotes");
                None
            }
            None => {
                self.mistakes.at(&value, format!("\"{key}\" must be a string"), "write it in quotes");
                None
            }
        }
    }

    pub(super) fn optional_text(&mut self, members: &'t [Member<'t>], key: &str) -> Option<String> {
        let value = value_of(members, key)?;
        let text = value.as_text().map(|text| text.into_owned());
        if text.is_none() {
            self.mistakes.at(&value, format!("\"{key}\" must be a string"), "write it in quotes");
        }
        text
    }

    pub(super) fn flag(&mut self, members: &'t [Member<'t>], key: &str) -> Option<bool> {
        let value = value_of(members, key)?;
        if let Kind::Bool(flag) = value.kind {
            return Some(flag);
        }
        let fix = "write true or false without quotes";
        self.mistakes.at(&value, format!("\"{key}\" must be true or false"), fix);
        None
    }

    pub(super) fn tools(&mut self, node: &Node<'t>, members: &'t [Member<'t>], rule: &str) -> Vec<Scope> {
        let Some(value) = value_of(members, "tools") else {
            self.mistakes.at(node, format!("{rule} needs \"tools\""), TOOLS_FIX);
            return Vec::new();
        };
        let Some(items) = value.as_array().filter(|items| !items.is_empty()) else {
            let message = format!("\"tools\" of {rule} is a list of at least one name");
            self.mistakes.at(&value, message, "for example [\"read_file\"]");
            return Vec::new();
        };
        let mut scopes = Vec::with_capacity(items.len());
        for item in items {
            match item.as_text() {
                Some(name) if !name.is_empty() && name.trim() == name => match wrong_entry(&name) {
                    Some((why, fix)) => {
                        let message = format!("{} in \"tools\" of {rule} {why}", item.to_json());
                        self.mistakes.at(item, message, fix);
                    }
                    None => scopes.push(Scope::parse(&name)),
                },
                Some(name) if !name.trim().is_empty() => {
                    let message = format!("{} has white space around it, so no tool matches", item.to_json());
                    self.mistakes.at(item, message, format!("write \"{}\"", name.trim()));
                }
                _ => {
                    let message = format!("{} in \"tools\" of {rule} is not a tool name", item.to_json());
                    self.mistakes.at(item, message, TOOLS_FIX);
                }
            }
        }
        scopes
    }

    /// The target of an alias, which must differ from its source.
    pub(super) fn other(&mut self, from: Option<&str>, members: &'t [Member<'t>]) -> Option<String> {
        let to = self.given_name(members, "to")?;
        if from == Some(to.as_str()) {
            let message = "\"from\" and \"to\" are the same, so the rule can never fire";
            self.mistakes.at(&value_of(members, "to")?, message, "name the parameter the tool expects");
            return None;
        }
        Some(to)
    }

    pub(super) fn value(&mut self, members: &'t [Member<'t>], in_list: bool) -> Option<String> {
        let value = value_of(members, "value")?;
        let json = value.to_json();
        for name in placeholders(&json) {
            match name {
                "uuid" => {}
                "index" if in_list => {}
                "index" => {
                    let message = "{{index}} has no meaning outside of a list";
                    let fix = "use {{uuid}} for an id, or nested_default with an array_path";
                    self.mistakes.at(&value, message, fix);
                    return None;
                }
                _ => {
                    let message = format!("unknown placeholder {{{{{name}}}}}");
                    let fix = match in_list {
                        true => "use {{uuid}} for an id or {{index}} for the place in the list",
                        false => "use {{uuid}} for an id",
                    };
                    self.mistakes.at(&value, message, fix);
                    return None;
                }
            }
        }
        Some(json)
    }

    pub(super) fn pairs(&mut self, members: &'t [Member<'t>]) -> Option<Vec<(String, String)>> {
        let value = value_of(members, "value")?;
        let Some(pairs) = value.as_object().filter(|pairs| !pairs.is_empty()) else {
            let message = "\"value\" of a value_map is an object of old and new values";
            self.mistakes.at(&value, message, "write {\"old\": \"new\"}");
            return None;
        };
        let to = |pair: &Member<'t>| pair.value.as_text().unwrap_or_else(|| pair.value.to_json().into());
        let keys: std::collections::HashSet<&str> = pairs.iter().map(|pair| pair.key).collect();
        let before = self.mistakes.count();
        for pair in pairs {
            if pair.value.as_text().is_some_and(|to| to == pair.key) {
                let message = format!("{} is mapped onto itself", pair.value.to_json());
                self.mistakes.at(&pair.value, message, "leave the pair out, or give another new value");
            } else if keys.contains(to(pair).as_ref()) {
                let message = format!(
                    "{} is both a new value and an old one, so a second pass would change it again",
                    pair.value.to_json()
                );
                self.mistakes.at(&pair.value, message, "map every old value to its final one");
            }
        }
        if self.mistakes.count() > before {
            return None;
        }
        Some(pairs.iter().map(|pair| (pair.key.to_owned(), pair.value.to_json())).collect())
    }

    pub(super) fn array_path(&mut self, members: &'t [Member<'t>]) -> Option<ArrayPath> {
        let Some(value) = value_of(members, "array_path") else { return Some(ArrayPath::default()) };
        let Some(text) = value.as_text() else {
            self.mistakes.at(&value, "\"array_path\" must be a string", "for example \"steps[]\"");
            return None;
        };
        match ArrayPath::parse(&text) {
            Ok(path) => Some(path),
            Err(error) => {
                self.mistakes.at(&value, error.to_string(), error.fix());
                None
            }
        }
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        members: &'t [Member<'t>],
        key: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let value = value_of(members, key)?;
        let text = value.as_text().unwrap_or_default();
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice);
        if found.is_none() {
            let names = || choices.iter().map(|(name, _)| *name);
            let fix = match closest_name(&text, names()) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => format!("use one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.mistakes.at(&value, format!("{} is not a value of \"{key}\"", value.to_json()), fix);
        }
        found
    }
}

/// The words in double braces: `step-{{index}}`. Other text in braces is an ordinary value.
fn placeholders(json: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    json.split("{{")
        .skip(1)
        .filter_map(|rest| rest.split_once("}}"))
        .map(|(name, _)| name)
        .filter(move |name| is_word(name))
}

/// Why an entry of `tools` can hardly match a tool, and what to write instead.
fn wrong_entry(entry: &str) -> Option<(&'static str, String)> {
    if entry.contains(['[', ']', '{', '}']) {
        let fix = "use * for any characters and ? for one, or list the names one by one";
        return Some(("has brackets, which are not wildcards here", fix.to_owned()));
    }
    let parts: Vec<&str> = entry.split('/').collect();
    match parts[..] {
        [_] => None,
        [server, name] if !server.is_empty() && !name.is_empty() => None,
        [server, ""] if !server.is_empty() => {
            Some(("has no tool after the slash", format!("write \"{server}/*\"")))
        }
        ["", name] if !name.is_empty() => {
            Some(("has no server before the slash", format!("write \"{name}\"")))
        }
        [_, _] => Some(("names neither a server nor a tool", TOOLS_FIX.to_owned())),
        _ => Some(("has more than one slash", "write server/name".to_owned())),
    }
}
