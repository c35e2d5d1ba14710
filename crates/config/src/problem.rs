//! What is wrong with a file, as it is shown: what, where with a caret, why, and what to write instead.

use std::fmt;
use std::path::PathBuf;

use crate::configuration::DEFAULT_TOOLBOX;

/// How many characters of a line are shown.
const SHOWN_CHARS: usize = 120;

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
    /// What it is about: a server, a toolbox or the file.
    pub fn subject(&self) -> String {
        match (&self.toolbox, &self.server) {
            (None, None) => "the configuration".to_owned(),
            (Some(toolbox), None) => format!("toolbox \"{toolbox}\""),
            (Some(toolbox), Some(server)) if toolbox != DEFAULT_TOOLBOX => {
                format!("server \"{server}\" of toolbox \"{toolbox}\"")
            }
            (_, Some(server)) => format!("server \"{server}\""),
        }
    }

    /// The same in one line, for a log.
    pub fn line(&self) -> String {
        let Problem { file, line, column, message, fix, .. } = self;
        format!("{}:{line}:{column}: {}: {message}; {fix}", file.display(), self.subject())
    }

    fn headline(&self) -> String {
        let subject = self.subject();
        match (self.severity, self.toolbox.is_none()) {
            (Severity::Error, true) => format!("error: {subject} cannot be used"),
            (Severity::Error, false) => format!("error: {subject} is left out"),
            (Severity::Warning, _) => {
                format!("warning: {subject} has something that is not used as it stands")
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.line.to_string().len();
        let Excerpt { text, caret } = &self.excerpt;
        write!(f, "{}", self.headline())?;
        write!(f, "\n{:gutter$}--> {}:{}:{}", "", self.file.display(), self.line, self.column)?;
        write!(f, "\n{} | {text}", self.line)?;
        write!(f, "\n{:gutter$} | {:>caret$} {}", "", "^", self.message)?;
        write!(f, "\n{:gutter$} = fix: {}", "", self.fix)
    }
}

impl Excerpt {
    /// The whole line, or as much of a long one as can be shown with the column in its middle.
    pub(crate) fn of(line: &str, column: usize) -> Excerpt {
        let is_long = line.char_indices().nth(SHOWN_CHARS).is_some();
        let first = if is_long { column.saturating_sub(SHOWN_CHARS / 2).max(1) } else { 1 };
        let mut rest = line.chars().skip(first - 1);
        // A tab would move the caret, and other control characters move more than that.
        let shown = rest.by_ref().take(SHOWN_CHARS).map(|char| if char.is_control() { ' ' } else { char });
        let shown: String = shown.collect();
        let before = if first > 1 { "…" } else { "" };
        let after = if rest.next().is_some() { "…" } else { "" };
        Excerpt {
            text: format!("{before}{shown}{after}"),
            caret: column - first + 1 + before.chars().count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_its_column_in_lines_of_any_length() {
        for length in [1, 10, 119, 120, 121, 500] {
            for column in [1, 2, 60, 61, 119, 120, 121, 300, 499, 500] {
                if column <= length {
                    let line: String = (1..=length).map(|at| if at == column { 'ß' } else { '.' }).collect();
                    let excerpt = Excerpt::of(&line, column);
                    assert_eq!(excerpt.text.chars().nth(excerpt.caret - 1), Some('ß'), "{length} {column}");
                    assert!(excerpt.text.chars().count() <= SHOWN_CHARS + 2);
                }
            }
        }
        assert_eq!(Excerpt::of("[", 2).caret, 2);
        assert_eq!(Excerpt::of("\t\u{1b}x", 3).text, "  x");
    }
}
