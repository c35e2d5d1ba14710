//! YAML: parsed event by event with positions, and edited by whole lines, so that comments and styles stay.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};
use toolwright_jsonrpc::raw::quote;

use super::super::data::{Data, Node, Pair, Step, Value};
use super::{SyntaxProblem, TextEdit, begins_line, line_break, line_end, line_start, next_line};

/// The deepest nesting.
const MAX_DEPTH: usize = 128;

/// The most values, including those that aliases repeat.
const MAX_VALUES: usize = 200_000;

/// The indentation unit of inserted text.
const UNIT: &str = "  ";

/// Parses the first document of a text.
pub(super) fn read(text: &str) -> Result<Value, SyntaxProblem> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let byte = |index: usize| places.get(index).copied().unwrap_or(text.len());
    let wrong = |offset: usize, message: &str, fix: &str| SyntaxProblem {
        offset,
        message: message.to_owned(),
        fix: fix.to_owned(),
    };
    let mut builder = YamlBuilder { text, open: Vec::new(), anchors: HashMap::new(), done: None, values: 0 };
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            wrong(byte(error.marker().index()), error.info(), "correct this line, then try again")
        })?;
        let span = byte(span.start.index())..byte(span.end.index());
        if let Event::DocumentStart(_) = event {
            documents += 1;
        }
        if documents > 1 {
            let fix = "keep one document in the file";
            return Err(wrong(span.start, "a second document begins here", fix));
        }
        let at = span.start;
        if builder.take(event, span).is_none() {
            return Err(wrong(
                at,
                "values nest too deeply, or repeat each other",
                "no settings are like that",
            ));
        }
    }
    Ok(match builder.done {
        Some(Value { node: Node::Null, .. }) | None => {
            Value { span: text.len()..text.len(), node: Node::Map(Vec::new()) }
        }
        Some(root) => root,
    })
}

struct YamlBuilder<'t> {
    text: &'t str,
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, (Value, usize)>,
    done: Option<Value>,
    values: usize,
}

/// A list or map that is not closed yet.
struct OpenCollection {
    start: Range<usize>,
    anchor: usize,
    is_map: bool,
    items: Vec<Value>,
    /// The number of values in it, including nested ones.
    values: usize,
}

impl YamlBuilder<'_> {
    /// Processes an event. `None` if a limit is exceeded.
    fn take(&mut self, event: Event<'_>, span: Range<usize>) -> Option<()> {
        match event {
            Event::SequenceStart(anchor, _) => self.begin(span, anchor, false),
            Event::MappingStart(anchor, _) => self.begin(span, anchor, true),
            Event::SequenceEnd | Event::MappingEnd => {
                let open = self.open.pop()?;
                let (anchor, count) = (open.anchor, open.values + 1);
                let value = close_collection(self.text, open, span);
                self.put(value, anchor, count)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = self.scalar(&text, style, tag.is_some(), span);
                self.put(value, anchor, 1)
            }
            Event::Alias(anchor) => {
                let (value, count) = match self.anchors.get(&anchor) {
                    Some((value, count)) if self.values + count <= MAX_VALUES => (value.clone(), *count),
                    Some(_) => return None,
                    None => (Value { span: span.clone(), node: Node::Null }, 1),
                };
                self.put(Value { span, ..value }, 0, count)
            }
            _ => Some(()),
        }
    }

    fn begin(&mut self, start: Range<usize>, anchor: usize, is_map: bool) -> Option<()> {
        self.open.push(OpenCollection { start, anchor, is_map, items: Vec::new(), values: 0 });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn put(&mut self, value: Value, anchor: usize, count: usize) -> Option<()> {
        self.values += count;
        if self.values > MAX_VALUES {
            return None;
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), count));
        }
        match self.open.last_mut() {
            Some(open) => {
                open.items.push(value);
                open.values += count;
            }
            None => self.done = Some(value),
        }
        Some(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, has_tag: bool, span: Range<usize>) -> Value {
        let node =
            if style == ScalarStyle::Plain && !has_tag { plain(text) } else { Node::Text(text.to_owned()) };
        // An absent value has no length, although the parser reports one. A block scalar includes its last line break,
        // which is not part of the value.
        let is_absent = style == ScalarStyle::Plain && text.is_empty();
        let length = if is_absent { 0 } else { self.text[span.clone()].trim_end().len() };
        Value { span: span.start..span.start + length, node }
    }
}

fn close_collection(text: &str, open: OpenCollection, end: Range<usize>) -> Value {
    let OpenCollection { start, is_map, items, .. } = open;
    let is_flow = !start.is_empty();
    let last = items.last().map_or(start.end, |last| last.span.end);
    let first = items.first().map_or(start.start, |first| first.span.start);
    let span = match (is_flow, is_map) {
        // The span of the closing bracket may include blanks and a comment; the bracket is one byte.
        (true, _) => start.start..end.end.min(end.start + 1),
        (false, true) => first..last.max(first),
        (false, false) => dash_before(text, first)..last.max(first),
    };
    if !is_map {
        return Value { span, node: Node::List(items) };
    }
    let mut pairs: Vec<Pair> = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(mut value)) = (items.next(), items.next()) {
        if value.span.is_empty() {
            // The parser reports an absent value at the position of the next token.
            value.span = key.span.end..key.span.end;
        }
        let name = match &key.node {
            Node::Text(text) | Node::Number(text) => text.clone(),
            Node::Bool(is_so) => is_so.to_string(),
            Node::Null => String::new(),
            Node::List(_) | Node::Map(_) => key.data().json(),
        };
        pairs.push(Pair { key: name, key_span: key.span, value });
    }
    Value { span, node: Node::Map(pairs) }
}

/// The type of a plain (unquoted) scalar.
fn plain(text: &str) -> Node {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Node::Null,
        "true" | "True" | "TRUE" => Node::Bool(true),
        "false" | "False" | "FALSE" => Node::Bool(false),
        _ if toolwright_jsonrpc::raw::is_json_number(text) => Node::Number(text.to_owned()),
        _ => Node::Text(text.to_owned()),
    }
}

/// Inserts `value` at the first step of `rest`, below the existing part of `path`.
pub(super) fn insert(
    text: &str,
    root: &Value,
    path: &[Step],
    rest: &[Step],
    value: &Data,
) -> Option<Vec<TextEdit>> {
    let before = &path[..path.len() - rest.len()];
    let (step, holder) = (rest.first()?, root.at(before)?);
    let line_break = line_break(text);
    if is_flow(text, holder) {
        return flow_insert(text, holder, step, value);
    }
    if before.is_empty() {
        let indent = holder.pairs().first().map_or("", |pair| column(text, pair.key_span.start));
        let start = if text.is_empty() || text.ends_with('\n') { "" } else { line_break };
        let lines = entry(step, value, indent, line_break);
        return Some(vec![TextEdit::insert(text.len(), format!("{start}{lines}{line_break}"))]);
    }
    if let (Some(Step::Item(_)), Some(first)) = (before.last(), holder.pairs().first()) {
        // The first member is in the line of the dash, the others are in the lines below.
        let dash = line_start(text, first.key_span.start);
        let indent: String = text[dash..first.key_span.start].chars().map(|_| ' ').collect();
        let at = line_end(text, first.value.span.end);
        return Some(vec![TextEdit::insert(
            at,
            format!("{line_break}{}", entry(step, value, &indent, line_break)),
        )]);
    }
    let parent = pair_at(root, before)?;
    let at = line_end(text, parent.key_span.end);
    let outer = column(text, parent.key_span.start);
    let first = match &holder.node {
        Node::Map(pairs) => pairs.first().map(|pair| pair.key_span.start),
        Node::List(items) => items.first().map(|item| dash_before(text, item.span.start)),
        _ => None,
    };
    let mut edits: Vec<TextEdit> = Vec::new();
    let indent = match first {
        Some(first) if first < at || !begins_line(text, first) => return None,
        Some(first) => text[line_start(text, first)..first].to_owned(),
        None => {
            if !text[holder.span.clone()].is_empty() {
                edits.push(TextEdit::cut(holder.span.clone()));
            }
            format!("{outer}{UNIT}")
        }
    };
    edits.push(TextEdit::insert(at, format!("{line_break}{}", entry(step, value, &indent, line_break))));
    Some(edits)
}

/// Replaces a value.
pub(super) fn replace(text: &str, root: &Value, path: &[Step], data: &Data) -> Option<Vec<TextEdit>> {
    let value = root.at(path)?;
    let is_block = matches!(value.node, Node::List(_) | Node::Map(_)) && !is_flow(text, value);
    let is_absent = text[value.span.clone()].is_empty();
    if is_block || is_absent {
        let pair = pair_at(root, path)?;
        let colon = colon_after(text, pair)?;
        let end = if is_absent { colon + 1 } else { value.span.end };
        return Some(vec![TextEdit { at: colon + 1..end, with: format!(" {}", data.json()) }]);
    }
    let with = if let Data::Text(text) = data { scalar(text) } else { data.json() };
    Some(vec![TextEdit { at: value.span.clone(), with }])
}

/// Removes the lines of a member or an item.
pub(super) fn remove(text: &str, root: &Value, path: &[Step]) -> Option<Vec<TextEdit>> {
    let (step, before) = path.split_last()?;
    let holder = root.at(before)?;
    let children = spans(holder);
    let at = match step {
        Step::Key(key) => holder.pairs().iter().position(|pair| pair.key == *key)?,
        Step::Item(name) => {
            let is_it = |item: &Value| item.get("name").and_then(Value::text) == Some(name);
            holder.items().iter().position(is_it)?
        }
    };
    let child = children.get(at)?.clone();
    if is_flow(text, holder) {
        let cut = match (children.get(at + 1), at.checked_sub(1).and_then(|at| children.get(at))) {
            (Some(next), _) => child.start..next.start,
            (None, Some(previous)) => previous.end..child.end,
            (None, None) => child,
        };
        return Some(vec![TextEdit::cut(cut)]);
    }
    let start = if let Step::Item(_) = step { dash_before(text, child.start) } else { child.start };
    if !begins_line(text, start) {
        return None;
    }
    let mut edits = vec![TextEdit::cut(line_start(text, start)..next_line(text, child.end))];
    if children.len() == 1 && !before.is_empty() {
        let colon = colon_after(text, pair_at(root, before)?)?;
        edits.push(TextEdit::insert(colon + 1, if let Step::Item(_) = step { " []" } else { " {}" }));
    }
    Some(edits)
}

fn flow_insert(text: &str, holder: &Value, step: &Step, value: &Data) -> Option<Vec<TextEdit>> {
    let member = match step {
        Step::Key(key) => format!("{}: {}", quote(key), value.json()),
        Step::Item(_) => value.json(),
    };
    let close = holder.span.end.checked_sub(1)?;
    Some(vec![match spans(holder).last() {
        Some(last) if text.get(last.end..close)?.contains(',') => {
            TextEdit::insert(close, format!("{member}, "))
        }
        Some(last) => TextEdit::insert(last.end, format!(", {member}")),
        None => TextEdit::insert(close, member),
    }])
}

/// A member or an item over several lines, without the final line break.
fn entry(step: &Step, value: &Data, indent: &str, line_break: &str) -> String {
    match step {
        Step::Key(key) => format!("{indent}{}", member(key, value, indent, line_break)),
        Step::Item(_) => format!("{indent}- {}", block(value, &format!("{indent}{UNIT}"), line_break)),
    }
}

fn member(key: &str, value: &Data, indent: &str, line_break: &str) -> String {
    let inner = format!("{indent}{UNIT}");
    match value {
        Data::Map(members) if !members.is_empty() => {
            format!("{}:{line_break}{inner}{}", scalar(key), block(value, &inner, line_break))
        }
        Data::List(items) if !items.is_empty() => {
            let lines = items
                .iter()
                .map(|item| format!("{inner}- {}", block(item, &format!("{inner}{UNIT}"), line_break)));
            format!("{}:{line_break}{}", scalar(key), lines.collect::<Vec<_>>().join(line_break))
        }
        plain => format!("{}: {}", scalar(key), block(plain, &inner, line_break)),
    }
}

/// A value whose first line starts at the current column, and whose other lines start with the indentation.
fn block(value: &Data, indent: &str, line_break: &str) -> String {
    match value {
        Data::Map(members) if !members.is_empty() => {
            let lines: Vec<String> =
                members.iter().map(|(key, value)| member(key, value, indent, line_break)).collect();
            lines.join(&format!("{line_break}{indent}"))
        }
        Data::Text(text) => scalar(text),
        other => other.json(),
    }
}

/// A text, quoted if it would be parsed as something else.
fn scalar(text: &str) -> String {
    const WORDS: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/' || first == '_');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-".contains(&byte);
    let is_word = WORDS.contains(&text.to_ascii_lowercase().as_str());
    if starts && text.bytes().all(is_plain) && !is_word { text.to_owned() } else { quote(text) }
}

fn pair_at<'v>(root: &'v Value, path: &[Step]) -> Option<&'v Pair> {
    let (step, before) = path.split_last()?;
    let Step::Key(key) = step else { return None };
    root.at(before)?.pairs().iter().rev().find(|pair| pair.key == *key)
}

fn spans(value: &Value) -> Vec<Range<usize>> {
    match &value.node {
        Node::Map(pairs) => {
            pairs.iter().map(|pair| pair.key_span.start..pair.value.span.end.max(pair.key_span.end)).collect()
        }
        Node::List(items) => items.iter().map(|item| item.span.start..item.span.end).collect(),
        _ => Vec::new(),
    }
}

fn is_flow(text: &str, value: &Value) -> bool {
    match value.node {
        Node::Map(_) => text[value.span.clone()].starts_with('{'),
        Node::List(_) => text[value.span.clone()].starts_with('['),
        _ => false,
    }
}

/// The blanks before a byte offset in its line; empty if something else precedes it.
fn column(text: &str, at: usize) -> &str {
    if begins_line(text, at) { &text[line_start(text, at)..at] } else { "" }
}

/// The offset of the dash before a list item.
fn dash_before(text: &str, at: usize) -> usize {
    let start = line_start(text, at);
    text[start..at].find('-').map_or(at, |dash| start + dash)
}

fn colon_after(text: &str, pair: &Pair) -> Option<usize> {
    let end = pair.key_span.end;
    text[end..line_end(text, end)].find(':').map(|colon| end + colon)
}
