//! Parameters of a failed call, and the one that its error is about.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::{Failure, Record};

/// Longer arguments are not searched for keys.
const MAX_ARGUMENT_BYTES: usize = 64 << 10;
/// Maximum number of names of a call.
const MAX_NAMES: usize = 100;

/// The names that stay in a message of this call: its parameters and the tool.
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

/// The parameter that an error is about: the one that the error reports, else the first of the call's own that the
/// message quotes, else the first one that the message contains as a word.
pub(super) fn affected(record: &Record, error: &Failure, message: &str) -> Option<String> {
    if let Some(name) = error.parameters.iter().find_map(|pointer| of_pointer(pointer)) {
        return Some(name);
    }
    let mut known: Vec<String> = Vec::new();
    for arguments in [&record.arguments, &record.normalized].into_iter().flatten() {
        known.extend(keys(arguments).into_iter().take(MAX_NAMES));
    }
    // Of two at one position, such as `file` and `file_path`, the longer one wins.
    let found = known.into_iter().filter_map(|name| {
        let (at, is_quoted) = place(message, &name)?;
        Some((!is_quoted, at, usize::MAX - name.len(), name))
    });
    found.min().map(|(.., name)| name)
}

/// Position of a name as a whole word, and whether it is quoted. A quoted one wins over an earlier unquoted one.
fn place(message: &str, name: &str) -> Option<(usize, bool)> {
    if name.is_empty() {
        return None;
    }
    let mut as_word = None;
    for (at, _) in message.match_indices(name) {
        let before = message[..at].chars().next_back();
        let after = message[at + name.len()..].chars().next();
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if is_part(before) || is_part(after) {
            continue;
        }
        let is_quote = |c: Option<char>| c.is_some_and(|c| "\"'`“”‘’«»".contains(c));
        if is_quote(before) && is_quote(after) {
            return Some((at, true));
        }
        as_word = as_word.or(Some((at, false)));
    }
    as_word
}

/// The last name of a JSON Pointer that is not an array index.
fn of_pointer(pointer: &str) -> Option<String> {
    let name = pointer.rsplit('/').find(|part| !part.is_empty() && part.parse::<usize>().is_err())?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn keys(arguments: &RawValue) -> Vec<String> {
    if arguments.get().len() > MAX_ARGUMENT_BYTES {
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
        affected(&record, &error, message)
    }

    #[test]
    fn affected_parameter_of_an_error() {
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
