//! Strings whose quotes, escapes or line breaks are not JSON's. Their contents are kept to the byte.

use std::cell::LazyCell;

use toolwright_model::Code;

use super::inner::{self, Quotes};
use super::lenient::Lenient;
use super::{Step, Unreadable, escapes, keywords};

/// The message for an ellipsis.
pub(super) const LEFT_OUT: &str = "\"...\" leaves something out; send every parameter";

/// Whether a string is a key or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringPosition {
    Key,
    Value,
}

/// Parses a string and writes it as strict JSON.
pub(super) fn read(reader: &mut Lenient<'_>, position: StringPosition) -> Result<(), Unreadable> {
    let Some(open) = reader.peek() else { return Err(reader.truncated()) };
    reader.skip();
    let closers: &[char] = match open {
        '"' => &['"'],
        '\'' => &['\''],
        '`' => &['`'],
        '“' | '”' => &['”', '“', '"'],
        '‘' | '’' => &['’', '‘', '\''],
        _ => &['»'],
    };
    match open {
        '"' => {}
        '\'' | '`' => reader.note(Step::SingleQuotes),
        _ => reader.note(Step::Typography),
    }
    let start = reader.at;
    // `""path""`: the quotes are doubled.
    let doubled = position == StringPosition::Key && open == '"' && reader.peek() == Some('"') && {
        reader.after_skip(1).starts_with(|char: char| char.is_alphanumeric())
    };
    if doubled {
        reader.skip();
        reader.note(Step::StrayQuote);
    }
    let content_start = if doubled { reader.at } else { start };
    let end = find_end(reader, closers, position)?;
    let content = &reader.text[content_start..end];
    if position == StringPosition::Key
        && open == '"'
        && let Some(name) = key_without_end(content, reader)
    {
        reader.out.push('"');
        reader.out.push_str(name);
        reader.out.push('"');
        reader.note(Step::MissingQuote);
        reader.at = content_start + content.find(':').unwrap_or(content.len());
        return Ok(());
    }
    if doubled && reader.peek() == Some('"') {
        reader.skip();
    }
    if open == '`' && content.contains("${") {
        return Err(reader
            .error(Code::Expression, "a template with a placeholder is no value; send the value itself"));
    }
    escapes::write(reader, content, open)
}

/// `"query: "foo"`: the key lacks its closing quote, so its text ends in a colon.
fn key_without_end<'t>(content: &'t str, reader: &Lenient<'_>) -> Option<&'t str> {
    let name = content.trim_end().strip_suffix(':')?;
    let plain = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    let colon_follows = reader.text[reader.at..].trim_start().starts_with(':');
    (plain && !colon_follows).then_some(name)
}

/// Finds the closing quote; afterwards the parser is after it.
fn find_end(
    reader: &mut Lenient<'_>,
    closers: &[char],
    position: StringPosition,
) -> Result<usize, Unreadable> {
    let mut inner = 0usize;
    let mut quotes = Quotes::default();
    let (text, start) = (reader.text, reader.at);
    let brace = LazyCell::new(|| text[start..].find('{'));
    let strict_count = closers == ['"'];
    loop {
        let rest = &reader.text[reader.at..];
        let plain = if strict_count {
            rest.bytes().position(|byte| byte == b'\\' || byte == b'"')
        } else {
            rest.find(|char: char| char == '\\' || closers.contains(&char))
        };
        let Some(plain) = plain else {
            return Err(reader.truncated());
        };
        reader.at += plain;
        let Some(char) = reader.peek() else { return Err(reader.truncated()) };
        if char == '\\' {
            reader.skip();
            if reader.peek().is_none() {
                return Err(reader.truncated());
            }
            reader.skip();
            continue;
        }

        let end = reader.at;
        let after = reader.after_skip(1);
        if position == StringPosition::Key || closes(after, reader) {
            if strict_count && inner % 2 == 1 {
                // An odd number of inner quotes: this one is the second of a pair, unless it is the last one and the
                // one before it was stray.
                let goes_on = !after.trim_start().starts_with(',') && reader.last_closing_quote() > Some(end);
                if after.trim_start().starts_with(char) || goes_on {
                    inner += 1;
                    reader.skip();
                    continue;
                }
                return stray_or_refuse(reader, end, char);
            }
            if !strict_count && !quotes.is_even() {
                return Err(unclear(reader));
            }
            reader.skip();
            if inner > 0 {
                reader.note(Step::InnerQuotes);
            }
            return Ok(end);
        }
        if is_followed_by_a_string(after, closers, reader) {
            let message = "two strings are next to each other; send one string, or a comma between them";
            return Err(reader.error(Code::AmbiguousReading, message));
        }
        let content = &text[start..end];
        let before = content.chars().next_back();
        let is_open = if strict_count { inner % 2 == 1 } else { !quotes.is_even() };
        // `"Rome, "unit": "C"`: a swallowed member, unless the text is an object by itself.
        if is_open
            && inner::member_start(content, after).is_some_and(|at| brace.is_none_or(|brace| brace > at))
        {
            return Err(unclear(reader));
        }
        if !is_open && inner::is_operand(before, after) {
            reader.at = start - text[..start].chars().next_back().map_or(0, char::len_utf8);
            return Err(reader.expression());
        }
        let fits = if strict_count {
            // Inner quotes come in pairs that open after a space and close before one, next to their words.
            let spaced = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric());
            let is_space = |char: Option<char>| char.is_some_and(char::is_whitespace);
            let next = after.chars().next();
            if is_open {
                spaced(next) && !is_space(before)
            } else {
                (spaced(before) || end == start) && !is_space(next)
            }
        } else {
            quotes.take(char, content, after)
        };
        if !fits {
            return Err(if strict_count && inner == 0 { after_string(reader) } else { unclear(reader) });
        }
        inner += 1;
        reader.skip();
    }
}

/// `'a' 'b'`: concatenated in Python, two values with a missing comma elsewhere.
fn is_followed_by_a_string(after: &str, closers: &[char], reader: &Lenient<'_>) -> bool {
    let next = skip_space(after).strip_prefix(closers);
    next.is_some_and(|next| !next.is_empty() && !closes(next, reader))
}

fn unclear(reader: &Lenient<'_>) -> Unreadable {
    let message = format!(
        "it is unclear where a string ends: {} follows a quote in it; escape the quotes that belong to the text",
        shown(reader.after_skip(1))
    );
    reader.error(Code::AmbiguousReading, &message)
}

/// The error if the first quote of a string is followed by something that is not allowed there.
fn after_string(reader: &Lenient<'_>) -> Unreadable {
    let after = reader.after_skip(1);
    let in_object = reader.open.last() == Some(&'{');
    if let Some(key) = key_without_colon(after).filter(|_| in_object) {
        let message = format!("the key \"{key}\" is not followed by a colon; send \"{key}\": and its value");
        return reader.error(Code::UnreadableText, &message);
    }
    // A later quote could be the end of the string.
    if after.contains('"') {
        return unclear(reader);
    }
    let follows = after.trim_start().trim_start_matches(',').trim_start();
    if follows.starts_with("...") || follows.starts_with('…') {
        return reader.error(Code::Expression, LEFT_OUT);
    }
    let close = if in_object { '}' } else { ']' };
    if after.trim_start().starts_with(',') {
        let place = if in_object { "a key" } else { "a value" };
        let message =
            format!("after a comma comes {}, where {place} should be; send strict JSON", shown(follows));
        return reader.error(Code::UnreadableText, &message);
    }
    let message = format!(
        "a string is followed by {}, where a comma or \"{close}\" should be; send strict JSON",
        shown(after)
    );
    reader.error(Code::UnreadableText, &message)
}

/// `, "limit" 5`: a key that is directly followed by its value.
fn key_without_colon(after: &str) -> Option<&str> {
    let rest = after.trim_start().strip_prefix(',')?.trim_start().strip_prefix('"')?;
    let (key, rest) = rest.split_once('"')?;
    let is_plain = !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || "_-".contains(char));
    let starts_value =
        rest.trim_start().starts_with(|char: char| char.is_alphanumeric() || "\"'{[-=".contains(char));
    (is_plain && starts_value).then_some(key)
}

/// The start of a text, for a message.
fn shown(text: &str) -> String {
    let start: String = text.trim_start().chars().take(20).collect();
    toolwright_jsonrpc::raw::quote(&start)
}

/// `a.txt""`: two quotes instead of one.
fn stray_or_refuse(reader: &mut Lenient<'_>, end: usize, quote: char) -> Result<usize, Unreadable> {
    let before = &reader.text[..end];
    if before.ends_with(quote) {
        reader.skip();
        reader.note(Step::StrayQuote);
        return Ok(end - quote.len_utf8());
    }
    Err(unclear(reader))
}

/// Whether a quote followed by this text ends its string.
fn closes(after: &str, reader: &Lenient<'_>) -> bool {
    let rest = skip_space(after);
    let Some(next) = rest.chars().next() else { return true };
    match next {
        '}' | ']' => true,
        ')' => in_tuple(reader) || in_call(reader),
        ':' => false,
        ',' | '，' => {
            let rest =
                rest.trim_start_matches(|char: char| char.is_whitespace() || char == ',' || char == '，');
            let rest = skip_space(rest);
            rest.is_empty() || starts_anything(rest, reader)
        }
        '/' => rest.starts_with("//") || rest.starts_with("/*"),
        '#' => rest.starts_with("# "),
        '<' => rest.starts_with("<|"),
        // A member that follows without a comma.
        '"' | '\'' => {
            let in_list = in_list(reader) && !in_tuple(reader);
            after.starts_with(char::is_whitespace) && (in_list || starts_key(rest, true)) || rest == "\""
        }
        _ if next.is_alphabetic() => after.starts_with('\n') && starts_key(rest, false),
        _ => false,
    }
}

fn in_list(reader: &Lenient<'_>) -> bool {
    matches!(reader.open.last(), Some('[' | '('))
}

fn in_call(reader: &Lenient<'_>) -> bool {
    reader.open.last() == Some(&keywords::CALL)
}

fn in_tuple(reader: &Lenient<'_>) -> bool {
    reader.open.last() == Some(&'(')
}

/// Skips white space, escaped or not.
fn skip_space(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(tail) = ["\\n", "\\t", "\\r"].iter().find_map(|escape| rest.strip_prefix(escape)) {
        rest = tail.trim_start();
    }
    rest
}

/// Whether something follows that is allowed after a comma: a key, a value, a closing bracket or a comment.
fn starts_anything(rest: &str, reader: &Lenient<'_>) -> bool {
    let Some(next) = rest.chars().next() else { return true };
    if matches!(next, '}' | ']' | '/' | '#') || next == ')' && in_tuple(reader) {
        return true;
    }
    if in_call(reader) {
        return next == ')' || keywords::starts_keyword(rest);
    }
    if in_list(reader) {
        let next = without_prefix(rest).chars().next().unwrap_or(next);
        return matches!(next, '"' | '\'' | '{' | '[' | '(' | '-' | '“' | '‘')
            || next.is_ascii_digit()
            || starts_literal(rest);
    }
    let rest = without_prefix(rest);
    rest.starts_with(['"', '\'', '“', '‘', '`']) && starts_key(rest, true) || starts_key(rest, false)
}

/// `u'a'` is Python's old notation of `'a'`.
pub(super) fn without_prefix(text: &str) -> &str {
    let plain = text.strip_prefix(['u', 'U']).filter(|rest| rest.starts_with(['"', '\'']));
    plain.unwrap_or(text)
}

fn starts_literal(rest: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"].iter().any(|word| rest.starts_with(word))
}

/// Whether `rest` starts with a key and a colon.
fn starts_key(rest: &str, quoted: bool) -> bool {
    let body = if quoted { rest.trim_start_matches(['"', '\'', '“', '‘', '`']) } else { rest };
    let end =
        body.find(|char: char| !(char.is_alphanumeric() || "_-$. ".contains(char))).unwrap_or(body.len());
    if end == 0 {
        return false;
    }
    let tail = body[end..].trim_start_matches(['"', '\'', '”', '’', '`']).trim_start();
    tail.starts_with(':') || tail.starts_with('：')
}
