//! The ways in which models write calls.

use toolwright_jsonrpc::raw::{self, RawMember};

use crate::stream::progress::Progress;
use crate::stream::told;

/// What a text begins with. `Calls` and `None` stay what they are however the text goes on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Calls, up to here.
    Calls { end: usize, calls: Vec<(String, String)> },
    /// Perhaps a call.
    NotYet,
    /// No call.
    None,
}

/// What the members of a call are called.
const KEYS: [&str; 5] = ["name", "arguments", "parameters", "type", "id"];

/// How exactly an object has to look like a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A tag around it says that it is one: arguments may be missing, an id may be there.
    Tagged,
    /// Nothing says so but its name and its arguments.
    Bare,
}

/// What comes next in a text.
enum Next<'a> {
    /// This was there: the rest behind it.
    Is(&'a str),
    /// Only the beginning of it was there.
    Begins,
    /// Something else.
    IsNot,
}

/// The call, or the calls, that a text begins with. White space before it was left out.
pub(super) fn next_call<T: AsRef<str>>(text: &str, tools: &[T]) -> Step {
    let reader = Reader { whole: text, tools };
    let is_begun = [
        reader.tagged("<tool_call>", "</tool_call>"),
        reader.tagged("<function_call>", "</function_call>"),
        reader.function(text).then(|rest, calls| reader.calls(rest, calls)),
        reader.fenced(),
        reader.listed(),
        reader.object(text, Shape::Bare).then(|rest, calls| reader.calls(rest, calls)),
    ];
    let mut found = Step::None;
    for step in is_begun {
        match step {
            Step::Calls { .. } => return step,
            Step::NotYet => found = Step::NotYet,
            Step::None => {}
        }
    }
    found
}

/// A part that was read, and what is behind it.
enum Part<'a> {
    Is(&'a str, Vec<(String, String)>),
    NotYet,
    None,
}

impl<'a> Part<'a> {
    fn then(self, go_on: impl FnOnce(&'a str, Vec<(String, String)>) -> Step) -> Step {
        match self {
            Part::Is(rest, calls) => go_on(rest, calls),
            Part::NotYet => Step::NotYet,
            Part::None => Step::None,
        }
    }
}

struct Reader<'a, T> {
    whole: &'a str,
    tools: &'a [T],
}

impl<'a, T: AsRef<str>> Reader<'a, T> {
    fn calls(&self, rest: &str, calls: Vec<(String, String)>) -> Step {
        Step::Calls { end: self.whole.len() - rest.len(), calls }
    }

    fn is_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.as_ref() == name)
    }

    /// An object or a function between two tags.
    fn tagged(&self, open: &str, close: &str) -> Step {
        let inner = match next(self.whole, open) {
            Next::Is(rest) => rest.trim_start(),
            Next::Begins => return Step::NotYet,
            Next::IsNot => return Step::None,
        };
        if inner.is_empty() {
            return Step::NotYet;
        }
        let part = match self.function(inner) {
            Part::None => self.object(inner, Shape::Tagged),
            part => part,
        };
        part.then(|rest, calls| self.closed(rest, close, calls))
    }

    /// The same with what closes it.
    fn closed(&self, rest: &str, close: &str, calls: Vec<(String, String)>) -> Step {
        match next(rest.trim_start(), close) {
            Next::Is(rest) => self.calls(rest, calls),
            Next::Begins => Step::NotYet,
            Next::IsNot => Step::None,
        }
    }

    /// An object in a fence that says JSON, or nothing.
    fn fenced(&self) -> Step {
        let rest = match next(self.whole, "```") {
            Next::Is(rest) => rest,
            Next::Begins => return Step::NotYet,
            Next::IsNot => return Step::None,
        };
        let (language, inner) = match rest.split_once('\n') {
            Some((language, inner)) => (language.trim(), Some(inner.trim_start())),
            None => (rest, None),
        };
        match inner {
            None if ["json", "tool_call"].iter().any(|word| word.starts_with(language.trim())) => {
                Step::NotYet
            }
            Some("") if is_json_fence(language) => Step::NotYet,
            Some(inner) if is_json_fence(language) => {
                self.object(inner, Shape::Bare).then(|rest, calls| self.closed(rest, "```", calls))
            }
            _ => Step::None,
        }
    }

    /// `[TOOL_CALLS] [{…}, {…}]`
    fn listed(&self) -> Step {
        let rest = match next(self.whole, "[TOOL_CALLS]") {
            Next::Is(rest) => rest.trim_start(),
            Next::Begins => return Step::NotYet,
            Next::IsNot => return Step::None,
        };
        if rest.is_empty() {
            return Step::NotYet;
        }
        if !rest.starts_with('[') {
            return Step::None;
        }
        let Some(end) = Progress::default().feed(rest) else { return Step::NotYet };
        let items = raw::items(&rest[..end]).unwrap_or_default();
        let calls: Option<Vec<_>> = items.iter().map(|item| self.call(item, Shape::Tagged)).collect();
        match calls {
            Some(calls) if !calls.is_empty() => self.calls(&rest[end..], calls),
            _ => Step::None,
        }
    }

    /// `{"name": …, "arguments": {…}}`
    fn object(&self, text: &'a str, shape: Shape) -> Part<'a> {
        if !text.starts_with('{') {
            return Part::None;
        }
        let Some(end) = Progress::default().feed(text) else {
            return if self.may_be_call(text, shape) { Part::NotYet } else { Part::None };
        };
        match self.call(&text[..end], shape) {
            Some(call) => Part::Is(&text[end..], vec![call]),
            None => Part::None,
        }
    }

    /// Whether an object that is not whole may be a call: by its members, and by what it has of the next one.
    fn may_be_call(&self, text: &str, shape: Shape) -> bool {
        let members = raw::first_members(text);
        if !members.iter().all(|member| self.is_right(member, shape)) {
            return false;
        }
        let next = match members.last() {
            None => &text[1..],
            Some(last) => {
                // It is a part of this text.
                let end = last.value.as_ptr() as usize - text.as_ptr() as usize + last.value.len();
                match text[end..].trim_start() {
                    "" => return true,
                    rest => match rest.strip_prefix(',') {
                        Some(rest) => rest,
                        None => return false,
                    },
                }
            }
        };
        self.may_be_member(next.trim_start(), shape)
    }

    /// Whether a member that is not whole may be one of a call.
    fn may_be_member(&self, text: &str, shape: Shape) -> bool {
        let Some(key) = text.strip_prefix('"') else { return text.is_empty() };
        let Some((key, rest)) = key.split_once('"') else {
            return KEYS.iter().any(|word| word.starts_with(key));
        };
        let value = match rest.trim_start().strip_prefix(':') {
            Some(value) => value.trim_start(),
            None => return KEYS.contains(&key) && rest.trim_start().is_empty(),
        };
        let begins = |word: &str| word.starts_with(value) || value.starts_with(word);
        match key {
            "name" => {
                self.tools.iter().any(|tool| begins(&raw::quote(tool.as_ref()))) || value.contains('\\')
            }
            "arguments" | "parameters" => match value.strip_prefix('"') {
                // The text of an object.
                Some(text) => {
                    let text = text.trim_start_matches([' ', '\\', 'n', 'r', 't']);
                    text.is_empty() || text.starts_with('{')
                }
                None => begins("{"),
            },
            "type" => begins("\"function\""),
            "id" => shape == Shape::Tagged && begins("\""),
            _ => false,
        }
    }

    fn is_right(&self, member: &RawMember<'_>, shape: Shape) -> bool {
        match member.key.as_ref() {
            "name" => told::text(member.value).is_some_and(|name| self.is_tool(&name)),
            "arguments" | "parameters" => arguments_of(member.value).is_some(),
            "type" => member.value == r#""function""#,
            "id" => shape == Shape::Tagged,
            _ => false,
        }
    }

    fn call(&self, object: &str, shape: Shape) -> Option<(String, String)> {
        let members = raw::members(object).ok()?;
        if !members.iter().all(|member| self.is_right(member, shape)) {
            return None;
        }
        let find = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
        let name = told::text(find("name")?)?.into_owned();
        let arguments = match (find("arguments"), find("parameters")) {
            (Some(arguments), None) | (None, Some(arguments)) => arguments_of(arguments)?,
            (None, None) if shape == Shape::Tagged => "{}".to_owned(),
            _ => return None,
        };
        Some((name, arguments))
    }

    /// `<function=name><parameter=key>value</parameter></function>`
    fn function(&self, text: &'a str) -> Part<'a> {
        let rest = match next(text, "<function=") {
            Next::Is(rest) => rest,
            Next::Begins => return Part::NotYet,
            Next::IsNot => return Part::None,
        };
        let Some((name, mut rest)) = rest.split_once('>') else {
            let may_be = self.tools.iter().any(|tool| tool.as_ref().starts_with(rest));
            return if may_be { Part::NotYet } else { Part::None };
        };
        if !self.is_tool(name) {
            return Part::None;
        }
        let mut arguments = String::from("{");
        loop {
            rest = rest.trim_start();
            match next(rest, "</function>") {
                Next::Is(rest) => {
                    arguments.push('}');
                    return Part::Is(rest, vec![(name.to_owned(), arguments)]);
                }
                Next::Begins => return Part::NotYet,
                Next::IsNot => {}
            }
            let parameter = match next(rest, "<parameter=") {
                Next::Is(parameter) => parameter,
                Next::Begins => return Part::NotYet,
                Next::IsNot => return Part::None,
            };
            let Some((key, value)) = parameter.split_once('>') else {
                return if parameter.contains(['<', '\n']) { Part::None } else { Part::NotYet };
            };
            if key.contains(['<', '\n']) {
                return Part::None;
            }
            let Some((value, behind)) = parameter_value(value) else { return Part::NotYet };
            if arguments.len() > 1 {
                arguments.push(',');
            }
            raw::write_quoted(key.trim(), &mut arguments);
            arguments.push(':');
            // What type it has is known to the schema, not to the tag.
            raw::write_quoted(value, &mut arguments);
            rest = behind;
        }
    }
}

fn is_json_fence(language: &str) -> bool {
    ["", "json", "tool_call"].contains(&language)
}

/// A value up to the tag that closes it, and what is behind that. A tag that stands in the value itself closes
/// nothing: behind the right one comes another parameter or the end of the function.
fn parameter_value(text: &str) -> Option<(&str, &str)> {
    const CLOSE: &str = "</parameter>";
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(CLOSE)?;
        let behind = &text[at + CLOSE.len()..];
        let start = behind.trim_start();
        match (next(start, "<parameter="), next(start, "</function>")) {
            (Next::Is(_), _) | (_, Next::Is(_)) => {
                let value = text[..at].strip_prefix('\n').unwrap_or(&text[..at]);
                return Some((value.strip_suffix('\n').unwrap_or(value), behind));
            }
            (Next::Begins, _) | (_, Next::Begins) => return None,
            _ => from = at + CLOSE.len(),
        }
    }
}

/// Whether a text begins with a word. Where nothing is left, it may.
fn next<'a>(text: &'a str, word: &str) -> Next<'a> {
    match text.strip_prefix(word) {
        Some(rest) => Next::Is(rest),
        None if word.starts_with(text) => Next::Begins,
        None => Next::IsNot,
    }
}

/// The text of arguments: an object, or the text of one.
fn arguments_of(value: &str) -> Option<String> {
    let text = match told::text(value) {
        Some(text) => text.trim().to_owned(),
        None => value.to_owned(),
    };
    raw::members(&text).is_ok().then_some(text)
}
