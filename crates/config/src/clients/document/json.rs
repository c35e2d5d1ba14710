//! JSON with comments: parsed with positions, edited by positions.

use std::ops::Range;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{self, Kind, quote};

use super::super::data::{Data, Node, Pair, Step, Value};
use super::{SyntaxProblem, TextEdit, begins_line, indent_of, line_break, line_end, line_start, next_line};
use crate::{jsonc, syntax};

/// The layout of inserted text.
enum JsonLayout<'t> {
    /// Multi-line: the indentation unit and the line break.
    Lines { unit: &'t str, line_break: &'static str },
    /// Single-line, with or without a space after `:` and `,`.
    OneLine { blank: &'static str },
}

pub(super) fn read(text: &str) -> Result<Value, SyntaxProblem> {
    let blanked = jsonc::blanked(text);
    if blanked.trim().is_empty() {
        return Ok(Value { span: text.len()..text.len(), node: Node::Map(Vec::new()) });
    }
    let arena = Bump::new();
    match raw::parse(&blanked, &arena) {
        Ok(parsed) => Ok(value_of(&parsed.root, &blanked)),
        Err(error) => {
            let syntax_error = syntax::describe(&blanked, &error);
            Err(SyntaxProblem {
                offset: syntax_error.offset,
                message: syntax_error.message,
                fix: syntax_error.fix,
            })
        }
    }
}

fn value_of(node: &raw::Node<'_>, text: &str) -> Value {
    let place = |part: &str| (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let source = node.source().unwrap_or_default();
    let start = place(source);
    let inside = match node.kind {
        Kind::Null => Node::Null,
        Kind::Bool(is_so) => Node::Bool(is_so),
        Kind::Number(number) => Node::Number(number.to_owned()),
        Kind::String(string) => Node::Text(string.decode().into_owned()),
        Kind::Array(items) => Node::List(items.iter().map(|item| value_of(item, text)).collect()),
        Kind::Object(members) => Node::Map(
            members
                .iter()
                .map(|member| {
                    let key = place(member.raw_key());
                    Pair {
                        key: member.key.to_owned(),
                        key_span: key - 1..key + member.raw_key().len() + 1,
                        value: value_of(&member.value, text),
                    }
                })
                .collect(),
        ),
    };
    Value { span: start..start + source.len(), node: inside }
}

/// Inserts a member or an item into the value `place`.
pub(super) fn insert(
    text: &str,
    root: &Value,
    place: &Value,
    step: &Step,
    value: &Data,
) -> Option<Vec<TextEdit>> {
    let key = match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Item(_) => None,
    };
    if place.span.is_empty() {
        return Some(vec![whole_file(text, key?, value)]);
    }
    if let Node::Null = place.node {
        let data = match key {
            Some(key) => Data::Map(vec![(key.to_owned(), value.clone())]),
            None => Data::List(vec![value.clone()]),
        };
        return replace(text, root, place, &data);
    }
    let children = spans(place);
    let close = place.span.end - 1;
    let (Some(first), Some(last)) = (children.first(), children.last()) else {
        return Some(vec![into_empty(text, root, place, key, value)]);
    };
    let comma = comma_after(text, last.end, close);
    let behind = comma.map_or(last.end, |comma| comma + 1);
    let mut edits: Vec<TextEdit> = Vec::new();
    if comma.is_none() {
        edits.push(TextEdit::insert(last.end, ","));
    }
    let trailing = if comma.is_some() { "," } else { "" };
    if text[place.span.start..first.start].contains('\n') {
        let indent = if begins_line(text, first.start) {
            indent_of(text, first.start).to_owned()
        } else {
            format!("{}{}", indent_of(text, place.span.start), unit(text, root))
        };
        let layout = lines(text, root);
        let line_break = line_break(text);
        let member = render_member(key, value, &indent, &layout);
        let at = after_comments(text, behind, close);
        edits.push(TextEdit::insert(at, format!("{line_break}{indent}{member}{trailing}")));
    } else {
        let blank = blank(text, place);
        let member = render_member(key, value, "", &JsonLayout::OneLine { blank });
        edits.push(TextEdit::insert(behind, format!("{blank}{member}{trailing}")));
    }
    Some(edits)
}

/// Replaces a value.
pub(super) fn replace(text: &str, root: &Value, place: &Value, data: &Data) -> Option<Vec<TextEdit>> {
    let layout = if is_one_line(text, root) {
        JsonLayout::OneLine { blank: blank(text, root) }
    } else {
        lines(text, root)
    };
    let indent = indent_of(text, place.span.start);
    Some(vec![TextEdit { at: place.span.clone(), with: render(data, indent, &layout) }])
}

/// Removes a member or an item with its comma.
pub(super) fn remove(text: &str, root: &Value, path: &[Step]) -> Option<Vec<TextEdit>> {
    let (step, before) = path.split_last()?;
    let holder = root.at(before)?;
    let children = spans(holder);
    let at = match (step, &holder.node) {
        (Step::Key(key), Node::Map(pairs)) => {
            // If only one of two duplicate keys were removed, the other one would take effect.
            let mut places = pairs.iter().enumerate().filter(|(_, pair)| pair.key == *key);
            let (at, _) = places.next()?;
            if places.next().is_some() {
                return None;
            }
            at
        }
        (Step::Item(name), Node::List(items)) => {
            items.iter().position(|item| item.get("name").and_then(Value::text) == Some(name))?
        }
        _ => return None,
    };
    let child = children.get(at)?.clone();
    let close = holder.span.end - 1;
    let comma = comma_after(text, child.end, children.get(at + 1).map_or(close, |next| next.start));
    let own_line = begins_line(text, child.start);
    if children.len() == 1 {
        let inside = holder.span.start + 1..close;
        let rest =
            [&text[inside.start..child.start], &text[comma.map_or(child.end, |comma| comma + 1)..close]];
        if rest.iter().all(|part| part.trim().is_empty()) {
            return Some(vec![TextEdit::cut(inside)]);
        }
    }
    if let Some(comma) = comma {
        let mut cut = child.start..comma + 1;
        if own_line && text[cut.end..line_end(text, cut.end)].trim().is_empty() {
            cut = line_start(text, cut.start)..next_line(text, cut.end);
        } else if !own_line {
            // One space between the neighbours is enough.
            cut.end += text[cut.end..].len() - text[cut.end..].trim_start_matches([' ', '\t']).len();
        }
        return Some(vec![TextEdit::cut(cut)]);
    }
    let mut edits: Vec<TextEdit> = Vec::new();
    if let Some(previous) = at.checked_sub(1).and_then(|at| children.get(at)) {
        let comma = comma_after(text, previous.end, child.start)?;
        edits.push(TextEdit::cut(comma..comma + 1));
    }
    let start = if own_line {
        let start = line_start(text, child.start);
        // Also removes the line break before it.
        let start = start.saturating_sub(usize::from(start > 0));
        if text[..start].ends_with('\r') { start - 1 } else { start }
    } else {
        let before = text[..child.start].trim_end_matches([' ', '\t']).len();
        edits.last().map_or(before, |comma| before.max(comma.at.end))
    };
    edits.push(TextEdit::cut(start..child.end));
    Some(edits)
}

/// The byte ranges of the members, including keys, or of the items.
fn spans(value: &Value) -> Vec<Range<usize>> {
    match &value.node {
        Node::Map(pairs) => pairs.iter().map(|pair| pair.key_span.start..pair.value.span.end).collect(),
        Node::List(items) => items.iter().map(|item| item.span.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Writes a file without content. Its comments stay before the new text.
fn whole_file(text: &str, key: &str, value: &Data) -> TextEdit {
    let line_break = line_break(text);
    let start = if text.is_empty() || text.ends_with('\n') { "" } else { line_break };
    let root = Data::Map(vec![(key.to_owned(), value.clone())]);
    let json = render(&root, "", &JsonLayout::Lines { unit: "  ", line_break });
    TextEdit::insert(text.len(), format!("{start}{json}{line_break}"))
}

fn into_empty(text: &str, root: &Value, place: &Value, key: Option<&str>, value: &Data) -> TextEdit {
    let close = place.span.end - 1;
    let inside = &text[place.span.start + 1..close];
    if is_one_line(text, root) && !root.pairs().is_empty() {
        let blank = blank(text, root);
        return TextEdit::insert(close, render_member(key, value, "", &JsonLayout::OneLine { blank }));
    }
    let outer = indent_of(text, place.span.start);
    let layout = lines(text, root);
    let indent = format!("{outer}{}", unit(text, root));
    let line_break = line_break(text);
    let member = render_member(key, value, &indent, &layout);
    let end = place.span.start + 1 + inside.trim_end().len();
    TextEdit { at: end..close, with: format!("{line_break}{indent}{member}{line_break}{outer}") }
}

/// The offset of the comma after a position, with only blanks and comments in between.
fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        match bytes[at] {
            b',' => return Some(at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(text, at).max(at + 1),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = at + 2 + text[at + 2..].find("*/")? + 2,
            _ => at += 1,
        }
    }
    None
}

/// The position after comments in the same line: they belong to the preceding value.
fn after_comments(text: &str, from: usize, to: usize) -> usize {
    let line = &text[from..line_end(text, from).min(to)];
    let mut at = 0;
    loop {
        let rest = line[at..].trim_start_matches([' ', '\t']);
        let blanks = line.len() - at - rest.len();
        if rest.starts_with("//") {
            return from + line.len();
        }
        match rest.strip_prefix("/*").and_then(|comment| comment.find("*/")) {
            Some(end) => at += blanks + 2 + end + 2,
            None => return from + at,
        }
    }
}

/// Whether the whole value is in one line.
fn is_one_line(text: &str, root: &Value) -> bool {
    !text[root.span.clone()].contains('\n') && !spans(root).is_empty()
}

/// The space after `:` and `,`, if the file uses one.
fn blank(text: &str, place: &Value) -> &'static str {
    let is_tight = |pair: &Pair| !text[pair.key_span.end..pair.value.span.start].contains(' ');
    if place.pairs().first().is_some_and(is_tight) { "" } else { " " }
}

fn lines<'t>(text: &'t str, root: &Value) -> JsonLayout<'t> {
    JsonLayout::Lines { unit: unit(text, root), line_break: line_break(text) }
}

/// The indentation unit.
fn unit<'t>(text: &'t str, root: &Value) -> &'t str {
    let first = spans(root).first().map(|first| first.start);
    let indent = first.filter(|at| begins_line(text, *at)).map(|at| indent_of(text, at));
    indent.filter(|indent| !indent.is_empty()).unwrap_or("  ")
}

fn render_member(key: Option<&str>, value: &Data, indent: &str, layout: &JsonLayout<'_>) -> String {
    let value = render(value, indent, layout);
    let blank = match layout {
        JsonLayout::Lines { .. } => " ",
        JsonLayout::OneLine { blank } => *blank,
    };
    key.map_or_else(|| value.clone(), |key| format!("{}:{blank}{value}", quote(key)))
}

fn render(data: &Data, indent: &str, layout: &JsonLayout<'_>) -> String {
    let joined = |parts: Vec<String>, open: char, close: char| match layout {
        JsonLayout::OneLine { blank } => format!("{open}{}{close}", parts.join(&format!(",{blank}"))),
        JsonLayout::Lines { unit, line_break } => {
            let between = format!(",{line_break}{indent}{unit}");
            format!("{open}{line_break}{indent}{unit}{}{line_break}{indent}{close}", parts.join(&between))
        }
    };
    let inner = match layout {
        JsonLayout::Lines { unit, .. } => format!("{indent}{unit}"),
        JsonLayout::OneLine { .. } => String::new(),
    };
    match data {
        Data::Map(members) if !members.is_empty() => {
            let parts = members.iter().map(|(key, value)| render_member(Some(key), value, &inner, layout));
            joined(parts.collect(), '{', '}')
        }
        // Lists of scalars are written in one line, as users usually do.
        Data::List(items) if items.iter().any(|item| !item.members().is_empty()) => {
            joined(items.iter().map(|item| render(item, &inner, layout)).collect(), '[', ']')
        }
        Data::List(items) => {
            let blank = if let JsonLayout::OneLine { blank } = layout { *blank } else { " " };
            let parts: Vec<String> = items.iter().map(Data::json).collect();
            format!("[{}]", parts.join(&format!(",{blank}")))
        }
        plain => plain.json(),
    }
}
