//! TOML: parsed by `toml_edit`, which provides positions, and edited by these. The serializer of `toml_edit` would
//! convert all line breaks to `
//! ` and drop the byte order mark.

use std::ops::Range;

use toml_edit::{Item, TableLike};
use toolwright_jsonrpc::raw::quote;

use super::super::data::{Data, Node, Pair, Step, Value};
use super::{SyntaxProblem, TextEdit, begins_line, line_break, line_end, line_start, next_line};

pub(super) fn read(text: &str) -> Result<Value, SyntaxProblem> {
    match toml_edit::Document::parse(text) {
        Ok(document) => Ok(Value { span: 0..text.len(), node: pairs(document.as_table()) }),
        Err(error) => {
            let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
            let offset = error.span().map_or(0, |span| span.start);
            Err(SyntaxProblem { offset, message, fix: "correct this line, then try again".to_owned() })
        }
    }
}

fn pairs(table: &dyn TableLike) -> Node {
    let pair = |(key, item): (&str, &Item)| {
        let key_span = table.key(key).and_then(|key| key.span()).unwrap_or_default();
        Some(Pair { key: key.to_owned(), key_span, value: item_of(item)? })
    };
    Node::Map(table.iter().filter_map(pair).collect())
}

fn item_of(item: &Item) -> Option<Value> {
    let span = item.span().unwrap_or_default();
    let node = match item {
        Item::None => return None,
        Item::Value(value) => return Some(value_of(value)),
        Item::Table(inside) => pairs(inside),
        Item::ArrayOfTables(tables) => Node::List(
            tables
                .iter()
                .map(|inside| Value { span: inside.span().unwrap_or_default(), node: pairs(inside) })
                .collect(),
        ),
    };
    Some(Value { span, node })
}

fn value_of(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    let node = match value {
        Toml::String(text) => Node::Text(text.value().clone()),
        Toml::Integer(number) => Node::Number(number.value().to_string()),
        Toml::Float(number) => Node::Number(number.value().to_string()),
        Toml::Boolean(is_so) => Node::Bool(*is_so.value()),
        Toml::Datetime(time) => Node::Text(time.value().to_string()),
        Toml::Array(items) => Node::List(items.iter().map(value_of).collect()),
        Toml::InlineTable(inside) => pairs(inside),
    };
    Value { span: value.span().unwrap_or_default(), node }
}

/// Inserts `data` at `path`, of which `rest` is missing.
pub(super) fn insert(
    text: &str,
    root: &Value,
    path: &[Step],
    rest: &[Step],
    data: &Data,
) -> Option<Vec<TextEdit>> {
    let before = &path[..path.len() - rest.len()];
    let holder = root.at(before)?;
    let line_break = line_break(text);
    if !before.is_empty() && text[holder.span.clone()].starts_with('{') {
        let (step, further) = rest.split_first()?;
        let value = super::wrapped(further, data.clone());
        let member = format!("{} = {}", key(step.name()), inline(&value));
        return Some(vec![match children(holder).last() {
            Some(last) => TextEdit::insert(last.end, format!(", {member}")),
            None => TextEdit { at: holder.span.clone(), with: format!("{{ {member} }}") },
        }]);
    }
    if !before.is_empty() && rest.len() == 1 && is_header(text, holder) {
        let at = line_end(text, holder.span.end);
        let name = rest.first()?.name();
        return Some(vec![TextEdit::insert(at, format!("{line_break}{} = {}", key(name), inline(data)))]);
    }
    let Data::Map(members) = data else { return None };
    let header: Vec<String> = path.iter().map(|step| key(step.name())).collect();
    let mut with = String::new();
    if !text.is_empty() && !text.ends_with('\n') {
        with.push_str(line_break);
    }
    if !text.trim().is_empty() {
        with.push_str(line_break);
    }
    with.push_str(&format!("[{}]{line_break}", header.join(".")));
    for (name, value) in members {
        with.push_str(&format!("{} = {}{line_break}", key(name), inline(value)));
    }
    Some(vec![TextEdit::insert(text.len(), with)])
}

/// Replaces a value.
pub(super) fn replace(text: &str, root: &Value, path: &[Step], data: &Data) -> Option<Vec<TextEdit>> {
    let value = root.at(path)?;
    if value.span.is_empty() || is_header(text, value) {
        return None;
    }
    Some(vec![TextEdit { at: value.span.clone(), with: inline(data) }])
}

/// Removes a table with its subtables, or a single value.
pub(super) fn remove(text: &str, root: &Value, path: &[Step]) -> Option<Vec<TextEdit>> {
    let (step, before) = path.split_last()?;
    let holder = root.at(before)?;
    let pair = holder.pairs().iter().find(|pair| pair.key == step.name())?;
    if !before.is_empty() && text[holder.span.clone()].starts_with('{') {
        return Some(vec![TextEdit::cut(in_braces(holder, pair))]);
    }
    let mut cuts: Vec<Range<usize>> = Vec::new();
    collect(text, pair, &mut cuts);
    cuts.sort_by_key(|cut| cut.start);
    Some(cuts.into_iter().map(TextEdit::cut).collect())
}

/// Collects the byte ranges of a member: its lines, and its subtables wherever they are in the file.
fn collect(text: &str, pair: &Pair, cuts: &mut Vec<Range<usize>>) {
    let value = &pair.value;
    let is_table = value.span.is_empty() || is_header(text, value);
    if !is_table {
        cuts.push(lines_of(text, pair.key_span.start, value.span.end));
        return;
    }
    if is_header(text, value) {
        let start = line_start(text, value.span.start);
        let mut from = start;
        // Also removes the empty line before a table.
        let above = text[..start].trim_end_matches('\n').trim_end_matches('\r').len();
        let empty = line_start(text, start.saturating_sub(1));
        if start > 0 && text[empty..start].trim().is_empty() && above < start {
            from = empty;
        }
        cuts.push(from..next_line(text, value.span.end));
    }
    value.pairs().iter().for_each(|inside| collect(text, inside, cuts));
}

/// The lines of a value, or the value alone if the lines contain something else.
fn lines_of(text: &str, start: usize, end: usize) -> Range<usize> {
    let first = line_start(text, start);
    let behind = text[end..line_end(text, end)].trim();
    // A dotted key may start before the part whose position is known.
    let is_dotted = text[first..start].trim_end().ends_with('.');
    if (begins_line(text, start) || is_dotted) && behind.is_empty() {
        first..next_line(text, end)
    } else {
        start..end
    }
}

/// A member of an inline table with one adjacent comma.
fn in_braces(holder: &Value, pair: &Pair) -> Range<usize> {
    let all = children(holder);
    let at = all.iter().position(|child| child.start == pair.key_span.start).unwrap_or_default();
    let child = pair.key_span.start..pair.value.span.end;
    match (all.get(at + 1), at.checked_sub(1).and_then(|at| all.get(at))) {
        (Some(next), _) => child.start..next.start,
        (None, Some(previous)) => previous.end..child.end,
        (None, None) => child,
    }
}

fn children(value: &Value) -> Vec<Range<usize>> {
    value.pairs().iter().map(|pair| pair.key_span.start..pair.value.span.end).collect()
}

/// Whether a value is a table with a header of its own.
fn is_header(text: &str, value: &Value) -> bool {
    matches!(value.node, Node::Map(_)) && text[value.span.clone()].starts_with('[')
}

/// A key, quoted if necessary.
fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quote(name) }
}

fn inline(data: &Data) -> String {
    match data {
        Data::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Data::Map(members) if members.is_empty() => "{}".to_owned(),
        Data::Map(members) => {
            let parts: Vec<String> =
                members.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
            format!("{{ {} }}", parts.join(", "))
        }
        plain => plain.json(),
    }
}
