//! T3: a list or object where a string of JSON is declared.
//!
//! # What it does
//! `edits_json: [{…}]` becomes `edits_json: "[{…}]"` if the parameter's name, description or media type says
//! that it contains JSON, or that it contains text that is usually an object, such as the `body` of a
//! request.
//!
//! # What it refuses
//! An object for a path, a name or any other plain string, items of a list of strings, and a list
//! of words for a shell command: joining or selecting would be a guess.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::Code;

use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath};
use crate::costs;
use crate::names::words;
use crate::schema::{Goal, Types};

/// Words that state that a string contains JSON.
const JSON_WORDS: &[&str] = &["json", "serialized", "stringified", "jsonl"];
/// Names of strings that usually contain a JSON object.
const HOLDERS: &[&str] = &[
    "payload",
    "data",
    "config",
    "configuration",
    "settings",
    "metadata",
    "arguments",
    "args",
    "params",
    "parameters",
    "variables",
    "headers",
    "attributes",
    "properties",
    "spec",
    "definition",
    "schema",
    "manifest",
    "edits",
    "pipeline",
];

/// Words of tools and parameters that refer to HTTP requests.
const REQUEST_WORDS: &[&str] = &["http", "https", "rest", "webhook", "curl", "headers", "method"];

impl<'a> Fitter<'_, 'a> {
    /// Whether the tool sends requests: their `body` is data, that of a mail or an issue is text.
    fn sends_requests(&self) -> bool {
        let speaks = |word: &str| REQUEST_WORDS.contains(&word);
        self.context.tool_words.iter().any(|word| speaks(word))
            || self.context.parameters.iter().any(|name| speaks(&name.to_ascii_lowercase()))
    }

    pub(super) fn container_to_text(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        let schema = self.validator.schema();
        let types = goal.types(schema);
        if slot.in_list || slot.is_root || !types.overlaps(Types::STRING) || goal.has_options(schema) {
            return None;
        }
        let holds_objects = match value.kind {
            Kind::Object(members) => !members.is_empty(),
            Kind::Array(items) => items.iter().any(|item| item.as_object().is_some()),
            _ => return None,
        };
        // A list around one text of JSON is one list too many.
        if let Kind::Array([item]) = value.kind
            && item.as_text().is_some_and(|text| text.trim_start().starts_with(['{', '[']))
        {
            return None;
        }
        let name_words = words(slot.name);
        let description = goal.description(schema);
        let says_json = goal.holds_json(schema)
            || name_words.iter().any(|word| JSON_WORDS.contains(&word.as_str()))
            || words(&description).iter().any(|word| JSON_WORDS.contains(&word.as_str()));
        let holder = name_words
            .last()
            .is_some_and(|word| HOLDERS.contains(&word.as_str()) || word == "body" && self.sends_requests());
        if !(says_json || holder && holds_objects) {
            return None;
        }
        let node = self.text_node(&value.to_json());
        let fit = Fit::edited(
            Code::ContainerToString,
            path,
            value,
            node,
            costs::VALUE_JSON_TEXT,
            "a string of JSON is declared",
        );
        Some(Ok(if says_json { fit } else { fit.risky(costs::RISK_STRUCTURE) }))
    }
}
