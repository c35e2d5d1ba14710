//! V1: a value that differs from an allowed one only in case, separators or punctuation.
//!
//! # What it does
//! `"In Progress"` becomes `"in_progress"` if exactly one allowed value folds to the same form.
//! A number or boolean becomes the allowed string of the same text.
//!
//! # What it refuses
//! Other words, synonyms, misspellings, forms that two allowed values share (`c` and `c++`), and short
//! ones that differ in case (`1M` and `1m`). A confirmation is never completed: `"delete"` is not the
//! `"DELETE"` that a tool requires before it deletes. Nor is the only value that a destructive tool
//! allows, whatever the name of its parameter.

use toolwright_jsonrpc::raw::{self, Kind, Node, Str};
use toolwright_model::Code;

use super::{Attempt, Fit, Fitter, ValuePath, preview, problem};
use crate::costs;
use crate::names::{fold_value, is_unit, words};
use crate::schema::Goal;

/// Whether another case may be another value: `1M` is a month and `1m` a minute, `mW` is not `MW`.
fn case_matters(sent: &str, option: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|char| char.is_alphabetic()).collect::<String>();
    let (sent_letters, option_letters) = (letters(sent), letters(option));
    if sent_letters == option_letters {
        return false;
    }
    let has_upper = |text: &str| text.chars().any(char::is_uppercase);
    let has_lower = |text: &str| text.chars().any(char::is_lowercase);
    let is_clock = |text: &str| !text.is_empty() && text.chars().all(|char| "HhMmSsDdYy".contains(char));
    let is_short = option_letters.chars().count() <= 2;
    let is_mixed = has_upper(&option_letters) && has_lower(&option_letters);
    let unit = option.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_amount = unit.len() < option.len() && unit == option_letters;
    // Milli or mega, bit or byte.
    let lower = option_letters.to_lowercase();
    let is_unit_like = is_unit(&lower) && (lower.starts_with('m') || lower.ends_with('b'));
    option.starts_with('-')
        || is_short && (is_mixed || is_amount || is_unit_like && has_upper(&sent_letters))
        || option.contains(':') && is_clock(&option_letters)
}

/// Whether a parameter is a confirmation by the caller.
fn is_confirmation(path: &ValuePath<'_>) -> bool {
    const WORDS: &[&str] = &[
        "confirm",
        "confirmation",
        "confirmed",
        "acknowledge",
        "acknowledgement",
        "acknowledged",
        "agree",
        "agreed",
        "agreement",
        "approval",
        "approve",
        "approved",
        "ack",
        "certain",
        "challenge",
        "consent",
        "passphrase",
        "phrase",
        "safety",
        "sure",
        "understand",
        "understood",
        "verification",
        "verify",
    ];
    let ValuePath::Key(_, key) = path else { return false };
    words(key).iter().any(|word| WORDS.contains(&word.as_str()))
}

impl<'a> Fitter<'_, 'a> {
    pub(super) fn enum_form(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
    ) -> Option<Attempt<'a>> {
        let schema = self.validator.schema();
        // The only value that a destructive tool allows must be typed out.
        let is_phrase = self.context.is_destructive() && goal.option_count(schema) == 1;
        if !goal.has_options(schema) || is_phrase || is_confirmation(path) {
            return None;
        }
        let sent = match value.kind {
            Kind::String(text) => text.decode(),
            Kind::Number(text) => text.into(),
            Kind::Bool(boolean) => boolean.to_string().into(),
            _ => return None,
        };
        let is_text = matches!(value.kind, Kind::String(_));
        let lower = sent.trim().to_lowercase();
        let by_case =
            goal.texts(schema, |text| text.to_lowercase() == lower, |options| options.with_case(&lower));
        let folded = fold_value(&sent);
        let found = match by_case[..] {
            [found] => found,
            _ if !is_text || folded.is_empty() => return None,
            _ => {
                let alike = goal.texts(
                    schema,
                    |text| fold_value(text) == folded,
                    |options| options.with_fold(&folded),
                );
                match alike[..] {
                    [found] => found,
                    [] => return None,
                    _ => {
                        let message = format!(
                            "{} could stand for several of the allowed values; send one of them exactly",
                            preview(value)
                        );
                        return Some(Err(vec![problem(Code::AmbiguousReading, path, message)]));
                    }
                }
            }
        };
        if is_text && case_matters(sent.trim(), found) {
            return None;
        }
        let node = self.text_node(found);
        let code = if is_text { Code::EnumForm } else { Code::NumberToString };
        Some(Ok(Fit::edited(
            code,
            path,
            value,
            node,
            costs::VALUE_FORM,
            "the only allowed value of that form",
        )))
    }

    /// A string node with the given text.
    pub(crate) fn text_node(&self, text: &str) -> Node<'a> {
        let quoted: &'a str = self.arena.alloc_str(&raw::quote(text));
        Node::built(Kind::String(Str::from_escaped(&quoted[1..quoted.len() - 1])))
    }
}
