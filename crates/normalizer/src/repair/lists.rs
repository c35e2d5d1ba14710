//! T4: one item where a list is declared, and a list of one where its item is declared.
//!
//! # What it does
//! `"https://a.com"` becomes `["https://a.com"]`, and `["."]` becomes `"."`.
//!
//! # What it refuses
//! Splitting text at commas, taking the first of several, and wrapping text that looks like a list: one that
//! could not be parsed, or words separated by commas, bars or line ends. A list around a pair of `key` and
//! `value` is a map written as a list, not a map in a list. For a destructive or writing tool, a value that may
//! select everything (`"*"`, `"all"`, `""`) is neither put into a list nor taken out of one.

use toolwright_jsonrpc::raw::{Kind, Node};
use toolwright_model::Code;

use super::reach::may_select_all;
use super::{Attempt, Fit, Fitter, ParameterSlot, ValuePath, preview, problem};
use crate::costs;
use crate::names::fold;
use crate::schema::{Goal, Types};

impl<'a> Fitter<'_, 'a> {
    pub(super) fn one_item_and_list(
        &self,
        goal: &Goal,
        value: &Node<'a>,
        path: &ValuePath<'_>,
        slot: ParameterSlot<'_>,
    ) -> Option<Attempt<'a>> {
        if slot.is_root {
            return None;
        }
        let types = goal.types(self.validator.schema());
        match value.kind {
            Kind::Array([item]) if is_pair(item) && !goal.declares(self.validator.schema(), "value") => None,
            // `"*"` as one item may select every item, and `[""]` none.
            Kind::Array([item]) if may_select_all(item) && self.is_guarded(path) => None,
            Kind::Array([item]) if !types.overlaps(Types::ARRAY) && !matches!(item.kind, Kind::Null) => {
                let unwrapped =
                    Fit::edited(Code::ItemOrList, path, value, *item, costs::VALUE_LIST, "a list of one");
                let inner =
                    self.fit(goal.ids(), *item, path, ParameterSlot { in_list: true, ..slot }).ok()?;
                Some(Ok(unwrapped.then(inner)))
            }
            Kind::Array(_) | Kind::Null => None,
            _ if !types.overlaps(Types::ARRAY) || types.overlaps(Types::STRING) && is_text(value) => None,
            _ if is_text(value) && is_hollow_or_broken(value) => None,
            _ if self.is_guarded(path) && may_select_all(value) => {
                let message = format!("{} as one item may stand for everything; send a list", preview(value));
                Some(Err(vec![problem(Code::ValueMismatch, path, message)]))
            }
            _ if self.may_be_several(value) && !self.lists_its_items(goal, value) => {
                let message = format!("{} may be several items; send a list", preview(value));
                Some(Err(vec![problem(Code::ValueMismatch, path, message)]))
            }
            _ => {
                let list = Node::built(Kind::Array(self.arena.alloc_slice_copy(&[*value])));
                let wrapped =
                    Fit::edited(Code::ItemOrList, path, value, list, costs::VALUE_LIST, "one item of a list");
                let inner = self.fit(goal.ids(), list, path, slot);
                // A list of lists of one is one guess too many.
                let item = path.item(0).to_string();
                let is_wrapped_again = |fit: &Fit<'a>| {
                    fit.changes.iter().any(|change| change.code == Code::ItemOrList && change.path == item)
                };
                if inner.as_ref().is_ok_and(is_wrapped_again) {
                    return None;
                }
                Some(inner.map(|fit| wrapped.then(fit)))
            }
        }
    }

    /// A destructive tool does not accept a sentence as an item either: `a.txt, my file.txt`.
    fn may_be_several(&self, value: &Node<'a>) -> bool {
        let has_mark = || value.as_text().is_some_and(|text| text.contains([',', ';', '|', '\n']));
        looks_like_several(value) || self.context.is_destructive() && has_mark()
    }

    /// Whether the schema lists the allowed items: then that list decides what one item is.
    fn lists_its_items(&self, goal: &Goal, value: &Node<'a>) -> bool {
        let schema = self.validator.schema();
        let items = Goal::alternatives(self.validator, &goal.item(schema, 0), value);
        items.iter().any(|item| item.has_options(schema))
    }
}

/// `{"key": "a", "value": "1"}`: an entry of a map.
fn is_pair(value: &Node<'_>) -> bool {
    const KEYS: &[&str] = &["key", "name", "k", "field", "header", "property", "attribute", "variable"];
    let Some([a, b]) = value.as_object() else { return false };
    let is_key = |key: &str| KEYS.contains(&fold(key).as_str());
    let is_value = |key: &str| ["value", "val", "v"].contains(&fold(key).as_str());
    is_key(a.key) && is_value(b.key) || is_key(b.key) && is_value(a.key)
}

/// `bug,urgent`, `a@x.org, b@y.org`, `a|b`, `- a⏎- b`: separated words. A sentence, an address or a path
/// with a comma in it is one item.
fn looks_like_several(value: &Node<'_>) -> bool {
    let Some(text) = value.as_text() else { return false };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_sentence = |part: &&str| part.contains(char::is_whitespace);
    if lines.len() > 1 {
        return lines.iter().all(|line| is_bullet(line)) || !lines.iter().any(is_sentence);
    }
    let is_one_address = text.matches("://").count() == 1 && !text.contains(char::is_whitespace);
    let parts = parts(&text);
    parts.len() > 1 && !is_one_address && !parts.iter().any(is_sentence) || are_words_between_bars(&text)
}

/// `a|b|c`, but not a pattern such as `^a|b$`.
fn are_words_between_bars(text: &str) -> bool {
    let is_word = |part: &str| {
        !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() || "_-.".contains(char))
    };
    text.contains('|') && text.split('|').map(str::trim).all(is_word)
}

/// `- a`, `* a`, `1. a`
fn is_bullet(line: &str) -> bool {
    let mark = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = if mark.len() < line.len() {
        mark.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•'])
    };
    rest.is_some_and(|rest| rest.starts_with(' '))
}

/// The parts between commas and semicolons outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let is_mark = |char: char| {
        match char {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(char, ',' | ';')
    };
    text.split(is_mark).map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn is_text(value: &Node<'_>) -> bool {
    matches!(value.kind, Kind::String(_))
}

/// Whether the text is empty, a word for nothing, or looks like a list or object.
fn is_hollow_or_broken(value: &Node<'_>) -> bool {
    let Some(text) = value.as_text() else { return false };
    let text = text.trim();
    if super::empty::is_word_for_nothing(text) {
        return true;
    }
    if is_row_of_strings(text) || is_row_in_parentheses(text) {
        return true;
    }
    let Some(rest) = text.strip_prefix(['[', '{']) else { return false };
    let first = rest.trim_start().chars().next();
    text.ends_with([']', '}'])
        || !text.contains([']', '}'])
        || first.is_none_or(|char| char.is_ascii_digit() || "\"'[{-".contains(char))
}

/// `"a" "b"`: several strings with nothing but white space and commas between them.
fn is_row_of_strings(text: &str) -> bool {
    let mut rest = text;
    let mut count = 0;
    while let Some(quote) = rest.chars().next().filter(|char| matches!(char, '"' | '\'' | '`')) {
        let Some(end) = rest[1..].find(quote) else { return false };
        count += 1;
        rest = rest[end + 2..].trim_start_matches(|char: char| char.is_whitespace() || ",;".contains(char));
    }
    count > 1 && rest.is_empty()
}

/// `('a')`, `('a', 'b`, `(a, b)`: parentheses before a string, or around words separated by commas.
fn is_row_in_parentheses(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('(') else { return false };
    let first = rest.trim_start();
    if first.starts_with(['"', '\'']) && (rest.ends_with(')') || !rest.contains(')')) {
        return true;
    }
    let inner = rest.strip_suffix(')').filter(|inner| !inner.contains(['(', ')']));
    inner.is_some_and(|inner| inner.contains(','))
}
