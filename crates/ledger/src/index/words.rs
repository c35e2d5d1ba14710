//! Cuts what is searched for, and what is searched in, into the same words.
//!
//! Both databases get words that are cut already, so that a search finds the same in both.

use std::collections::HashSet;

use serde_json::Value;

use crate::Record;

/// How many different words of one record are kept, how long one may be, and how much text is looked at.
const WORDS: usize = 1_000;
const WORD_CHARS: usize = 64;
const TEXT_BYTES: usize = 64 << 10;
/// How many words a search may have.
const SEARCHED_WORDS: usize = 16;

/// A word to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Searched {
    pub word: String,
    /// Whether words that only begin so are found too.
    pub is_begin: bool,
}

/// The words of a record: those of its tool, of its arguments and of its error, each once, with blanks between.
pub(super) fn of_record(record: &Record) -> String {
    let mut words = Words::default();
    words.add_whole(of_tool(&record.tool));
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

/// The one word that stands for a tool's whole name. With it a search for a rare tool and a frequent word looks at
/// few calls.
pub(super) fn of_tool(tool: &str) -> String {
    // FNV-1a: the same everywhere and always. Two tools that share a word cost time and nothing else.
    let hash = tool.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("tool{hash:016x}")
}

/// What a person typed, as words that must all be there. `*` at the end of a word finds all that begin so.
pub(super) fn searched(text: &str) -> Vec<Searched> {
    let mut found = Vec::new();
    for part in text.split_whitespace() {
        let before = found.len();
        cut(part, |word| found.push(Searched { word, is_begin: false }));
        if let Some(last) = found[before..].last_mut() {
            last.is_begin = part.ends_with('*');
        }
    }
    found.truncate(SEARCHED_WORDS);
    found
}

#[derive(Default)]
struct Words {
    seen: HashSet<String>,
    text: String,
    read: usize,
}

impl Words {
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
        let left = TEXT_BYTES.saturating_sub(self.read);
        let text = &text[..text.floor_char_boundary(left)];
        self.read += text.len();
        cut(text, |word| self.add_whole(word));
    }

    fn add_whole(&mut self, word: String) {
        if self.seen.len() >= WORDS || self.seen.contains(&word) {
            return;
        }
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(&word);
        self.seen.insert(word);
    }
}

/// Letters and digits make words, everything else parts them. What is too long is cut off.
fn cut(text: &str, mut each: impl FnMut(String)) {
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        each(word.chars().take(WORD_CHARS).flat_map(char::to_lowercase).collect());
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
        of_record(record).split(' ').skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn names_paths_and_escapes_are_cut_into_words() {
        let record = record("Read_File", r#"{"path":"/etc/Hosts.d\nstrasse","größe":12.5}"#);
        assert_eq!(
            words(&record),
            ["read", "file", "path", "etc", "hosts", "d", "strasse", "größe", "12", "5"]
        );
    }

    #[test]
    fn a_word_is_kept_once_and_their_number_has_a_bound() {
        assert_eq!(words(&record("a", r#"["b b","b"]"#)), ["a", "b"]);
        let many = (0..5_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(of_record(&record("a", &format!("{many:?}"))).split(' ').count(), WORDS);
    }

    #[test]
    fn a_star_finds_what_begins_so() {
        let begins: Vec<(String, bool)> =
            searched("Read* hosts.txt* x").into_iter().map(|word| (word.word, word.is_begin)).collect();
        let expected = [("read", true), ("hosts", false), ("txt", true), ("x", false)];
        assert_eq!(begins, expected.map(|(word, is_begin)| (word.to_owned(), is_begin)));
        assert!(searched(" \"' -- *").is_empty());
    }

    proptest! {
        #[test]
        fn every_word_of_a_record_is_found_by_itself(text in "\\PC{0,60}") {
            let json = serde_json::to_string(&text).expect("a string is JSON");
            let kept: HashSet<String> = words(&record("t", &json)).into_iter().collect();
            for searched in searched(&text) {
                prop_assert!(kept.contains(&searched.word), "{:?} is not in {kept:?}", searched.word);
            }
        }

        #[test]
        fn words_have_no_letter_that_a_query_language_knows(text in "\\PC{0,60}") {
            for searched in searched(&text) {
                let is_plain = |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric();
                prop_assert!(searched.word.chars().all(is_plain));
            }
        }
    }
}
