//! Compares a refused call with its correction: each difference is a rule candidate.

use serde_json::{Map, Value};

use super::rule_candidate::{Lesson, word};
use super::tool_schema::ToolSchema;

/// Longer words and constants are not values of an enum.
const MAX_WORD_BYTES: usize = 64;
/// Maximum depth of the comparison of payloads.
const MAX_DEPTH: usize = 6;
/// Prefix of a redaction mark; the original value is unknown.
const REDACTED: &str = "[redacted";

/// One candidate with the correction that shows it.
#[derive(Clone, Debug)]
pub(super) struct Correction {
    pub candidate: Lesson,
    /// The corrected call with this one mistake put back.
    pub with_mistake: Value,
    /// Subject of the observation: two in one conversation count as two when this differs.
    pub about: String,
    /// Whether no other required parameter was missing for the value.
    pub is_sole: bool,
}

/// Result of comparing two calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub corrections: Vec<Correction>,
    /// Candidates that the calls contradict.
    pub against: Vec<(Lesson, String)>,
    /// Whether the candidates explain every difference: nothing else was added, removed or changed.
    pub is_clean: bool,
}

type Members = Map<String, Value>;

/// Compares a refused call with the later one that was accepted.
pub(super) fn compare(sent: &Members, corrected: &Members, schema: &ToolSchema) -> Comparison {
    let mut result = Comparison::default();
    let mut explained = sent.clone();
    let removed: Vec<&String> =
        sent.keys().filter(|key| !corrected.contains_key(*key) && !schema.declares(key)).collect();
    let added: Vec<&String> =
        corrected.keys().filter(|key| !sent.contains_key(*key) && schema.declares(key)).collect();
    let missing = schema.required().filter(|name| !sent.contains_key(*name)).count();
    for from in &removed {
        let value = &sent[*from];
        let mut targets = added.iter().filter(|to| is_same(value, &corrected[**to]));
        if let (Some(to), None) = (targets.next(), targets.next())
            && removed.iter().filter(|other| is_same(&sent[**other], value)).count() == 1
            && !is_redacted(value)
        {
            let expected = &corrected[*to];
            result.corrections.push(Correction {
                candidate: Lesson::ParamAlias { from: (*from).clone(), to: (*to).clone() },
                with_mistake: with_renamed(corrected, to, from),
                about: expected.to_string(),
                is_sole: missing == 1 && schema.required().any(|name| name == *to),
            });
            explained = as_members(with_renamed(&explained, from, to));
            explained.insert((*to).clone(), expected.clone());
        }
    }
    // Another value under the only new name: the old name had another meaning.
    if let ([from], [to]) = (&removed[..], &added[..])
        && result.corrections.is_empty()
    {
        let mut swapped = corrected.clone();
        swapped.insert((*to).clone(), sent[*from].clone());
        if schema.tool.accepts(&Value::Object(swapped).to_string()) {
            let candidate = Lesson::ParamAlias { from: (*from).clone(), to: (*to).clone() };
            result.against.push((candidate, sent[*from].to_string()));
        }
    }
    for (key, value) in sent {
        let Some(expected) = corrected.get(key).filter(|expected| *expected != value) else { continue };
        let mut with_mistake = corrected.clone();
        with_mistake.insert(key.clone(), value.clone());
        let with_mistake = Value::Object(with_mistake);
        if is_redacted(value) || is_redacted(expected) || schema.tool.accepts(&with_mistake.to_string()) {
            continue;
        }
        let candidate =
            type_candidate(key, value, expected).or_else(|| value_candidate(key, value, expected, schema));
        if let Some(candidate) = candidate {
            let about = value.to_string();
            result.corrections.push(Correction { candidate, with_mistake, about, is_sole: true });
            explained.insert(key.clone(), expected.clone());
            continue;
        }
        let mut nested = Vec::new();
        let (payload, place) = (schema.property(key), String::new());
        if payload.is_some_and(|property| {
            find_renamed_fields(
                value,
                expected,
                property,
                &place,
                &PayloadContext { schema, payload: key },
                &mut nested,
                MAX_DEPTH,
            )
        }) {
            explained.insert(key.clone(), expected.clone());
        }
        nested.dedup_by(|one, two| one.0 == two.0);
        for (candidate, about) in nested {
            // A candidate is tried alone when it is the only mistake; otherwise the whole call is tried.
            result.corrections.push(Correction {
                candidate,
                with_mistake: with_mistake.clone(),
                about,
                is_sole: true,
            });
        }
    }
    if removed.is_empty()
        && let [only] = &added[..]
        && result.corrections.is_empty()
        && word(&corrected[*only]).is_some_and(|word| word.len() <= MAX_WORD_BYTES)
        && !is_redacted(&corrected[*only])
    {
        let mut with_mistake = corrected.clone();
        with_mistake.remove(*only);
        let value = corrected[*only].to_string();
        let candidate = Lesson::ParamDefault { from: (*only).clone(), value };
        let about = Value::Object(sent.clone()).to_string();
        let with_mistake = Value::Object(with_mistake);
        result.corrections.push(Correction { candidate, with_mistake, about, is_sole: false });
        explained.insert((*only).clone(), corrected[*only].clone());
    }
    result.is_clean = explained == *corrected;
    result
}

/// Candidate for a value in another type: `"5"` for 5, `"true"` for true, 5 for `"5"`.
fn type_candidate(key: &str, sent: &Value, expected: &Value) -> Option<Lesson> {
    let coerce_to =
        match (sent, expected) {
            (Value::String(text), Value::Bool(flag)) if text.eq_ignore_ascii_case(&flag.to_string()) => {
                "bool"
            }
            (Value::String(text), Value::Number(number)) if *text == number.to_string() => {
                if number.is_f64() { "float" } else { "int" }
            }
            (Value::Number(_) | Value::Bool(_), Value::String(_)) if is_same(sent, expected) => "string",
            _ => return None,
        };
    Some(Lesson::TypeCoerce { from: key.to_owned(), coerce_to: coerce_to.to_owned() })
}

/// Candidate for another word for an enum value.
fn value_candidate(key: &str, sent: &Value, expected: &Value, schema: &ToolSchema) -> Option<Lesson> {
    let is_choice = match expected {
        Value::String(text) => schema.choices(key).is_some_and(|choices| choices.contains(text)),
        Value::Bool(_) => schema.is_flag(key),
        _ => false,
    };
    let sent = word(sent).filter(|word| is_choice && !word.is_empty() && word.len() <= MAX_WORD_BYTES)?;
    Some(Lesson::ValueMap { from: key.to_owned(), sent, meant: expected.to_string() })
}

struct PayloadContext<'s> {
    schema: &'s ToolSchema,
    payload: &'s str,
}

/// Finds renamed fields in two values of one schema. Returns whether they explain all differences.
fn find_renamed_fields(
    sent: &Value,
    corrected: &Value,
    schema: &Value,
    place: &str,
    within: &PayloadContext<'_>,
    result: &mut Vec<(Lesson, String)>,
    depth: usize,
) -> bool {
    if sent == corrected {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match (sent, corrected) {
        (Value::Array(sent), Value::Array(corrected)) if sent.len() == corrected.len() => {
            let Some(schema) = within.schema.items(schema) else { return false };
            let place = format!("{place}[]");
            let mut is_explained = true;
            for (sent, corrected) in sent.iter().zip(corrected) {
                is_explained &=
                    find_renamed_fields(sent, corrected, schema, &place, within, result, depth - 1);
            }
            is_explained
        }
        (Value::Object(sent), Value::Object(corrected)) => {
            let Some(fields) = within.schema.properties(schema) else { return false };
            let mut rest = sent.clone();
            let removed =
                sent.iter().filter(|(key, _)| !corrected.contains_key(*key) && !fields.contains_key(*key));
            for (from, value) in removed {
                let added =
                    corrected.iter().filter(|(key, _)| !sent.contains_key(*key) && fields.contains_key(*key));
                let mut targets = added.filter(|(_, expected)| is_same(value, expected));
                if let (Some((to, expected)), None) = (targets.next(), targets.next())
                    && sent.values().filter(|other| is_same(other, value)).count() == 1
                    && !is_redacted(value)
                {
                    let candidate = Lesson::NestedAlias {
                        in_payload: within.payload.to_owned(),
                        array_path: place.to_owned(),
                        from: from.clone(),
                        to: to.clone(),
                    };
                    result.push((candidate, value.to_string()));
                    rest.remove(from);
                    rest.insert(to.clone(), expected.clone());
                }
            }
            for (key, value) in sent {
                let (Some(expected), Some(schema)) = (corrected.get(key), fields.get(key)) else { continue };
                // A path cannot contain a name with a dot or bracket.
                if key.contains(['.', '[', ']', '*']) {
                    continue;
                }
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                if find_renamed_fields(value, expected, schema, &place, within, result, depth - 1) {
                    rest.insert(key.clone(), expected.clone());
                }
            }
            rest == *corrected
        }
        _ => false,
    }
}

/// Whether two values are equal regardless of type: `5` and `"5"` are.
fn is_same(one: &Value, two: &Value) -> bool {
    one == two || word(one).is_some_and(|one| word(two).is_some_and(|two| one == two))
}

/// Whether a value is, or contains, a redaction mark.
fn is_redacted(value: &Value) -> bool {
    match value {
        // Equal marks stand for equal secrets: they can be compared, but not validated.
        Value::String(text) => text.contains(REDACTED),
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(members) => members.values().any(is_redacted),
        _ => false,
    }
}

fn with_renamed(members: &Members, from: &str, to: &str) -> Value {
    let rename = |(key, value): (&String, &Value)| {
        (if key == from { to.to_owned() } else { key.clone() }, value.clone())
    };
    Value::Object(members.iter().map(rename).collect())
}

fn as_members(value: Value) -> Members {
    match value {
        Value::Object(members) => members,
        _ => Members::new(),
    }
}
