//! Problems of a configuration file and their display: what, where with a caret, why, and the fix.

use std::fmt;
use std::path::PathBuf;

use toolwright_jsonrpc::raw::quote;

use crate::configuration::DEFAULT_TOOLBOX;
use crate::secret_masking::MaskableLine;

/// The most characters of a line that are shown.
const SHOWN_CHARS: usize = 120;

/// The most characters of a name that are shown.
const SHOWN_NAME_CHARS: usize = 80;

/// A problem in a file. Its `Display` takes several lines; see [`Problem::line`] for one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether a part of the file is left out because of it.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// The toolbox that it is in.
    pub toolbox: Option<String>,
    /// The server that it concerns.
    pub server: Option<String>,
    /// The part of the section `llm` that it concerns.
    pub llm: Option<LlmPart>,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The line with masked secrets.
    pub excerpt: Excerpt,
    /// The description.
    pub message: String,
    /// The fix.
    pub fix: String,
}

/// A part of the section `llm`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LlmPart {
    /// The upstream of this name.
    Upstream(String),
    /// Another part.
    Section,
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The server, the toolbox or the file cannot be used.
    Error,
    /// It is used; a part of it is ignored, or is probably not intended.
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
    /// The subject: a server, a toolbox, an upstream or the file.
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

    /// The problem in one line, for a log.
    pub fn line(&self) -> String {
        let Problem { file, line, column, message, fix, .. } = self;
        format!("{}:{line}:{column}: {}: {message}; {fix}", file.display(), self.subject())
    }

    /// The consequence for the file, without the severity.
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

    /// The position, the line with a caret, the description and the fix: the lines below the headline, each with a
    /// leading line break.
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

/// A name in quotes, truncated if it is long.
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
    /// The whole line, or the part of a long line around the byte offset.
    pub(crate) fn of(line: &MaskableLine<'_>, at: usize) -> Excerpt {
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
        // A tab would move the caret, and other control characters could do more.
        let shown = line.mask(start..end).replace(char::is_control, " ");
        let (left, right) = (if start > 0 { "…" } else { "" }, if end < text.len() { "…" } else { "" });
        Excerpt { text: format!("{left}{shown}{right}"), caret: before + 1 + left.chars().count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_is_under_its_column_in_lines_of_any_length() {
        for length in [1, 10, 119, 120, 121, 500] {
            for column in [1, 2, 60, 61, 119, 120, 121, 300, 499, 500] {
                if column <= length {
                    let line: String = (1..=length).map(|at| if at == column { 'ß' } else { '.' }).collect();
                    let excerpt = Excerpt::of(&MaskableLine::new(&line), column - 1);
                    assert_eq!(excerpt.text.chars().nth(excerpt.caret - 1), Some('ß'), "{length} {column}");
                    assert!(excerpt.text.chars().count() <= SHOWN_CHARS + 2);
                }
            }
        }
        assert_eq!(Excerpt::of(&MaskableLine::new("["), 1).caret, 2);
        assert_eq!(Excerpt::of(&MaskableLine::new("["), 5).caret, 2);
        assert_eq!(Excerpt::of(&MaskableLine::new("\t\u{1b}x"), 2).text, "  x");
    }

    #[test]
    fn partly_shown_secret_is_masked() {
        let line = format!(r#"{{"API_KEY": "{}", "x": 1}}"#, "k".repeat(500));
        for at in [0, 13, 100, 300, 512, 520] {
            assert!(!Excerpt::of(&MaskableLine::new(&line), at).text.contains('k'), "{at}");
        }
    }
}
