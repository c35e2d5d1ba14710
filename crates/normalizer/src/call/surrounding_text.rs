//! The text around the arguments: whether it revokes the call or names another tool.
//!
//! # What it does
//! Skips fences, tags of chat templates, thoughts, labels such as `Action Input:`, and friendly words. Any
//! other text is reported.
//!
//! # What it refuses
//! Text that forbids, revokes, corrects, conditions or questions the call (see [`words`]), arguments that are
//! commented out, struck through, or only a thought or a result, and text that names another tool. For a
//! tool that can destroy something, any text but neutral labels exceeds the risk budget.

use toolwright_model::{Code, Problem};

use super::objections;
use crate::names::{self, fold, is_destructive_verb};
use crate::repair::envelope::names_tool;
use crate::repair::{ValuePath, problem};
use crate::text::Outside;
use crate::tool::Tool;

/// A longer text between `<` and `>` is not a tag.
const MAX_TAG_BYTES: usize = 256;
/// Maximum number of names in the text that are searched for in the arguments.
const MAX_LOOKS: usize = 64;
/// Maximum number of characters of the text that are reported.
const SHOWN: usize = 80;

/// Words of labels before the arguments, and of fences. They do not affect the call.
const NEUTRAL: &[&str] = &[
    "a",
    "action",
    "an",
    "and",
    "answer",
    "are",
    "args",
    "argument",
    "arguments",
    "assistant",
    "call",
    "calling",
    "code",
    "commentary",
    "const",
    "final",
    "following",
    "for",
    "function",
    "functions",
    "here",
    "input",
    "inputs",
    "is",
    "javascript",
    "js",
    "json",
    "jsonc",
    "json5",
    "let",
    "my",
    "name",
    "of",
    "param",
    "parameter",
    "parameters",
    "params",
    "payload",
    "plaintext",
    "py",
    "python",
    "request",
    "s",
    "text",
    "the",
    "this",
    "to",
    "tool",
    "tools",
    "ts",
    "txt",
    "typescript",
    "use",
    "using",
    "var",
    "with",
    "xml",
    "yaml",
];

/// Identifiers of chat templates that are not tools.
const TEMPLATE_NAMES: &[&str] = &[
    "actioninput",
    "defaultapi",
    "functioncall",
    "functioncalls",
    "functionname",
    "inputschema",
    "jsonrpc",
    "multitooluse",
    "pythontag",
    "toolcall",
    "toolcalls",
    "toolcode",
    "toolinput",
    "toolname",
    "toolsep",
    "tooluse",
    "tooluses",
    "toolargs",
    "toolarguments",
    "toolparameters",
    "toolparams",
    "functionarguments",
    "functionargs",
    "javascript",
    "typescript",
];

/// Tags around results and quotations, not around a call.
const RESULTS: &[&str] = &[
    "del",
    "error",
    "functionresponse",
    "functionresult",
    "functionresults",
    "observation",
    "result",
    "results",
    "strike",
    "toolerror",
    "tooloutput",
    "toolresponse",
    "toolresult",
    "toolresults",
];

/// Labels whose value is the name of a tool.
const NAMING: &[&str] =
    &["action", "tool", "function", "name", "toolname", "functionname", "method", "invoke"];

/// The text around the arguments, without thoughts and tags.
struct SurroundingText<'t> {
    tags: Vec<&'t str>,
    before: String,
    after: String,
}

/// The refusal, if the text around the arguments contradicts the call.
pub(super) fn objection(outside: &Outside, tool: &Tool, json: &str) -> Option<Problem> {
    let refuse = |code: Code, message: String| Some(problem(code, &ValuePath::Root, message));
    if let Some(what) = inside_of(&outside.before, &outside.after) {
        return refuse(
            Code::AmbiguousReading,
            format!("the object is in {what}; send it alone if it is meant"),
        );
    }
    let around = SurroundingText::read(outside);
    let called = outside.calls.clone().filter(|name| !names_tool(name, tool.name()));
    if let Some(text_found) = called.or_else(|| around.another_tool(tool, json)) {
        let message = format!("the text names \"{text_found}\", but it was sent to \"{}\"", tool.name());
        return refuse(Code::ConflictingValues, message);
    }
    let text_found = objections::objection(&around.before, &around.after)?;
    refuse(
        Code::AmbiguousReading,
        format!(
            "the words around the object may take it back or tie it to a condition (\"{text_found}\"); send the object alone if it is meant"
        ),
    )
}

/// The text that was left out, shortened, and whether it is more than a label.
pub(super) fn left_out(outside: &Outside, tool: &Tool) -> Option<(String, bool)> {
    let around = SurroundingText::read(outside);
    let mut text_found = Vec::new();
    let mut is_free = false;
    for text in [&around.before, &around.after] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let says = |char: char| char.is_alphanumeric() || !char.is_ascii();
        if !text.contains(says) {
            continue;
        }
        is_free |= tokens(&text).any(|token| {
            let folded = fold(token);
            let is_label = NEUTRAL.contains(&folded.as_str()) || TEMPLATE_NAMES.contains(&folded.as_str());
            !folded.is_empty() && !is_label && !names_tool(token, tool.name())
        });
        text_found.push(text);
    }
    (!text_found.is_empty()).then(|| (shortened(&text_found.join(" … ")), is_free))
}

/// The comment, thought, result or struck-out passage that contains the arguments.
fn inside_of(before: &str, after: &str) -> Option<&'static str> {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_open =
        |open: &str, close: &str| before.rfind(open).is_some_and(|at| !before[at..].contains(close));
    if ["//", "#", "--", "%"].iter().any(|mark| line.starts_with(mark))
        || line.contains(" // ")
        || is_open("/*", "*/")
        || is_open("<!--", "-->")
    {
        return Some("a comment");
    }
    let tildes = before.trim_end().len() - before.trim_end().trim_end_matches('~').len();
    if tildes == 2 {
        return Some("a passage that is struck out");
    }
    for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
        // The template may have opened the thought before the text starts.
        let closes_later = after.find(close).is_some_and(|at| !after[..at].contains(open));
        if is_open(open, close) || closes_later {
            return Some("a thought");
        }
    }
    let mut tags = Vec::new();
    without_tags(before, &mut tags);
    let is_result = |tag: &&&str| RESULTS.contains(&fold(tag_name(tag)).as_str());
    if tags.iter().rev().find(is_result).is_some_and(|tag| !tag.starts_with('/')) {
        return Some("a result");
    }
    let label = line.trim_end().strip_suffix(':').map(fold);
    label.is_some_and(|label| RESULTS.contains(&label.as_str())).then_some("a result")
}

impl<'t> SurroundingText<'t> {
    fn read(outside: &'t Outside) -> SurroundingText<'t> {
        let thoughts_end = ["</think>", "</thinking>"]
            .iter()
            .filter_map(|close| outside.before.rfind(close).map(|at| at + close.len()))
            .max();
        let mut tags = Vec::new();
        let before = without_tags(&outside.before[thoughts_end.unwrap_or(0)..], &mut tags);
        let thought = outside.after.find("<think").unwrap_or(outside.after.len());
        let after = without_tags(&outside.after[..thought], &mut tags);
        SurroundingText { tags, before, after }
    }

    /// The name of another tool in the text.
    fn another_tool(&self, tool: &Tool, json: &str) -> Option<String> {
        let is_own = |text_found: &str| names_tool(text_found, tool.name());
        let is_other = |text_found: &&str| !is_own(text_found) && is_identifier(text_found, tool);
        let named_by_tags = self.tags.iter().filter_map(|tag| named_by(tag));
        if let Some(text_found) = named_by_tags
            .filter(|text_found| !is_own(text_found))
            .find(|text_found| !is_template_name(text_found))
        {
            return Some(text_found.to_owned());
        }
        // `<read_note>{…}</read_note>`
        let bare = self.tags.iter().map(|tag| tag.trim_start_matches('/'));
        if let Some(tag) = bare.filter(|tag| !tag.contains([' ', '=', '|', '｜'])).find(is_other) {
            return Some(tag.to_owned());
        }
        let mut looks = 0;
        // A name that is also in the arguments is their subject.
        let mut is_sent = |token: &str| {
            looks += 1;
            looks <= MAX_LOOKS && json.contains(token)
        };
        for text in [&self.before, &self.after] {
            let tokens: Vec<&str> = tokens(text).collect();
            let is_last = |at: usize| std::ptr::eq(text, &self.before) && at + 1 == tokens.len();
            for (at, token) in tokens.iter().enumerate() {
                let is_named = at > 0 && {
                    let label = tokens[at - 1];
                    let gap = label.as_ptr() as usize + label.len() - text.as_ptr() as usize;
                    NAMING.contains(&fold(label).as_str()) && text[gap..].trim_start().starts_with([':', '='])
                };
                let is_verb = is_last(at) && destroys_otherwise(tool, token);
                let is_label = is_named && !is_own(token) && !is_neutral(token) && !fold(token).is_empty();
                if is_label || is_verb || is_other(token) && (is_last(at) || !is_sent(token)) {
                    return Some((*token).to_owned());
                }
            }
        }
        None
    }
}

/// Whether a token such as `delete` or `delete-note` names a destructive action that the tool does not have.
fn destroys_otherwise(tool: &Tool, token: &str) -> bool {
    let own = names::words(tool.name());
    names::words(token).iter().any(|word| is_destructive_verb(word) && !own.contains(word))
}

fn is_neutral(token: &str) -> bool {
    let folded = fold(token);
    NEUTRAL.contains(&folded.as_str()) || is_template_name(token)
}

fn is_template_name(token: &str) -> bool {
    let folded = fold(token);
    TEMPLATE_NAMES.contains(&folded.as_str()) || RESULTS.contains(&folded.as_str())
}

/// Whether a token is written like the name of a tool (`read_note`, `readNote`) and is not a parameter of this one.
fn is_identifier(token: &str, tool: &Tool) -> bool {
    let numbered = token.trim_end_matches(|char: char| char.is_ascii_digit());
    let token = numbered.strip_suffix(':').unwrap_or(token);
    let last = token.rsplit(['.', ':']).next().unwrap_or(token);
    let letters: Vec<char> = last.chars().collect();
    let is_camel = letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let is_snake = letters
        .windows(3)
        .any(|three| three[0].is_alphanumeric() && three[1] == '_' && three[2].is_alphanumeric());
    let folded = fold(last);
    let is_call_id = ["call_", "toolu_", "chatcmpl"].iter().any(|start| last.starts_with(start));
    (is_camel || is_snake)
        && !token.contains('/')
        && !is_call_id
        && !is_template_name(last)
        && !tool.parameters().iter().any(|name| fold(name) == folded)
}

/// Words and names of a text, without surrounding punctuation.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || "_-./:'’".contains(char)))
        .map(|token| token.trim_matches(|char: char| !(char.is_alphanumeric() || char == '_')))
        .filter(|token| !token.is_empty())
}

/// Removes the tags from a text and adds them to `tags`, without their brackets.
fn without_tags<'t>(text: &'t str, tags: &mut Vec<&'t str>) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        plain.push_str(&rest[..at]);
        let near = &rest[at + 1..];
        let near = &near[..near.floor_char_boundary(MAX_TAG_BYTES)];
        let starts = near.starts_with(|char: char| char.is_alphabetic() || "/|｜".contains(char));
        match near.find(['<', '>', '\n']).filter(|end| starts && near[*end..].starts_with('>')) {
            Some(end) => {
                tags.push(&near[..end]);
                plain.push(' ');
                rest = &rest[at + end + 2..];
            }
            None => {
                plain.push('<');
                rest = &rest[at + 1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn tag_name(tag: &str) -> &str {
    tag.trim_start_matches('/').split([' ', '=']).next().unwrap_or_default()
}

/// The name of the tool in `function=read_note` or `invoke name="read_note"`.
fn named_by(tag: &str) -> Option<&str> {
    if tag_name(tag).eq_ignore_ascii_case("parameter") {
        return None;
    }
    let value = match tag.split_once("name=") {
        Some((_, value)) => value,
        None => tag.split_once('=').filter(|(name, _)| !name.contains(' '))?.1,
    };
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(' ').next()?,
    };
    Some(value.trim()).filter(|value| !value.is_empty())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
