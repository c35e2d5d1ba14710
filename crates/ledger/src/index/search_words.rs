//! Splits search queries and searched texts into the same words.
//!
//! Both databases get words that are already split, so that a search returns the same in both.

use std::collections::HashSet;

use serde_json::Value;

use crate::Record;

/// Maximum number of distinct words of one record, their length, and the bytes of text that are used.
const MAX_WORDS: usize = 1_000;
const MAX_WORD_CHARS: usize = 64;
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Maximum number of words of a search.
const MAX_SEARCH_TERMS: usize = 16;

/// A word to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchTerm {
    pub word: String,
    /// Whether it matches as a prefix.
    pub is_prefix: bool,
}

/// The words of a record, from its tool, its arguments and its error, each once, separated by spaces.
pub(super) fn words_of_record(record: &Record) -> String {
    let mut words = WordCollector::default();
    words.add_whole(word_of_tool(&record.tool));
    words.add_text(&record.tool);
    for json in [&record.arguments, &record.normalized].into_iter().flatten() {
        match serde_json::from_str::<Value>(json.get()) {
            Ok(value) => words.add_json(&value),
            Err(_) => words.add_text(json.get()),
        }
    }
    if let Some(error) = &record.error {
        words.add_text(&error.code);
        words.add_text(&error.message);
    }
    words.text
}

/// One word for a tool's whole name. With it a search for a rare tool and a frequent word reads few calls.
pub(super) fn word_of_tool(tool: &str) -> String {
    // FNV-1a: stable across versions and machines. A collision of two tools costs time and nothing else.
    let hash = tool.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("tool{hash:016x}")
}

/// Parses a search query into words that must all match. `*` at the end of a word matches a prefix.
pub(super) fn parse_query(text: &str) -> Vec<SearchTerm> {
    let mut found = Vec::new();
    for part in text.split_whitespace() {
        let before = found.len();
        split_words(part, |word| found.push(SearchTerm { word, is_prefix: false }));
        if let Some(last) = found[before..].last_mut() {
            last.is_prefix = part.ends_with('*');
        }
    }
    found.truncate(MAX_SEARCH_TERMS);
    found
}

#[derive(Default)]
struct WordCollector {
    seen: HashSet<String>,
    text: String,
    read: usize,
}

impl WordCollector {
    fn add_json(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Number(number) => self.add_text(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| self.add_json(item)),
            Value::Object(members) => members.iter().for_each(|(name, value)| {
                self.add_text(name);
                self.add_json(value);
            }),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        let left = MAX_TEXT_BYTES.saturating_sub(self.read);
        let text = &text[..text.floor_char_boundary(left)];
        self.read += text.len();
        split_words(text, |word| self.add_whole(word));
    }

    fn add_whole(&mut self, word: String) {
        if self.seen.len() >= MAX_WORDS || self.seen.contains(&word) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&word);
        self.seen.insert(word);
    }
}

/// Splits at everything but letters and digits. Long words are truncated.
fn split_words(text: &str, mut each: impl FnMut(String)) {
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        each(word.chars().take(MAX_WORD_CHARS).flat_map(char::to_lowercase).collect());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    fn record(tool: &str, arguments: &str) -> Record {
        let arguments = Some(RawValue::from_string(arguments.to_owned()).expect("JSON"));
        Record { tool: tool.to_owned(), arguments, ..Record::default() }
    }

    fn words(record: &Record) -> Vec<String> {
        words_of_record(record).split(' ').skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn names_paths_and_escapes_are_split_into_words() {
        let record = record("Read_File", r#"{"path":"/etc/Hosts.d\nstrasse","größe":12.5}"#);
        assert_eq!(
            words(&record),
            ["read", "file", "path", "etc", "hosts", "d", "strasse", "größe", "12", "5"]
        );
    }

    #[test]
    fn words_are_distinct_and_bounded() {
        assert_eq!(words(&record("a", r#"["b b","b"]"#)), ["a", "b"]);
        let many = (0..5_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(words_of_record(&record("a", &format!("{many:?}"))).split(' ').count(), MAX_WORDS);
    }

    #[test]
    fn star_matches_a_prefix() {
        let begins: Vec<(String, bool)> =
            parse_query("Read* hosts.txt* x").into_iter().map(|word| (word.word, word.is_prefix)).collect();
        let expected = [("read", true), ("hosts", false), ("txt", true), ("x", false)];
        assert_eq!(begins, expected.map(|(word, is_prefix)| (word.to_owned(), is_prefix)));
        assert!(parse_query(" \"' -- *").is_empty());
    }

    proptest! {
        #[test]
        fn every_word_of_a_record_is_searchable(text in "\\PC{0,60}") {
            let json = serde_json::to_string(&text).expect("a string is JSON");
            let kept: HashSet<String> = words(&record("t", &json)).into_iter().collect();
            for term in parse_query(&text) {
                prop_assert!(kept.contains(&term.word), "{:?} is not in {kept:?}", term.word);
            }
        }

        #[test]
        fn words_contain_no_query_syntax(text in "\\PC{0,60}") {
            for term in parse_query(&text) {
                let is_plain = |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric();
                prop_assert!(term.word.chars().all(is_plain));
            }
        }
    }
}
