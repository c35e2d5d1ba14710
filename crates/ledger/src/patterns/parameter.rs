//! Which parameters a failed call has, and which one its error is about.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::{Failure, Record};

/// Arguments that are longer are not searched for their keys.
const MAX_ARGUMENTS: usize = 64 << 10;
/// So many names of a call are known.
const MAX_NAMES: usize = 100;

/// The names that stand for themselves in a message of this call: its parameters and the tool.
pub(super) fn names(record: &Record, error: &Failure) -> Vec<String> {
    let mut names: Vec<String> = error.parameters.iter().filter_map(|pointer| of_pointer(pointer)).collect();
    for arguments in [&record.arguments, &record.normalized].into_iter().flatten() {
        names.extend(keys(arguments));
    }
    names.push(record.tool.clone());
    names.retain(|name| !name.is_empty());
    names.truncate(MAX_NAMES);
    names
}

/// The parameter that an error is about: the one it names itself, else the first of the call's own that stands in
/// the message in quotes, else the first one that stands there as a word.
pub(super) fn concerned(record: &Record, error: &Failure, message: &str) -> Option<String> {
    if let Some(name) = error.parameters.iter().find_map(|pointer| of_pointer(pointer)) {
        return Some(name);
    }
    let mut known: Vec<String> = Vec::new();
    for arguments in [&record.arguments, &record.normalized].into_iter().flatten() {
        known.extend(keys(arguments).into_iter().take(MAX_NAMES));
    }
    // Of two at one place, such as `file` and `file_path`, the longer one is meant.
    let found = known.into_iter().filter_map(|name| {
        let (at, is_quoted) = place(message, &name)?;
        Some((!is_quoted, at, usize::MAX - name.len(), name))
    });
    found.min().map(|(.., name)| name)
}

/// Where a name stands as a whole word, and whether in quotes. A place in quotes is better than one before it.
fn place(message: &str, name: &str) -> Option<(usize, bool)> {
    if name.is_empty() {
        return None;
    }
    let mut as_word = None;
    for (at, _) in message.match_indices(name) {
        let before = message[..at].chars().next_back();
        let after = message[at + name.len()..].chars().next();
        let is_part = |sign: Option<char>| sign.is_some_and(|sign| sign.is_alphanumeric() || sign == '_');
        if is_part(before) || is_part(after) {
            continue;
        }
        let is_quote = |sign: Option<char>| sign.is_some_and(|sign| "\"'`“”‘’«»".contains(sign));
        if is_quote(before) && is_quote(after) {
            return Some((at, true));
        }
        as_word = as_word.or(Some((at, false)));
    }
    as_word
}

/// The last name of a JSON Pointer that is no place in a list.
fn of_pointer(pointer: &str) -> Option<String> {
    let name = pointer.rsplit('/').find(|part| !part.is_empty() && part.parse::<usize>().is_err())?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn keys(arguments: &RawValue) -> Vec<String> {
    if arguments.get().len() > MAX_ARGUMENTS {
        return Vec::new();
    }
    serde_json::from_str::<BTreeMap<String, IgnoredAny>>(arguments.get())
        .map(|map| map.into_keys().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &str, message: &str, parameters: &[&str]) -> Option<String> {
        let record = Record {
            arguments: Some(RawValue::from_string(arguments.to_owned()).expect("valid JSON")),
            tool: "read".into(),
            ..Record::default()
        };
        let parameters = parameters.iter().map(|&it| it.to_owned()).collect();
        let error = Failure { message: message.to_owned(), parameters, ..Failure::default() };
        concerned(&record, &error, message)
    }

    #[test]
    fn the_parameter_that_an_error_is_about() {
        assert_eq!(of("{}", "no", &["/items/0/name"]).as_deref(), Some("name"));
        assert_eq!(of("{}", "no", &["/a~1b"]).as_deref(), Some("a/b"));
        assert_eq!(
            of(r#"{"file":1,"file_path":2}"#, "file_path is wrong", &[]).as_deref(),
            Some("file_path")
        );
        assert_eq!(of(r#"{"is":1,"path":2}"#, "what is 'path'?", &[]).as_deref(), Some("path"));
        assert_eq!(of(r#"{"pat":1}"#, "what is path?", &[]), None);
        assert_eq!(of("[1]", "x", &[]), None);
    }
}
