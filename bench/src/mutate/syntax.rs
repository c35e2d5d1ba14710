//! Slips in the text itself.

use serde_json::Value;

use crate::rng::Rng;
use crate::write::{self, Comment, Style, Trailing};

/// One slip. In the order in which they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slip {
    /// Python's way to print a value.
    Python,
    /// A comma too many.
    TrailingComma,
    /// A comma too few.
    MissingComma,
    /// A remark.
    Comment,
    /// Keys without quotes.
    BareKeys,
    /// A key without its first quote.
    OpenKey,
    /// A line break inside a string.
    RawBreak,
    /// Backslashes of a path or pattern as they are.
    BadEscape,
    /// Closing brackets missing at the very end, with a normal finish.
    MissingClose,
    /// A closing brace too many.
    ExtraClose,
    /// A code fence around it.
    Fence,
    /// A sentence before it.
    ProseBefore,
    /// A sentence after it.
    ProseAfter,
    /// A token of the chat template.
    ChatToken,
    /// The text as a JSON string.
    DoubleEncoded,
    /// `null` or nothing instead of an empty object.
    Nothing,
}

/// Text of a model and how it says that it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Why the model stopped, when that matters.
    pub finish: Option<&'static str>,
}

use Slip::*;

impl Slip {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Python,
        TrailingComma,
        MissingComma,
        Comment,
        BareKeys,
        OpenKey,
        RawBreak,
        BadEscape,
        MissingClose,
        ExtraClose,
        Fence,
        ProseBefore,
        ProseAfter,
        ChatToken,
        DoubleEncoded,
        Nothing,
    ];

    /// The name in reports.
    pub fn label(self) -> &'static str {
        match self {
            Python => "text:python",
            TrailingComma => "text:trailing_comma",
            MissingComma => "text:missing_comma",
            Comment => "text:comment",
            BareKeys => "text:bare_keys",
            OpenKey => "text:key_quote_missing",
            RawBreak => "text:raw_line_break",
            BadEscape => "text:bad_escape",
            MissingClose => "text:missing_close",
            ExtraClose => "text:extra_close",
            Fence => "text:fence",
            ProseBefore => "text:prose_before",
            ProseAfter => "text:prose_after",
            ChatToken => "text:chat_token",
            DoubleEncoded => "text:double_encoded",
            Nothing => "text:nothing",
        }
    }

    /// Whether two slips can be in one text and leave it with one reading.
    pub fn fits(self, other: Self) -> bool {
        let around = |slip: Self| matches!(slip, Fence | ProseBefore | ProseAfter | ChatToken);
        let pair = (self.min(other), self.max(other));
        match pair {
            (one, two) if one == two => false,
            (_, Nothing) => false,
            (Python, BareKeys | OpenKey | RawBreak | BadEscape) => false,
            (MissingComma, Comment | BareKeys | OpenKey) => false,
            (Comment, OpenKey) | (BareKeys, OpenKey) => false,
            (TrailingComma, MissingClose) => false,
            (MissingClose, ExtraClose | Fence | ProseAfter | ChatToken | DoubleEncoded) => false,
            (one, DoubleEncoded) => !around(one),
            _ => true,
        }
    }

    /// Whether the value has a place for the slip.
    pub fn applies(self, value: &Value) -> bool {
        match self {
            Nothing => value.as_object().is_some_and(|members| members.is_empty()),
            MissingComma => write::commas(value) > 0,
            OpenKey => !openable(value).is_empty(),
            BareKeys => !openable(value).is_empty(),
            RawBreak => any_string(value, &|text| text.contains(['\n', '\t'])),
            BadEscape => {
                any_string(value, &|text| text.contains('\\'))
                    && !any_string(value, &|text| text.contains('\\') && !reads_unescaped(text))
            }
            DoubleEncoded => true,
            _ => write::members(value) > 0,
        }
    }
}

/// Writes a value with slips, or nothing when they leave no trace.
pub fn write(value: &Value, slips: &[Slip], rng: &mut Rng) -> Option<Written> {
    let has = |slip: Slip| slips.contains(&slip);
    if has(Nothing) {
        return Some(Written { text: rng.word(&["null", "", "None"]).to_string(), finish: None });
    }
    let keys = openable(value);
    let comment = [Comment::Slashes, Comment::Block, Comment::Hash][rng.below(3)];
    let style = Style {
        pretty: rng.one_in(3),
        python: has(Python),
        trailing_comma: has(TrailingComma)
            .then(|| if rng.one_in(2) { Trailing::Outermost } else { Trailing::Everywhere }),
        missing_comma: has(MissingComma).then(|| rng.below(write::commas(value))),
        comment: has(Slip::Comment).then(|| (rng.below(write::members(value)), comment)),
        bare_keys: has(BareKeys),
        open_key: if has(OpenKey) { rng.pick(&keys).copied() } else { None },
        raw_breaks: has(RawBreak),
        raw_backslashes: has(BadEscape),
    };
    let mut text = write::text(value, &style);
    if has(MissingClose) {
        text = without_close(&text, rng)?;
    }
    if has(ExtraClose) {
        text.push('}');
    }
    for slip in slips {
        let (before, after) = around(*slip, rng);
        text = format!("{before}{text}{after}");
    }
    if has(DoubleEncoded) {
        text = Value::String(text).to_string();
    }
    Some(Written { text, finish: has(MissingClose).then_some("stop") })
}

fn around(slip: Slip, rng: &mut Rng) -> (&'static str, &'static str) {
    match slip {
        Fence => (rng.word(&["```json\n", "```\n", "```JSON\n"]), "\n```"),
        ProseBefore => {
            let texts = [
                "Here are the arguments:\n\n",
                "Sure, I'll do that now. ",
                "I will call the tool with the following input:\n",
                "Action Input: ",
            ];
            (rng.word(&texts), "")
        }
        ProseAfter => {
            let texts = [
                "\n\nLet me know if you need anything else.",
                " I will wait for the result.",
                "\nThis should do what you asked for.",
                "\nObservation:",
            ];
            ("", rng.word(&texts))
        }
        ChatToken => {
            let pairs = [
                ("", "<|im_end|>"),
                ("", "</tool_call>"),
                ("<tool_call>\n", "\n</tool_call>"),
                ("", "<|call|>"),
                ("", "<|eot_id|>"),
                ("", "</s>"),
                ("<|python_tag|>", "<|eom_id|>"),
                ("", "\n</invoke>"),
                ("<function_call>", "</function_call>"),
                ("<think>The user wants this done.</think>\n", ""),
                ("<|tool_call_begin|>", "<|tool_call_end|>"),
                ("[TOOL_CALLS]", ""),
            ];
            pairs[rng.below(pairs.len())]
        }
        _ => ("", ""),
    }
}

/// Takes away some of the last brackets, when what then stands last is complete in itself.
fn without_close(text: &str, rng: &mut Rng) -> Option<String> {
    let closing = |letter: char| matches!(letter, '}' | ']') || letter.is_whitespace();
    let least = text.trim_end_matches(closing).len();
    let mut rest = text.trim_end();
    for _ in 0..=rng.below(3) {
        let shorter = rest.strip_suffix(['}', ']']).map(str::trim_end);
        match shorter.filter(|shorter| shorter.len() >= least && is_complete(shorter)) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    (rest.len() < text.trim_end().len()).then(|| rest.to_string())
}

fn is_complete(text: &str) -> bool {
    text.ends_with(['"', '\'', '}', ']'])
        || ["true", "false", "null", "True", "False", "None"].iter().any(|word| text.ends_with(word))
}

/// Places of keys that are plain words, counted as the writer counts members.
fn openable(value: &Value) -> Vec<usize> {
    fn visit(value: &Value, next: &mut usize, found: &mut Vec<usize>) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    if write::is_plain_word(key) {
                        found.push(*next);
                    }
                    *next += 1;
                    visit(member, next, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| visit(item, next, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(value, &mut 0, &mut found);
    found
}

fn any_string(value: &Value, test: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => test(text),
        Value::Array(items) => items.iter().any(|item| any_string(item, test)),
        Value::Object(members) => members.values().any(|member| any_string(member, test)),
        _ => false,
    }
}

/// Whether single backslashes in this text can only be meant as they stand: every one starts an escape that JSON
/// does not have, or it is a path with a drive letter and one of them does.
fn reads_unescaped(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let after: Vec<Option<&char>> =
        (0..letters.len()).filter(|at| letters[*at] == '\\').map(|at| letters.get(at + 1)).collect();
    let foreign = |letter: &Option<&char>| letter.is_some_and(|letter| !"\"\\/bfnrtux0".contains(*letter));
    let drive =
        letters.len() > 2 && letters[0].is_ascii_alphabetic() && letters[1] == ':' && letters[2] == '\\';
    let plain = !text.contains(['"', '\n', '\t', '\r']) && !text.contains("\\\\") && !text.ends_with('\\');
    plain && (after.iter().all(foreign) || drive && after.iter().any(foreign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_clear_backslashes_are_left_raw() {
        assert!(reads_unescaped("\\d+\\s"));
        assert!(reads_unescaped("C:\\Users\\new"));
        assert!(!reads_unescaped("C:\\temp\\new"));
        assert!(!reads_unescaped("\\bword\\d"));
        assert!(!reads_unescaped("a\\\\d"));
    }

    #[test]
    fn every_slip_breaks_the_text() {
        let value = json!({"path": "C:\\Users\\x", "text": "a\nb", "n": {"t": true}});
        let mut rng = Rng::for_case(3, "slips", 0);
        for slip in Slip::ALL {
            if slip != Nothing {
                assert!(slip.applies(&value), "{slip:?}");
                let written = write(&value, &[slip], &mut rng).unwrap();
                assert_ne!(
                    serde_json::from_str::<Value>(&written.text).ok(),
                    Some(value.clone()),
                    "{slip:?}"
                );
            }
        }
    }

    #[test]
    fn a_missing_close_never_ends_in_a_number() {
        let mut rng = Rng::for_case(3, "close", 0);
        assert_eq!(without_close("{\"a\": 12}", &mut rng), None);
        assert!(without_close("{\"a\": \"x\"}", &mut rng).is_some());
    }
}
