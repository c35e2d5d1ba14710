//! A client's configuration file, edited in place: all other bytes stay unchanged.
//!
//! Every edit is verified: the new text is parsed and must equal the old content plus the change. If it does not, the
//! text stays unchanged.

mod json;
mod toml;
mod yaml;

use std::path::Path;

use toolwright_redact::{holds_secret, is_secret_key};

use super::data::{Data, Node, Step, Value, wrapped};
use crate::problem_collector::ProblemCollector;
use crate::{Problem, Severity};

/// The file formats of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON with comments and trailing commas; both are preserved.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// A parsed file.
#[derive(Clone, Debug)]
pub struct Document {
    format: Format,
    /// The text without its byte order mark.
    text: String,
    has_mark: bool,
    root: Value,
}

/// The reason why a text cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A value of another kind is at the path of the servers.
    #[error("\"{at}\" is {is}, where servers belong")]
    WrongKind {
        /// The key.
        at: String,
        /// The kind of its value.
        is: &'static str,
    },
    /// The syntax cannot be edited without changing other parts.
    #[error("its syntax cannot be edited without changing other parts of the file")]
    NotPlain,
}

/// A text edit: the byte range is replaced by the text.
pub(super) struct TextEdit {
    pub at: std::ops::Range<usize>,
    pub with: String,
}

impl TextEdit {
    pub fn insert(at: usize, with: impl Into<String>) -> TextEdit {
        TextEdit { at: at..at, with: with.into() }
    }

    pub fn cut(at: std::ops::Range<usize>) -> TextEdit {
        TextEdit { at, with: String::new() }
    }
}

impl Format {
    /// The format that a file extension stands for.
    pub fn of(file: &Path) -> Format {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Format::Toml,
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::Json,
        }
    }
}

impl Document {
    /// Parses a text. The error has a position.
    pub fn parse(text: &str, format: Format, file: &Path) -> Result<Document, Box<Problem>> {
        let plain = text.strip_prefix('\u{feff}');
        let has_mark = plain.is_some();
        let text = plain.unwrap_or(text).to_owned();
        let root = read(&text, format).map_err(|wrong| {
            let mut problem = wrong.problem(&text, file);
            if format != Format::Json {
                mask_value(&mut problem.excerpt.text);
            }
            Box::new(problem)
        })?;
        Ok(Document { format, text, has_mark, root })
    }

    /// The content.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The current text.
    pub fn to_text(&self) -> String {
        format!("{}{}", if self.has_mark { "\u{feff}" } else { "" }, self.text)
    }

    /// Creates a problem at a byte offset.
    pub fn problem(&self, file: &Path, offset: usize, message: &str, fix: &str) -> Problem {
        let wrong = SyntaxProblem { offset, message: message.to_owned(), fix: fix.to_owned() };
        wrong.problem(&self.text, file)
    }

    /// Sets the value at a path and creates missing parents.
    pub fn set(&mut self, path: &[Step], data: &Data) -> Result<(), EditError> {
        if self.root.at(path).is_some_and(|there| there.data() == *data) {
            return Ok(());
        }
        let mut expected = self.root.data();
        expected.set(path, data.clone());
        let (place, rest) = self.deepest(path)?;
        // A new item may be appended or prepended to its list.
        let before = &path[..path.len() - rest.len()];
        let mut accepted = vec![expected];
        if let Some(Step::Item(_)) = rest.first() {
            let mut first = accepted[0].clone();
            first.make_last_first(before);
            accepted.push(first);
        }
        let edits = match rest.split_first() {
            Some((step, further)) => {
                let value = wrapped(further, data.clone());
                match self.format {
                    Format::Json => json::insert(&self.text, &self.root, place, step, &value),
                    Format::Toml => toml::insert(&self.text, &self.root, path, rest, data),
                    Format::Yaml => yaml::insert(&self.text, &self.root, path, rest, &value),
                }
            }
            None => match self.format {
                Format::Json => json::replace(&self.text, &self.root, place, data),
                Format::Toml => toml::replace(&self.text, &self.root, path, data),
                Format::Yaml => yaml::replace(&self.text, &self.root, path, data),
            },
        };
        self.apply(edits, &accepted)
    }

    /// Removes the value at a path.
    pub fn remove(&mut self, path: &[Step]) -> Result<(), EditError> {
        if self.root.at(path).is_none() {
            return Ok(());
        }
        let mut expected = self.root.data();
        expected.remove(path);
        let edits = match self.format {
            Format::Json => json::remove(&self.text, &self.root, path),
            Format::Toml => toml::remove(&self.text, &self.root, path),
            Format::Yaml => yaml::remove(&self.text, &self.root, path),
        };
        // A TOML table without a header of its own disappears with its last member.
        let mut accepted = vec![expected];
        if self.format == Format::Toml {
            let mut pruned = accepted[0].clone();
            for length in (1..path.len()).rev() {
                if pruned.at(&path[..length]).is_some_and(Data::is_empty) {
                    pruned.remove(&path[..length]);
                    accepted.push(pruned.clone());
                }
            }
        }
        self.apply(edits, &accepted)
    }

    /// The deepest existing value on a path, and the missing rest of the path.
    fn deepest<'p>(&self, path: &'p [Step]) -> Result<(&Value, &'p [Step]), EditError> {
        let mut value = &self.root;
        for (at, step) in path.iter().enumerate() {
            let fits = matches!(
                (&value.node, step),
                (Node::Null, _) | (Node::Map(_), Step::Key(_)) | (Node::List(_), Step::Item(_))
            );
            if !fits {
                let name = at.checked_sub(1).map_or("the file", |before| path[before].name());
                return Err(EditError::WrongKind { at: name.to_owned(), is: value.a_kind() });
            }
            match value.step(step) {
                Some(next) => value = next,
                None => return Ok((value, &path[at..])),
            }
        }
        Ok((value, &[]))
    }

    fn apply(&mut self, edits: Option<Vec<TextEdit>>, accepted: &[Data]) -> Result<(), EditError> {
        let mut edits = edits.ok_or(EditError::NotPlain)?;
        // The sort is stable: of two insertions at one position, the first comes first in the text.
        edits.sort_by_key(|edit| edit.at.start);
        let mut text = String::with_capacity(self.text.len() + 256);
        let mut from = 0;
        for edit in edits {
            let kept = self.text.get(from..edit.at.start).ok_or(EditError::NotPlain)?;
            text.push_str(kept);
            text.push_str(&edit.with);
            from = edit.at.end;
        }
        text.push_str(self.text.get(from..).ok_or(EditError::NotPlain)?);
        let root = read(&text, self.format).map_err(|_| EditError::NotPlain)?;
        if !accepted.contains(&root.data()) {
            return Err(EditError::NotPlain);
        }
        (self.text, self.root) = (text, root);
        Ok(())
    }
}

/// A syntax error.
pub(super) struct SyntaxProblem {
    pub offset: usize,
    pub message: String,
    pub fix: String,
}

impl SyntaxProblem {
    fn problem(self, text: &str, file: &Path) -> Problem {
        let mut collector = ProblemCollector::new(text, text);
        let offset = text.floor_char_boundary(self.offset.min(text.len()));
        collector.add(Severity::Error, offset, self.message, self.fix);
        collector.into_problems(file).swap_remove(0)
    }
}

/// Hides the value in a line whose key suggests a secret. Unlike in JSON, quotes do not mark its bounds.
fn mask_value(line: &mut String) {
    let Some(at) = line.find([':', '=']) else { return };
    let key = line[..at].trim_matches(|c: char| c.is_whitespace() || "-'\"".contains(c));
    let value = &line[at + 1..];
    if is_secret_key(key) || holds_secret(value) {
        let hidden: String = value.chars().map(|c| if c.is_whitespace() { c } else { '*' }).collect();
        line.replace_range(at + 1.., &hidden);
    }
}

fn read(text: &str, format: Format) -> Result<Value, SyntaxProblem> {
    match format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

/// The line break style of a text.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The start of the line of a byte offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// The end of the line of a byte offset, before its line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// The start of the next line.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

/// The indentation of the line of a byte offset.
pub(super) fn indent_of(text: &str, at: usize) -> &str {
    let start = line_start(text, at);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only blanks precede a byte offset in its line.
pub(super) fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].chars().all(|char| char == ' ' || char == '\t')
}
