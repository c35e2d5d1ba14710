//! What is wrong with a file, as it is shown: what, where with a caret, why, and what to write instead.

use std::fmt;
use std::path::PathBuf;

use toolwright_jsonrpc::raw::quote;

use crate::configuration::DEFAULT_TOOLBOX;
use crate::masked::Line;

/// How many characters of a line are shown.
const SHOWN_CHARS: usize = 120;

/// How many characters of a name are shown.
const SHOWN_NAME_CHARS: usize = 80;

/// One thing that is wrong with a file. Shown whole, it takes several lines; see [`Problem::line`] for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether something is left out because of it.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// The toolbox it is in.
    pub toolbox: Option<String>,
    /// The server it is about.
    pub server: Option<String>,
    /// What of the section `llm` it is about.
    pub llm: Option<LlmPart>,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The line, secrets hidden.
    pub excerpt: Excerpt,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub fix: String,
}

/// A part of the section `llm`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LlmPart {
    /// The upstream of this name.
    Upstream(String),
    /// Something else in it.
    Section,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The server, the toolbox or the file cannot be used.
    Error,
    /// It is used; something in it is not, or is probably not what was meant.
    Warning,
}

/// The part of a line around a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// The column in the text, counted from 1.
    pub caret: usize,
}

impl Problem {
    /// What it is about: a server, a toolbox, an upstream or the file.
    pub fn subject(&self) -> String {
        match &self.llm {
            Some(LlmPart::Upstream(name)) => return format!("upstream {}", shown(name)),
            Some(LlmPart::Section) => return "the section \"llm\"".to_owned(),
            None => {}
        }
        match (&self.toolbox, &self.server) {
            (None, None) => "the configuration".to_owned(),
            (Some(toolbox), None) => format!("toolbox {}", shown(toolbox)),
            (Some(toolbox), Some(server)) if toolbox != DEFAULT_TOOLBOX => {
                format!("server {} of toolbox {}", shown(server), shown(toolbox))
            }
            (_, Some(server)) => format!("server {}", shown(server)),
        }
    }

    /// The same in one line, for a log.
    pub fn line(&self) -> String {
        let Problem { file, line, column, message, fix, .. } = self;
        format!("{}:{line}:{column}: {}: {message}; {fix}", file.display(), self.subject())
    }

    /// What it means for the file, without the word for how bad it is.
    pub(crate) fn headline(&self) -> String {
        let subject = self.subject();
        let is_whole = self.toolbox.is_none() && self.llm.is_none();
        match (self.severity, is_whole) {
            (Severity::Error, _) if self.llm == Some(LlmPart::Section) => format!("in {subject}"),
            (Severity::Error, true) => format!("{subject} cannot be used"),
            (Severity::Error, false) => format!("{subject} is left out"),
            (Severity::Warning, _) => format!("in {subject}"),
        }
    }

    /// Where it is, with the line, a caret, why it is wrong and the fix: the lines below the headline, each with a line
    /// break before it.
    pub fn details(&self) -> String {
        let gutter = self.line.to_string().len();
        let Excerpt { text, caret } = &self.excerpt;
        format!(
            "\n{:gutter$}--> {}:{}:{}\n{} | {text}\n{:gutter$} | {:>caret$} {}\n{:gutter$} = fix: {}",
            "",
            self.file.display(),
            self.line,
            self.column,
            self.line,
            "",
            "^",
            self.message,
            "",
            self.fix,
        )
    }
}

/// A name in quotes, and not too long.
fn shown(name: &str) -> String {
    match name.char_indices().nth(SHOWN_NAME_CHARS) {
        Some((end, _)) => quote(&format!("{}…", &name[..end])),
        None => quote(name),
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}{}", self.headline(), self.details())
    }
}

impl Excerpt {
    /// The whole line, or as much of a long one as can be shown with the place in its middle.
    pub(crate) fn of(line: &Line<'_>, at: usize) -> Excerpt {
        let text = line.text;
        let at = text.floor_char_boundary(at.min(text.len()));
        let is_long = text.char_indices().nth(SHOWN_CHARS).is_some();
        let back = if is_long { SHOWN_CHARS / 2 - 1 } else { SHOWN_CHARS };
        let (before, start) = text[..at]
            .char_indices()
            .rev()
            .take(back)
            .fold((0, at), |(count, _), (start, _)| (count + 1, start));
        let end = text[start..].char_indices().nth(SHOWN_CHARS).map_or(text.len(), |(end, _)| start + end);
        // A tab would move the caret, and other control characters move more than that.
        let shown = line.masked(start..end).replace(char::is_control, " ");
        let (left, right) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
        Excerpt { text: format!("{left}{shown}{right}"), caret: before + 1 + left.chars().count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_its_place_in_lines_of_any_length() {
        for length in [1, 10, 119, 120, 121, 500] {
            for column in [1, 2, 60, 61, 119, 120, 121, 300, 499, 500] {
                if column <= length {
                    let line: String = (1..=length).map(|at| if at == column { 'ß' } else { '.' }).collect();
                    let excerpt = Excerpt::of(&Line::new(&line), column - 1);
                    assert_eq!(excerpt.text.chars().nth(excerpt.caret - 1), Some('ß'), "{length} {column}");
                    assert!(excerpt.text.chars().count() <= SHOWN_CHARS + 2);
                }
            }
        }
        assert_eq!(Excerpt::of(&Line::new("["), 1).caret, 2);
        assert_eq!(Excerpt::of(&Line::new("["), 5).caret, 2);
        assert_eq!(Excerpt::of(&Line::new("\t\u{1b}x"), 2).text, "  x");
    }

    #[test]
    fn a_secret_that_is_shown_in_part_is_hidden_in_part() {
        let line = format!(r#"{{"API_KEY": "{}", "x": 1}}"#, "k".repeat(500));
        for at in [0, 13, 100, 300, 512, 520] {
            assert!(!Excerpt::of(&Line::new(&line), at).text.contains('k'), "{at}");
        }
    }
}
