//! What a refused call and its correction teach: their differences, one by one.

use serde_json::{Map, Value};

use super::lesson::{Lesson, word};
use super::shape::Shape;

/// Words and constants longer than this are no forms of a choice.
const MAX_WORD_BYTES: usize = 64;
/// How deep payloads are compared.
const MAX_DEPTH: usize = 6;
/// What the redaction leaves of a secret begins so; what it was cannot be told.
const REDACTED: &str = "[redacted";

/// One lesson with what it was taken from.
#[derive(Clone, Debug)]
pub(super) struct Taught {
    pub lesson: Lesson,
    /// The right call with this one mistake put back.
    pub with_mistake: Value,
    /// What the observation is about: two of one conversation count as two when this differs.
    pub about: String,
    /// Whether no other required parameter was left for the value.
    pub is_sole: bool,
}

/// All that two calls teach.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    pub taught: Vec<Taught>,
    /// What they speak against.
    pub against: Vec<(Lesson, String)>,
    /// Whether the lessons explain every difference: nothing was added, left out or changed besides.
    pub is_clean: bool,
}

type Members = Map<String, Value>;

/// Compares a refused call with the one that came after it and was taken.
pub(super) fn compare(sent: &Members, right: &Members, shape: &Shape) -> Comparison {
    let mut found = Comparison::default();
    let mut explained = sent.clone();
    let gone: Vec<&String> =
        sent.keys().filter(|key| !right.contains_key(*key) && !shape.declares(key)).collect();
    let come: Vec<&String> =
        right.keys().filter(|key| !sent.contains_key(*key) && shape.declares(key)).collect();
    let missing = shape.required().filter(|name| !sent.contains_key(*name)).count();
    for from in &gone {
        let value = &sent[*from];
        let mut targets = come.iter().filter(|to| is_same(value, &right[**to]));
        if let (Some(to), None) = (targets.next(), targets.next())
            && gone.iter().filter(|other| is_same(&sent[**other], value)).count() == 1
            && !is_hidden(value)
        {
            let meant = &right[*to];
            found.taught.push(Taught {
                lesson: Lesson::ParamAlias { from: (*from).clone(), to: (*to).clone() },
                with_mistake: renamed(right, to, from),
                about: meant.to_string(),
                is_sole: missing == 1 && shape.required().any(|name| name == *to),
            });
            explained = as_members(renamed(&explained, from, to));
            explained.insert((*to).clone(), meant.clone());
        }
    }
    // Another value under the only new name: the old one did not mean the same.
    if let ([from], [to]) = (&gone[..], &come[..])
        && found.taught.is_empty()
    {
        let mut swapped = right.clone();
        swapped.insert((*to).clone(), sent[*from].clone());
        if shape.tool.accepts(&Value::Object(swapped).to_string()) {
            let lesson = Lesson::ParamAlias { from: (*from).clone(), to: (*to).clone() };
            found.against.push((lesson, sent[*from].to_string()));
        }
    }
    for (key, value) in sent {
        let Some(meant) = right.get(key).filter(|meant| *meant != value) else { continue };
        let mut with_mistake = right.clone();
        with_mistake.insert(key.clone(), value.clone());
        let with_mistake = Value::Object(with_mistake);
        if is_hidden(value) || is_hidden(meant) || shape.tool.accepts(&with_mistake.to_string()) {
            continue;
        }
        let lesson = typed(key, value, meant).or_else(|| mapped(key, value, meant, shape));
        if let Some(lesson) = lesson {
            let about = value.to_string();
            found.taught.push(Taught { lesson, with_mistake, about, is_sole: true });
            explained.insert(key.clone(), meant.clone());
            continue;
        }
        let mut nested = Vec::new();
        let (payload, place) = (shape.property(key), String::new());
        if payload.is_some_and(|schema| {
            inside(value, meant, schema, &place, &Inside { shape, payload: key }, &mut nested, MAX_DEPTH)
        }) {
            explained.insert(key.clone(), meant.clone());
        }
        nested.dedup_by(|one, two| one.0 == two.0);
        for (lesson, about) in nested {
            // One lesson alone is tried where it is the only mistake; with others the whole call is.
            found.taught.push(Taught { lesson, with_mistake: with_mistake.clone(), about, is_sole: true });
        }
    }
    if gone.is_empty()
        && let [only] = &come[..]
        && found.taught.is_empty()
        && word(&right[*only]).is_some_and(|word| word.len() <= MAX_WORD_BYTES)
        && !is_hidden(&right[*only])
    {
        let mut with_mistake = right.clone();
        with_mistake.remove(*only);
        let value = right[*only].to_string();
        let lesson = Lesson::ParamDefault { from: (*only).clone(), value };
        let about = Value::Object(sent.clone()).to_string();
        let with_mistake = Value::Object(with_mistake);
        found.taught.push(Taught { lesson, with_mistake, about, is_sole: false });
        explained.insert((*only).clone(), right[*only].clone());
    }
    found.is_clean = explained == *right;
    found
}

/// A value in another type: `"5"` for 5, `"true"` for true, 5 for `"5"`.
fn typed(key: &str, sent: &Value, meant: &Value) -> Option<Lesson> {
    let coerce_to =
        match (sent, meant) {
            (Value::String(text), Value::Bool(flag)) if text.eq_ignore_ascii_case(&flag.to_string()) => {
                "bool"
            }
            (Value::String(text), Value::Number(number)) if *text == number.to_string() => {
                if number.is_f64() { "float" } else { "int" }
            }
            (Value::Number(_) | Value::Bool(_), Value::String(_)) if is_same(sent, meant) => "string",
            _ => return None,
        };
    Some(Lesson::TypeCoerce { from: key.to_owned(), coerce_to: coerce_to.to_owned() })
}

/// Other words for a choice.
fn mapped(key: &str, sent: &Value, meant: &Value, shape: &Shape) -> Option<Lesson> {
    let is_choice = match meant {
        Value::String(text) => shape.choices(key).is_some_and(|choices| choices.contains(text)),
        Value::Bool(_) => shape.is_flag(key),
        _ => false,
    };
    let sent = word(sent).filter(|word| is_choice && !word.is_empty() && word.len() <= MAX_WORD_BYTES)?;
    Some(Lesson::ValueMap { from: key.to_owned(), sent, meant: meant.to_string() })
}

struct Inside<'s> {
    shape: &'s Shape,
    payload: &'s str,
}

/// Finds fields under other names in two values of one schema. Says whether that explains all differences.
fn inside(
    sent: &Value,
    right: &Value,
    schema: &Value,
    place: &str,
    within: &Inside<'_>,
    found: &mut Vec<(Lesson, String)>,
    depth: usize,
) -> bool {
    if sent == right {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match (sent, right) {
        (Value::Array(sent), Value::Array(right)) if sent.len() == right.len() => {
            let Some(schema) = within.shape.items(schema) else { return false };
            let place = format!("{place}[]");
            let mut is_explained = true;
            for (sent, right) in sent.iter().zip(right) {
                is_explained &= inside(sent, right, schema, &place, within, found, depth - 1);
            }
            is_explained
        }
        (Value::Object(sent), Value::Object(right)) => {
            let Some(fields) = within.shape.properties(schema) else { return false };
            let mut rest = sent.clone();
            let gone = sent.iter().filter(|(key, _)| !right.contains_key(*key) && !fields.contains_key(*key));
            for (from, value) in gone {
                let come =
                    right.iter().filter(|(key, _)| !sent.contains_key(*key) && fields.contains_key(*key));
                let mut targets = come.filter(|(_, meant)| is_same(value, meant));
                if let (Some((to, meant)), None) = (targets.next(), targets.next())
                    && sent.values().filter(|other| is_same(other, value)).count() == 1
                    && !is_hidden(value)
                {
                    let lesson = Lesson::NestedAlias {
                        in_payload: within.payload.to_owned(),
                        array_path: place.to_owned(),
                        from: from.clone(),
                        to: to.clone(),
                    };
                    found.push((lesson, value.to_string()));
                    rest.remove(from);
                    rest.insert(to.clone(), meant.clone());
                }
            }
            for (key, value) in sent {
                let (Some(meant), Some(schema)) = (right.get(key), fields.get(key)) else { continue };
                // A name with a dot or bracket cannot be written in a path.
                if key.contains(['.', '[', ']', '*']) {
                    continue;
                }
                let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                if inside(value, meant, schema, &place, within, found, depth - 1) {
                    rest.insert(key.clone(), meant.clone());
                }
            }
            rest == *right
        }
        _ => false,
    }
}

/// Whether two values are the same in any type: `5` and `"5"` are.
fn is_same(one: &Value, two: &Value) -> bool {
    one == two || word(one).is_some_and(|one| word(two).is_some_and(|two| one == two))
}

/// Whether a value is, or holds, what the redaction left of a secret.
fn is_hidden(value: &Value) -> bool {
    match value {
        // Equal marks stand for equal secrets, so a whole one can be compared but not judged.
        Value::String(text) => text.contains(REDACTED),
        Value::Array(items) => items.iter().any(is_hidden),
        Value::Object(members) => members.values().any(is_hidden),
        _ => false,
    }
}

fn renamed(members: &Members, from: &str, to: &str) -> Value {
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
