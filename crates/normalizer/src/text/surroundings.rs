//! Finds the value among the text around it: fences, prose, leaked tokens, a second copy.

use std::cell::LazyCell;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{parse, same_value};
use toolwright_model::{Code, Finish};

use super::lenient::{Lenient, ParseFailure};
use super::{FirstValue, Outside, Reading, Step, Unreadable, keywords};

/// Maximum number of brackets around the value that are tried as its start.
const MAX_STARTS: usize = 256;
/// Maximum number of bytes after the value that are parsed in vain for a second one.
const MAX_WASTED_BYTES: usize = 256 << 10;
/// Number of bytes after a colon that are checked for a value.
const VALUE_BYTES: usize = 64;

/// Tags of chat templates, without their brackets.
const TAGS: &[&str] = &[
    "tool_call",
    "tool_calls",
    "function_call",
    "function_calls",
    "function",
    "tool",
    "invoke",
    "parameter",
    "parameters",
    "arguments",
    "s",
    "json",
    "tool_use",
    "toolcall",
    "python_tag",
    "think",
    "thinking",
    "args",
    "input",
    "output",
    "response",
];

/// Parses the only value in a text.
pub(super) fn read(text: &str, finish: Finish, first: FirstValue) -> Result<Reading, Unreadable> {
    let mut steps = Vec::new();
    let body = strip_end(text, &mut steps);
    let cut_off = &text[text.len() - text.trim_start_matches('\u{feff}').len()..][body.len()..];
    let body_start = skip_lead(body, &mut steps);
    if body[body_start..].starts_with('"') && parse(&body[body_start..], &Bump::new()).is_ok() {
        let json = body[body_start..].to_owned();
        let outside =
            Outside { before: body[..body_start].to_owned(), after: cut_off.to_owned(), calls: None };
        return Ok(Reading { json, strict_until: None, steps, callee: None, label: None, outside });
    }
    if let Some(call) = keywords::read(&body[body_start..], finish) {
        let (name, found) = call?;
        found.steps.into_iter().for_each(|step| push(&mut steps, step));
        let before = body[..body_start].to_owned();
        let outside = Outside { before, after: cut_off.to_owned(), calls: Some(name.to_owned()) };
        return Ok(Reading {
            json: found.json,
            strict_until: None,
            steps,
            callee: None,
            label: None,
            outside,
        });
    }
    // `first` is known of the value at the start of the text; all others are tried.
    let starts_text = |start: usize| {
        let space = text.len() - text.trim_start_matches([' ', '\n', '\r', '\t']).len();
        text.len() > space && start == space
    };
    let mut from = body_start;
    let mut first_failure: Option<ParseFailure> = None;
    let mut starts = 0;
    while let Some(start) = next_start(body, from, from == body_start) {
        starts += 1;
        if starts > MAX_STARTS {
            return Err(too_many_brackets(start));
        }
        let known = if starts_text(start) { first } else { FirstValue::Untried };
        match Lenient::read(body, start, finish, known) {
            Ok(found) => {
                let lead = &body[body_start..start];
                note_lead(lead, start, &mut steps)?;
                let (callee, label) = callee_and_label(lead);
                for step in found.steps {
                    push(&mut steps, step);
                }
                let mut trailing_text = after(body, found.end, &found.json, finish, &mut steps)?;
                trailing_text.push_str(cut_off);
                if steps.is_empty() {
                    // Something was skipped, or the strict parser would have succeeded.
                    steps.push(Step::Prose);
                }
                let outside = Outside { before: body[..start].to_owned(), after: trailing_text, calls: None };
                let (json, strict_until) = (found.json, found.strict_until);
                return Ok(Reading { json, strict_until, steps, callee, label, outside });
            }
            Err(failure) => {
                // Braces in prose are not a value; a value that started and failed is refused.
                if failure.has_started || failure.error.code == Code::OverLimit {
                    return Err(failure.error);
                }
                from = start + 1;
                first_failure.get_or_insert(failure);
            }
        }
    }
    Err(first_failure.map(|failure| failure.error).unwrap_or_else(|| Unreadable {
        code: Code::UnreadableText,
        offset: 0,
        message: "the arguments are not a JSON object; send one object with the parameters".to_owned(),
    }))
}

fn too_many_brackets(offset: usize) -> Unreadable {
    let message = "there are too many brackets around the object; send it alone".to_owned();
    Unreadable { code: Code::OverLimit, offset, message }
}

fn push(steps: &mut Vec<Step>, step: Step) {
    if !steps.contains(&step) {
        steps.push(step);
    }
}

/// Removes fences, tokens and tags from the end.
fn strip_end<'t>(text: &'t str, steps: &mut Vec<Step>) -> &'t str {
    let mut body = text.trim_start_matches('\u{feff}').trim_end();
    loop {
        let before = body;
        if body.ends_with(char::is_control) {
            push(steps, Step::OuterControl);
            body = body.trim_end_matches(|char: char| char.is_control() || char.is_whitespace());
        }
        if let Some(rest) = body.strip_suffix("```").or_else(|| body.strip_suffix("~~~"))
            && body.trim_start().len() > 3
        {
            push(steps, Step::Fence);
            body = rest.trim_end();
        }
        if body.ends_with('>')
            && let Some(at) = body.rfind('<')
            && is_token(&body[at..])
        {
            push(steps, Step::ChatTokens);
            body = body[..at].trim_end();
        }
        if let Some(rest) =
            ["[/TOOL_CALLS]", "[/INST]", "[DONE]"].iter().find_map(|token| body.strip_suffix(token))
        {
            push(steps, Step::ChatTokens);
            body = rest.trim_end();
        }
        if body.len() == before.len() {
            return body;
        }
    }
}

/// Whether `<…>` is a token of a chat template: `<|im_end|>`, `</tool_call>`, `</s>`.
fn is_token(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    if inner.contains(['<', '>', '{', '}', '"', '\n']) {
        return false;
    }
    if inner.starts_with('|') || inner.starts_with('｜') || inner.ends_with('|') {
        return true;
    }
    let name = inner.trim_start_matches('/').split([' ', '=']).next().unwrap_or_default();
    TAGS.contains(&name.to_ascii_lowercase().as_str()) || inner.starts_with('/') && name.starts_with("antml")
}

/// Offset of the body after fences, tokens and thoughts.
fn skip_lead(body: &str, steps: &mut Vec<Step>) -> usize {
    let mut at = 0;
    let thoughts = ["</think>", "</thinking>"].map(|close| (close, LazyCell::new(move || body.rfind(close))));
    loop {
        let rest = &body[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &body[at..];
        if rest.starts_with(char::is_control) {
            push(steps, Step::OuterControl);
            at += rest.len() - rest.trim_start_matches(char::is_control).len();
            continue;
        }
        if let Some(fence) = ["```", "~~~"].iter().find(|fence| rest.starts_with(**fence)) {
            push(steps, Step::Fence);
            at += fence.len() + fence_word(&rest[fence.len()..]);
            continue;
        }
        for (close, last) in &thoughts {
            let is_open = rest.strip_prefix('<').is_some_and(|rest| rest.starts_with(&close[2..]));
            if is_open
                && last.is_some_and(|last| last > at)
                && let Some(end) = rest.find(*close)
            {
                push(steps, Step::ChatTokens);
                at += end + close.len();
            }
        }
        let rest = &body[at..];
        if rest.starts_with('<')
            && let Some(end) = rest.find('>')
            && is_token(&rest[..=end])
        {
            push(steps, Step::ChatTokens);
            at += end + 1;
            continue;
        }
        if let Some(token) = ["[TOOL_CALLS]", "[INST]"].iter().find(|token| rest.starts_with(**token)) {
            push(steps, Step::ChatTokens);
            at += token.len();
            continue;
        }
        if rest.trim_start().len() == rest.len() {
            return at;
        }
    }
}

/// Length of the language word of a fence: `json`, `tool_code`, `c++`.
fn fence_word(text: &str) -> usize {
    let is_of_word = |char: char| char.is_alphanumeric() || "_-+#.".contains(char);
    let end = text.find(|char: char| !is_of_word(char)).unwrap_or(text.len());
    let is_alone = text[end..].is_empty()
        || text[end..].starts_with(|char: char| char.is_whitespace() || "{[".contains(char));
    if is_alone { end } else { 0 }
}

/// The next position where a value may start.
fn next_start(body: &str, from: usize, at_body_start: bool) -> Option<usize> {
    let rest = &body[from..];
    if at_body_start && rest.starts_with(['{', '[']) {
        return Some(from);
    }
    rest.char_indices()
        .find(|(at, char)| *char == '{' || *char == '[' && rest[at + 1..].trim_start().starts_with('{'))
        .map(|(at, _)| from + at)
}

/// Text before the value is allowed; members outside of the object are not.
fn note_lead(lead: &str, start: usize, steps: &mut Vec<Step>) -> Result<(), Unreadable> {
    let lead = lead.trim();
    if lead.is_empty() {
        return Ok(());
    }
    let before_label = lead.rfind(['\n', ',', '(']).map_or("", |at| &lead[..at]);
    if looks_like_members(lead) || has_loose_member(before_label) {
        return Err(Unreadable {
            code: Code::UnreadableText,
            offset: start,
            message: "there are members before the object; send one object with all parameters".to_owned(),
        });
    }
    push(steps, Step::Prose);
    Ok(())
}

/// Checks the text after the value, and returns it without copies of the value.
fn after(
    body: &str,
    end: usize,
    json: &str,
    finish: Finish,
    steps: &mut Vec<Step>,
) -> Result<String, Unreadable> {
    let mut rest = &body[end..];
    let refuse =
        |code: Code, message: &str| Err(Unreadable { code, offset: end, message: message.to_owned() });
    let closers =
        rest.trim_start().len() - rest.trim_start().trim_start_matches(['}', ']', ')', ';', ' ', '\n']).len();
    if closers > 0 {
        let trimmed = rest.trim_start();
        if trimmed[..closers].contains(['}', ']']) {
            push(steps, Step::ExtraBrackets);
        }
        rest = &trimmed[closers..];
    }
    let mut remaining = rest.trim();
    if remaining.is_empty() {
        return Ok(String::new());
    }
    if remaining == "\"" || remaining == "'" {
        push(steps, Step::StrayQuote);
        return Ok(String::new());
    }
    if has_loose_member(rest) {
        return refuse(
            Code::UnreadableText,
            "there are members after the object; send one object with all parameters",
        );
    }
    if remaining.starts_with(',') && looks_like_members(remaining)
        || looks_like_members(remaining) && !remaining.contains('{')
    {
        return refuse(
            Code::UnreadableText,
            "there are members after the object; send one object with all parameters",
        );
    }
    // Another value must be equal.
    let (mut starts, mut wasted_bytes) = (0, 0);
    let mut trailing_text = String::new();
    // The caller decides by whether the text is on the line of the value.
    if body[body[..end].trim_end().len()..body.len() - rest.trim_start().len()].contains('\n') {
        trailing_text.push('\n');
    }
    while let Some(at) = remaining.find(['{', '[']) {
        starts += 1;
        if starts > MAX_STARTS || wasted_bytes > MAX_WASTED_BYTES {
            return Err(too_many_brackets(end));
        }
        match Lenient::read(remaining, at, finish, FirstValue::Untried) {
            Ok(found) if same_json(json, &found.json) => {
                push(steps, Step::Repeated);
                trailing_text.push_str(&remaining[..at]);
                remaining = &remaining[found.end..];
            }
            Ok(_) => {
                return refuse(
                    Code::AmbiguousReading,
                    "several different objects run together; send one call at a time",
                );
            }
            Err(failure) if failure.has_started || failure.error.code == Code::TruncatedText => {
                return refuse(
                    Code::AmbiguousReading,
                    "a second object follows the first; send one call at a time",
                );
            }
            Err(failure) => {
                wasted_bytes += failure.error.offset.saturating_sub(at);
                trailing_text.push_str(&remaining[..=at]);
                remaining = &remaining[at + 1..];
            }
        }
    }
    if looks_like_members(remaining) {
        return refuse(
            Code::UnreadableText,
            "there are members after the object; send one object with all parameters",
        );
    }
    let words = remaining.trim_matches(|char: char| char.is_whitespace() || "`~.".contains(char));
    if rest.contains("```") {
        push(steps, Step::Fence);
    }
    if rest.contains("<|") {
        push(steps, Step::ChatTokens);
    }
    if !words.is_empty() {
        push(steps, Step::Prose);
    }
    trailing_text.push_str(remaining);
    Ok(trailing_text)
}

/// The word directly before the value: `read_file(` names a tool, `options =` a member.
fn callee_and_label(lead: &str) -> (Option<String>, Option<String>) {
    let lead = lead.trim_end();
    let last_word = |text: &str| {
        let start = text
            .rfind(|char: char| !(char.is_alphanumeric() || "_-./".contains(char)))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        (start < text.len()).then(|| text[start..].to_owned())
    };
    match lead.chars().next_back() {
        Some('(') => (last_word(&lead[..lead.len() - 1]), None),
        Some('=' | ':') => {
            let label = last_word(lead[..lead.len() - 1].trim_end());
            let callee = lead.find('(').and_then(|at| last_word(&lead[..at]));
            (callee, label)
        }
        _ => (None, None),
    }
}

/// `limit: 5` or `level=3` outside of an object: a member that would be lost.
fn has_loose_member(text: &str) -> bool {
    text.char_indices().filter(|(_, char)| matches!(char, '=' | ':')).any(|(at, mark)| {
        let name = text[..at].trim_end();
        let start = name.rfind(|char: char| !(char.is_alphanumeric() || char == '_')).map_or(0, |at| at + 1);
        let Some(word) = name.get(start..).filter(|word| !word.is_empty()) else { return false };
        let before = name[..start].trim_end_matches(' ');
        let starts_clause = before.is_empty() || before.ends_with(['\n', ',', '(', '{', ';']);
        let value = text[at + mark.len_utf8()..].trim_start_matches(' ');
        let value = &value[..value.floor_char_boundary(VALUE_BYTES)];
        let end = value.find(['\n', ',', ')']).unwrap_or(value.len());
        let token = value[..end].trim();
        let is_value = token.starts_with(['"', '\'', '[']) && token.len() > 1
            || token.parse::<f64>().is_ok()
            || matches!(token, "true" | "false" | "null" | "True" | "False" | "None");
        starts_clause && is_value && word.chars().next().is_some_and(char::is_alphabetic)
    })
}

/// `"key": …` outside of an object.
fn looks_like_members(text: &str) -> bool {
    text.char_indices().any(|(at, char)| {
        (char == '"' || char == '\'') && text[at + 1..].trim_start().starts_with(':') && at > 0
    })
}

fn same_json(a: &str, b: &str) -> bool {
    let arena = Bump::new();
    match (parse(a, &arena), parse(b, &arena)) {
        (Ok(a), Ok(b)) => same_value(&a.root, &b.root),
        _ => false,
    }
}
