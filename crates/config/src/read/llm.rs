//! The section `llm`: upstreams and model routes.
//!
//! An error leaves out one upstream or one destination; servers and other upstreams are not affected.

mod upstream;

use std::collections::HashSet;

use toolwright_base::closest_name;
use toolwright_jsonrpc::raw::{Member, Node, quote};
use toolwright_model::Dialect;

use super::duplicates::DuplicateScope;
use super::keys::ObjectKind;
use super::{ConfigReader, non_null_value};
use crate::llm::{Destination, LlmSettings, ModelRoute, UpstreamSettings};
use crate::problem::LlmPart;

const LLM_KEYS: &[&str] = &["upstreams", "models", "reask", "keepBodies"];
const LLM_WORDS: &[(&str, &str)] = &[
    ("providers", "upstreams"),
    ("backends", "upstreams"),
    ("servers", "upstreams"),
    ("routes", "models"),
    ("routing", "models"),
    ("retries", "reask"),
    ("logbodies", "keepBodies"),
];

/// The most repeated requests to an upstream.
const MAX_REASK: u64 = 3;

/// The most upstream names that are compared with an unknown one, and the most that a message lists.
const COMPARED_NAMES: usize = 200;
const NAMED: usize = 8;

/// The names of all upstreams, including invalid ones.
struct UpstreamNames<'n> {
    /// In the order of the file.
    all: &'n [String],
    known: HashSet<&'n str>,
}

impl<'t> ConfigReader<'t, '_> {
    /// Reads the section; `None` if it is absent.
    pub(super) fn llm(&mut self, members: &[Member<'t>]) -> Option<LlmSettings> {
        let node = non_null_value(members, "llm")?;
        self.collector.llm = Some(LlmPart::Section);
        let settings = self.llm_section(&node);
        self.collector.llm = None;
        settings
    }

    fn llm_section(&mut self, node: &Node<'t>) -> Option<LlmSettings> {
        let Some(members) = node.as_object() else {
            let message = format!("\"llm\" is an object, not {}", node.a_type_name());
            self.collector.error(
                node,
                message,
                "write {\"upstreams\": {…}, \"models\": {…}}, or leave it out",
            );
            return None;
        };
        let errors = self.collector.errors();
        self.check_duplicates(members, DuplicateScope::Server);
        self.check_keys(members, ObjectKind::Section { known: LLM_KEYS, foreign: &[], words: LLM_WORDS });
        let (names, upstreams) = match non_null_value(members, "upstreams") {
            Some(node) => self.upstreams(&node),
            None => {
                // A misspelled key is already reported.
                if self.collector.errors() == errors {
                    let message = "\"llm\" names no upstreams, and serves no model";
                    self.collector.warning(node, message, format!("add \"upstreams\": {}", example()));
                }
                Default::default()
            }
        };
        let models = match non_null_value(members, "models") {
            Some(node) => self.routes(&node, &names),
            // All models go to the first upstream.
            None => names.first().map(|name| everything_to(name)).into_iter().collect(),
        };
        let reask = non_null_value(members, "reask")
            .and_then(|node| self.whole(&node, "reask", "times", 0..=MAX_REASK, 1));
        let keeps_bodies =
            non_null_value(members, "keepBodies").and_then(|node| self.flag(&node, "keepBodies"));
        Some(LlmSettings {
            upstreams,
            models,
            reask: reask.map_or(0, |times| times as u32),
            keeps_bodies: keeps_bodies.unwrap_or(false),
        })
    }

    /// The names of all upstreams, and the valid upstreams.
    fn upstreams(&mut self, node: &Node<'t>) -> (Vec<String>, Vec<UpstreamSettings>) {
        let Some(members) = node.as_object() else {
            let message =
                format!("\"upstreams\" is an object of upstreams by name, not {}", node.a_type_name());
            self.collector.error(node, message, format!("write {}", example()));
            return Default::default();
        };
        if members.is_empty() {
            let message = "\"upstreams\" is empty: no model is served";
            self.collector.warning(node, message, format!("write {}", example()));
        }
        let mut names: Vec<String> = Vec::with_capacity(members.len());
        let (mut seen, mut twice) = (HashSet::new(), HashSet::new());
        let mut found: Vec<UpstreamSettings> = Vec::new();
        for member in members {
            self.collector.llm = Some(LlmPart::Upstream(member.key.to_owned()));
            let Some(name) = self.upstream_name(member) else { continue };
            self.collector.llm = Some(LlmPart::Upstream(name.clone()));
            if !seen.insert(name.clone()) {
                let message = "two upstreams have this name, and neither is used";
                self.collector.error_at_key(member.raw_key(), message, "give one of them another name");
                twice.insert(name);
                continue;
            }
            names.push(name.clone());
            found.extend(self.upstream(name, member));
        }
        self.collector.llm = Some(LlmPart::Section);
        found.retain(|upstream| !twice.contains(&upstream.name));
        (names, found)
    }

    fn upstream_name(&mut self, member: &Member<'t>) -> Option<String> {
        let name = self.expand_key(member)?;
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(is_plain) {
            let message = "the name of an upstream is written in letters, digits, -, _ and .";
            let plain: String = name.chars().map(|char| if is_plain(char) { char } else { '-' }).collect();
            let plain = plain.trim_matches('-');
            let fix = match plain.is_empty() || member.key.contains('$') {
                true => "write for example \"local\"".to_owned(),
                false => format!("write {}", quote(plain)),
            };
            self.collector.error_at_key(member.raw_key(), message, fix);
            return None;
        }
        Some(name)
    }

    fn routes(&mut self, node: &Node<'t>, names: &[String]) -> Vec<ModelRoute> {
        let example = names.first().map_or("local", String::as_str);
        let Some(members) = node.as_object() else {
            let message = format!("\"models\" is an object of patterns, not {}", node.a_type_name());
            self.collector.error(node, message, format!("write {{\"*\": \"{example}/*\"}}"));
            return Vec::new();
        };
        if members.is_empty() {
            let message = "\"models\" is empty: no model is served";
            self.collector.warning(
                node,
                message,
                format!("write {{\"*\": \"{example}/*\"}}, or leave it out"),
            );
        }
        self.check_duplicates(members, DuplicateScope::Server);
        let mut routes: Vec<ModelRoute> = Vec::with_capacity(members.len());
        let mut seen: HashSet<String> = HashSet::with_capacity(members.len());
        let known: HashSet<&str> = names.iter().map(String::as_str).collect();
        let names = UpstreamNames { all: names, known };
        let mut takes_all = false;
        for member in members {
            let Some(pattern) = self.expand_key(member) else { continue };
            if pattern.trim().is_empty() {
                let fix = "write a model, or a pattern such as \"*\"";
                self.collector.error_at_key(member.raw_key(), "a pattern of models cannot be empty", fix);
                continue;
            }
            if takes_all {
                let message = "this route is never used: the \"*\" before it matches every model";
                self.collector.warning_at_key(member.raw_key(), message, "move it before the \"*\"");
            }
            takes_all |= pattern.chars().all(|char| char == '*');
            // The first of two equal patterns is used; the duplicate is already reported.
            let destinations = self.destinations(&member.value, &names);
            if seen.insert(pattern.clone()) {
                routes.push(ModelRoute { pattern, destinations });
            }
        }
        routes
    }

    /// One destination, or a list of them.
    fn destinations(&mut self, node: &Node<'t>, names: &UpstreamNames<'_>) -> Vec<Destination> {
        let Some(items) = node.as_array() else {
            return self.destination(node, names).into_iter().collect();
        };
        if items.is_empty() {
            let example = names.example();
            let message = "a list of destinations cannot be empty";
            self.collector.error(node, message, format!("write \"{example}/*\", or remove the pattern"));
        }
        items.iter().filter_map(|item| self.destination(item, names)).collect()
    }

    /// `upstream/model`, or `upstream/*` for the requested model.
    fn destination(&mut self, node: &Node<'t>, names: &UpstreamNames<'_>) -> Option<Destination> {
        let example = names.example();
        let Some(written) = node.as_text() else {
            let message = format!("a destination is a string, not {}", node.a_type_name());
            self.collector.error(node, message, format!("write \"{example}/MODEL\" or \"{example}/*\""));
            return None;
        };
        let text = self.text(node, "a destination")?;
        let text = text.trim();
        // The message must not quote a value from a variable.
        let is_own = !written.contains('$');
        let (upstream, model) = text.split_once('/').unwrap_or((text, ""));
        if !names.known.contains(upstream) {
            let message = match is_own && !upstream.is_empty() {
                true => format!("no upstream is named {}", quote(upstream)),
                false => "no upstream has this name".to_owned(),
            };
            let some = &names.all[..names.all.len().min(COMPARED_NAMES)];
            let near = closest_name(upstream, some.iter().map(String::as_str)).filter(|_| is_own);
            let model = if model.is_empty() { "*" } else { model };
            let fix = match near {
                Some(near) => format!("did you mean {}?", quote(&format!("{near}/{model}"))),
                None if some.is_empty() => "describe it in \"upstreams\"".to_owned(),
                None => format!(
                    "write one of {} before the slash, or describe it in \"upstreams\"",
                    some[..some.len().min(NAMED)].join(", ")
                ),
            };
            self.collector.error(node, message, fix);
            return None;
        }
        if model.is_empty() {
            let fix = format!("write \"{upstream}/*\" for the requested model, or \"{upstream}/MODEL\"");
            self.collector.error(node, "the destination names an upstream and no model", fix);
            return None;
        }
        if model != "*"
            && model.contains(|char: char| char == '*' || char.is_control() || char.is_whitespace())
        {
            let message = "the model of a destination is one name, or * for the requested model";
            self.collector.error(node, message, format!("write \"{upstream}/*\", or the whole name"));
            return None;
        }
        let model = (model != "*").then(|| model.to_owned());
        Some(Destination { upstream: upstream.to_owned(), model })
    }
}

impl UpstreamNames<'_> {
    /// The first name, for messages.
    fn example(&self) -> &str {
        self.all.first().map_or("local", String::as_str)
    }
}

/// An example of the section `upstreams`.
fn example() -> String {
    let example = Dialect::OllamaChat;
    format!("{{\"local\": {{\"kind\": \"{}\", \"url\": \"{}\"}}}}", example.kind(), example.default_url())
}

/// A route of all models, under their own names.
fn everything_to(upstream: &str) -> ModelRoute {
    let destination = Destination { upstream: upstream.to_owned(), model: None };
    ModelRoute { pattern: "*".to_owned(), destinations: vec![destination] }
}
