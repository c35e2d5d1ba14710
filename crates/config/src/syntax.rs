//! Descriptions of JSON syntax errors, with fixes.

use toolwright_jsonrpc::raw::{MAX_DEPTH, ParseError, ParseErrorKind};

use crate::jsonc;

/// A syntax error with its position.
pub(crate) struct SyntaxError {
    pub offset: usize,
    pub message: String,
    pub fix: String,
}

/// An open bracket.
struct OpenBracket {
    bracket: u8,
    line: usize,
}

/// Describes an error of the parser.
pub(crate) fn describe(text: &str, error: &ParseError) -> SyntaxError {
    let syntax_error =
        |message: &str, fix: String| SyntaxError { offset: error.offset, message: message.to_owned(), fix };
    if let Some(offset) = jsonc::open_comment(text).filter(|offset| *offset <= error.offset) {
        let fix = "close it with */".to_owned();
        return SyntaxError { offset, message: "this comment has no end".to_owned(), fix };
    }
    match error.kind {
        ParseErrorKind::TooDeep => syntax_error(
            &format!("values nest deeper than {MAX_DEPTH} levels"),
            "no configuration is that deep: check the file".to_owned(),
        ),
        ParseErrorKind::EndOfText if text.trim().is_empty() => {
            syntax_error("the file is empty", "write {\"mcpServers\": {}}, or remove the file".to_owned())
        }
        ParseErrorKind::EndOfText => match open_bracket(text) {
            Some(OpenBracket { bracket, line }) => syntax_error(
                &format!("the file ends before the `{}` of line {line} is closed", char::from(bracket)),
                format!("add `{}`", char::from(closing(bracket))),
            ),
            None => syntax_error("the file ends within a value", "write the rest of it".to_owned()),
        },
        ParseErrorKind::TrailingText => trailing(text, error.offset),
        ParseErrorKind::Unexpected => unexpected(text, error.offset),
    }
}

/// Describes text after the value.
fn trailing(text: &str, offset: usize) -> SyntaxError {
    let first = text[offset..].chars().next().unwrap_or_default();
    let (message, fix) = match first {
        '}' | ']' => (format!("this `{first}` closes nothing"), "remove it".to_owned()),
        ',' | '{' | '"' => (
            "a second value follows the first".to_owned(),
            "put everything into one object: {\"mcpServers\": {…}}".to_owned(),
        ),
        _ if !text.trim_start().starts_with(['{', '[']) => other_language(),
        _ => (
            "this follows the end of the configuration".to_owned(),
            "remove it, or make it a // comment".to_owned(),
        ),
    };
    SyntaxError { offset, message, fix }
}

/// Describes an unexpected character.
fn unexpected(text: &str, offset: usize) -> SyntaxError {
    let syntax_error = |message: String, fix: String| SyntaxError { offset, message, fix };
    let rest = &text[offset..];
    let first = rest.chars().next().unwrap_or_default();
    let before = text[..offset].trim_end().chars().next_back();
    let line_before = text[..offset].rsplit('\n').next().unwrap_or_default();
    if first.is_control() {
        let (message, fix) = match first {
            '\n' | '\r' => ("the string is not closed on its line", "add the closing \""),
            '\t' => ("a tab within a string", "write \\t"),
            _ => ("a control character", "remove it, or write it as \\u00…"),
        };
        return syntax_error(message.to_owned(), fix.to_owned());
    }
    if line_before.ends_with('\\') {
        let message = format!("`\\{first}` is not a valid escape in JSON");
        return SyntaxError {
            offset: offset - 1,
            message,
            fix: "write `\\\\` for a backslash, or `/` in paths".to_owned(),
        };
    }
    let word: String =
        rest.chars().take_while(|char| char.is_alphanumeric() || "_-$.".contains(*char)).collect();
    let expects_key = matches!(before, Some('{')) || before == Some(',') && is_in_object(text, offset);
    let expects_value = before.is_none_or(|before| matches!(before, ':' | '[' | '{' | ','));
    match first {
        '\'' => {
            syntax_error("strings need double quotes".to_owned(), "write \"…\" instead of '…'".to_owned())
        }
        '“' | '”' | '„' | '‘' | '’' | '«' | '»' => {
            syntax_error(format!("`{first}` is a typographic quote"), "write a plain \" instead".to_owned())
        }
        '#' => syntax_error("comments begin with //".to_owned(), "write // instead of #".to_owned()),
        '=' => syntax_error(
            "a key and its value are separated by `:`".to_owned(),
            "write : instead of =".to_owned(),
        ),
        ';' => syntax_error("members are separated by commas".to_owned(), "write , instead of ;".to_owned()),
        ',' => syntax_error("there is nothing before this comma".to_owned(), "remove it".to_owned()),
        '}' | ']' => match open_bracket(&text[..offset]) {
            Some(OpenBracket { bracket, line }) if closing(bracket) != first as u8 => syntax_error(
                format!("this `{first}` meets the `{}` of line {line}", char::from(bracket)),
                format!("write `{}` before it", char::from(closing(bracket))),
            ),
            Some(_) => {
                syntax_error("a value is missing before this".to_owned(), "write the value".to_owned())
            }
            None => syntax_error(format!("this `{first}` closes nothing"), "remove it".to_owned()),
        },
        _ if before.is_none() || text[..offset].trim() == "[" && !word.is_empty() => {
            let (message, fix) = other_language();
            syntax_error(message, fix)
        }
        _ if is_number_cut(text, offset) => syntax_error(
            "this is not a JSON number".to_owned(),
            "write it in decimal digits, or as a string in quotes".to_owned(),
        ),
        _ if !expects_value && (first == '"' || first == '{' || first == '[' || !word.is_empty()) => {
            missing_separator(text, offset)
        }
        ':' => syntax_error("a key is missing before this `:`".to_owned(), "write \"key\": value".to_owned()),
        _ if expects_key && !word.is_empty() => {
            syntax_error("keys need double quotes".to_owned(), format!("write \"{}\"", shown(&word)))
        }
        _ if !word.is_empty() => match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => syntax_error(format!("`{word}` is not JSON"), "write true".to_owned()),
            "false" | "no" | "off" => syntax_error(format!("`{word}` is not JSON"), "write false".to_owned()),
            "none" | "nil" | "undefined" | "null" => {
                syntax_error(format!("`{word}` is not JSON"), "write null".to_owned())
            }
            _ => syntax_error("text needs double quotes".to_owned(), format!("write \"{}\"", shown(&word))),
        },
        _ => syntax_error(
            format!("`{first}` is not allowed here"),
            if expects_key {
                "write \"key\": value".to_owned()
            } else {
                "write a value, or remove it".to_owned()
            },
        ),
    }
}

/// Whether a number continues here with letters or digits: `0x10`, `1_000`, `007`.
fn is_number_cut(text: &str, offset: usize) -> bool {
    let end = text[..offset].bytes().rev().take_while(|byte| !byte.is_ascii_whitespace());
    let mut digits = end.take_while(|byte| byte.is_ascii_alphanumeric() || b".+-".contains(byte)).peekable();
    let is_number = digits.peek().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    is_number && text[offset..].starts_with(|char: char| char.is_alphanumeric() || char == '_' || char == '.')
}

/// Describes a missing comma or colon.
fn missing_separator(text: &str, offset: usize) -> SyntaxError {
    let end = text[..offset].trim_end().len();
    // A key is a string after a comma or an opening brace.
    let follows_key = text[..end].ends_with('"') && {
        let start = text[..end - 1].rfind('"').unwrap_or_default();
        let before = text[..start].trim_end();
        (before.ends_with('{') || before.ends_with(',')) && is_in_object(text, offset)
    };
    let (message, fix) = if follows_key {
        ("a colon is missing between the key and this", "write : before it")
    } else {
        ("a comma is missing before this", "write , at the end of what comes before")
    };
    SyntaxError { offset, message: message.to_owned(), fix: fix.to_owned() }
}

fn other_language() -> (String, String) {
    let message = "this is not JSON: a configuration begins with `{`".to_owned();
    (message, "write {\"mcpServers\": {…}}; TOML and YAML are not read".to_owned())
}

fn is_in_object(text: &str, offset: usize) -> bool {
    open_bracket(&text[..offset]).is_some_and(|open| open.bracket == b'{')
}

/// The innermost bracket that a text leaves open.
fn open_bracket(text: &str) -> Option<OpenBracket> {
    let mut open: Vec<OpenBracket> = Vec::new();
    let (mut line, mut is_string, mut is_escaped) = (1, false, false);
    for byte in text.bytes() {
        line += usize::from(byte == b'\n');
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            // An unclosed string ends with its line.
            b'\n' => is_string = false,
            _ if is_string => {}
            b'{' | b'[' => open.push(OpenBracket { bracket: byte, line }),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

fn closing(bracket: u8) -> u8 {
    if bracket == b'{' { b'}' } else { b']' }
}

fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}
