//! A client's file as a text that is changed in single places: everything else keeps its bytes.
//!
//! Every change is checked: the new text is read again and must say exactly what the old one said and the change. A
//! text for which that does not come out is left as it was.

mod json;
mod toml;
mod yaml;

use std::path::Path;

use toolwright_redact::{holds_secret, is_secret_key};

use super::data::{Data, Node, Step, Value, wrapped};
use crate::mistakes::Mistakes;
use crate::{Problem, Severity};

/// The formats of clients' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON; comments and trailing commas are read, and kept.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Document {
    format: Format,
    /// Without its byte order mark.
    text: String,
    has_mark: bool,
    root: Value,
}

/// Why a text is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// Something else stands where servers belong.
    #[error("\"{at}\" is {is}, where servers belong")]
    WrongKind {
        /// The key.
        at: String,
        /// What stands there.
        is: &'static str,
    },
    /// It is written in a way in which it cannot be changed without touching the rest.
    #[error("it is written in a way that cannot be changed without touching the rest of it")]
    NotPlain,
}

/// A change of a text: these bytes become that text.
pub(super) struct Splice {
    pub at: std::ops::Range<usize>,
    pub with: String,
}

impl Splice {
    pub fn insert(at: usize, with: impl Into<String>) -> Splice {
        Splice { at: at..at, with: with.into() }
    }

    pub fn cut(at: std::ops::Range<usize>) -> Splice {
        Splice { at, with: String::new() }
    }
}

impl Format {
    /// The format that the name of a file promises.
    pub fn of(file: &Path) -> Format {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Format::Toml,
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::Json,
        }
    }
}

impl Document {
    /// Reads a text; what is wrong with it is said with its place.
    pub fn parse(text: &str, format: Format, file: &Path) -> Result<Document, Box<Problem>> {
        let plain = text.strip_prefix('\u{feff}');
        let has_mark = plain.is_some();
        let text = plain.unwrap_or(text).to_owned();
        let root = read(&text, format).map_err(|wrong| {
            let mut problem = wrong.problem(&text, file);
            if format != Format::Json {
                hide_value(&mut problem.excerpt.text);
            }
            Box::new(problem)
        })?;
        Ok(Document { format, text, has_mark, root })
    }

    /// What it says.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The text, as it is now.
    pub fn to_text(&self) -> String {
        format!("{}{}", if self.has_mark { "\u{feff}" } else { "" }, self.text)
    }

    /// A mistake at a place of it.
    pub fn problem(&self, file: &Path, offset: usize, message: &str, fix: &str) -> Problem {
        let wrong = Wrong { offset, message: message.to_owned(), fix: fix.to_owned() };
        wrong.problem(&self.text, file)
    }

    /// Puts a value where a path leads. What is missing on the way is made.
    pub fn set(&mut self, path: &[Step], data: &Data) -> Result<(), EditError> {
        if self.root.at(path).is_some_and(|there| there.data() == *data) {
            return Ok(());
        }
        let mut expected = self.root.data();
        expected.set(path, data.clone());
        let (place, rest) = self.deepest(path)?;
        // A new item may be the last of its list or the first.
        let before = &path[..path.len() - rest.len()];
        let mut accepted = vec![expected];
        if let Some(Step::Item(_)) = rest.first() {
            let mut first = accepted[0].clone();
            first.make_last_first(before);
            accepted.push(first);
        }
        let splices = match rest.split_first() {
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
        self.apply(splices, &accepted)
    }

    /// Takes away what a path leads to.
    pub fn remove(&mut self, path: &[Step]) -> Result<(), EditError> {
        if self.root.at(path).is_none() {
            return Ok(());
        }
        let mut expected = self.root.data();
        expected.remove(path);
        let splices = match self.format {
            Format::Json => json::remove(&self.text, &self.root, path),
            Format::Toml => toml::remove(&self.text, &self.root, path),
            Format::Yaml => yaml::remove(&self.text, &self.root, path),
        };
        // A table of TOML that has no header of its own is gone with the last thing in it.
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
        self.apply(splices, &accepted)
    }

    /// How far a path leads, and what of it is missing.
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

    fn apply(&mut self, splices: Option<Vec<Splice>>, accepted: &[Data]) -> Result<(), EditError> {
        let mut splices = splices.ok_or(EditError::NotPlain)?;
        // Of two at one place the first comes first in the text.
        splices.sort_by_key(|splice| splice.at.start);
        let mut text = String::with_capacity(self.text.len() + 256);
        let mut from = 0;
        for splice in splices {
            let kept = self.text.get(from..splice.at.start).ok_or(EditError::NotPlain)?;
            text.push_str(kept);
            text.push_str(&splice.with);
            from = splice.at.end;
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

/// What is wrong with a text.
pub(super) struct Wrong {
    pub offset: usize,
    pub message: String,
    pub fix: String,
}

impl Wrong {
    fn problem(self, text: &str, file: &Path) -> Problem {
        let mut mistakes = Mistakes::new(text, text);
        let offset = text.floor_char_boundary(self.offset.min(text.len()));
        mistakes.add(Severity::Error, offset, self.message, self.fix);
        mistakes.into_problems(file).swap_remove(0)
    }
}

/// Hides what stands behind a key of a line that speaks of a secret: quotes do not tell where it is.
fn hide_value(line: &mut String) {
    let Some(at) = line.find([':', '=']) else { return };
    let key = line[..at].trim_matches(|c: char| c.is_whitespace() || "-'\"".contains(c));
    let value = &line[at + 1..];
    if is_secret_key(key) || holds_secret(value) {
        let hidden: String = value.chars().map(|c| if c.is_whitespace() { c } else { '*' }).collect();
        line.replace_range(at + 1.., &hidden);
    }
}

fn read(text: &str, format: Format) -> Result<Value, Wrong> {
    match format {
        Format::Json => json::read(text),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

/// The line break that a text uses.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the line begins that a place is in.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// Where the line ends that a place is in, before its break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// Behind the break of the line that a place is in.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |found| at + found + 1)
}

/// The blanks that the line begins with that a place is in.
pub(super) fn indent_of(text: &str, at: usize) -> &str {
    let start = line_start(text, at);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only blanks come before a place in its line.
pub(super) fn begins_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].chars().all(|char| char == ' ' || char == '\t')
}
