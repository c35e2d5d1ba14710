//! Errors for people: what, where with a caret, why, and the next step.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use toolwright_executor::printable;

/// Exit code: a file or stream failed.
pub const EXIT_IO: u8 = 3;
/// Exit code: the command was used wrongly, or a file it was given is wrong.
pub const EXIT_USAGE: u8 = 2;
/// Exit codes: Ctrl-C or SIGTERM ended the command, as shells count it.
pub const EXIT_INTERRUPTED: u8 = 130;
#[cfg(unix)]
pub const EXIT_TERMINATED: u8 = 143;
/// Exit code: the command ran and found something.
pub const EXIT_FOUND: u8 = 1;

/// How many characters of a line are shown.
const SHOWN_CHARS: usize = 120;
/// How many mistakes of a file are shown.
const SHOWN_MISTAKES: usize = 50;

/// An error as it is shown.
#[derive(Debug)]
pub struct Report {
    what: String,
    /// Places in a text.
    places: Vec<Place>,
    fix: Option<String>,
    code: u8,
    /// What programs know it by, where there is a word for it.
    kind: Option<&'static str>,
}

#[derive(Debug)]
struct Place {
    name: String,
    line: usize,
    column: usize,
    source: Excerpt,
    why: String,
    fix: String,
}

/// The part of a line around a column.
#[derive(Debug)]
struct Excerpt {
    text: String,
    /// The column in the text, counted from 1.
    caret: usize,
}

impl Report {
    pub fn usage(what: impl Into<String>, fix: impl Into<String>) -> Report {
        Report { what: what.into(), places: Vec::new(), fix: Some(fix.into()), code: EXIT_USAGE, kind: None }
    }

    /// The command ran, and what it found is nothing to go on with.
    pub fn found(what: impl Into<String>, fix: impl Into<String>) -> Report {
        Report { code: EXIT_FOUND, ..Report::usage(what, fix) }
    }

    /// What is wrong and what to do, without places.
    pub fn in_one_line(&self) -> String {
        match &self.fix {
            Some(fix) => format!("{}; {fix}", self.what),
            None => self.what.clone(),
        }
    }

    pub fn io(action: &str, path: &Path, error: &std::io::Error) -> Report {
        let fix = match error.kind() {
            std::io::ErrorKind::NotFound => "check the path".to_owned(),
            std::io::ErrorKind::PermissionDenied => "check who may read the file".to_owned(),
            _ => "check the file and try again".to_owned(),
        };
        Report {
            what: format!("cannot {action} {}: {error}", path.display()),
            places: Vec::new(),
            fix: Some(fix),
            code: EXIT_IO,
            kind: None,
        }
    }

    /// The system does not give the program what it needs to run.
    pub fn cannot_start(error: &std::io::Error) -> Report {
        let fix = "raise the limit of open files (ulimit -n), or close other programs";
        Report { code: EXIT_IO, ..Report::usage(format!("cannot start: {error}"), fix) }
    }

    /// A configuration that cannot be used at all.
    pub fn configuration(error: &toolwright_config::ConfigError) -> Report {
        let fix = match error {
            // The report of a mistake in the file has its fix under the line.
            toolwright_config::ConfigError::Wrong(_) => None,
            error => Some(error.fix()),
        };
        Report { what: error.what(), places: Vec::new(), fix, code: EXIT_USAGE, kind: None }
    }

    /// A client's file that cannot be read.
    pub fn client_file(problem: &toolwright_config::Problem) -> Report {
        let what =
            format!("{} cannot be read, and is left alone{}", problem.file.display(), problem.details());
        Report { what, places: Vec::new(), fix: None, code: EXIT_USAGE, kind: None }
    }

    /// Mistakes in a rules file.
    pub fn rules(path: &Path, text: &str, errors: &[toolwright_normalizer::rules::RuleFileError]) -> Report {
        let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).lines().collect();
        let place = |error: &toolwright_normalizer::rules::RuleFileError| Place {
            name: path.display().to_string(),
            line: error.line,
            column: error.column,
            source: Excerpt::of(lines.get(error.line - 1).unwrap_or(&""), error.column),
            why: error.message.clone(),
            fix: error.fix.clone(),
        };
        let count = errors.len();
        let more = count.saturating_sub(SHOWN_MISTAKES);
        Report {
            what: format!("{count} mistake{} in the rules file", if count == 1 { "" } else { "s" }),
            places: errors.iter().take(SHOWN_MISTAKES).map(place).collect(),
            fix: (more > 0).then(|| format!("mend these first; {more} more are not shown")),
            code: EXIT_USAGE,
            kind: None,
        }
    }

    /// The same, under a word that programs know it by.
    pub fn called(self, kind: &'static str) -> Report {
        Report { kind: Some(kind), ..self }
    }

    /// The word that programs know it by.
    pub fn kind(&self) -> &'static str {
        self.kind.unwrap_or(match self.code {
            EXIT_IO => "file",
            EXIT_FOUND => "found",
            _ => "usage",
        })
    }

    /// Where it is wrong and why, a line for each place.
    pub fn details(&self) -> String {
        let line = |place: &Place| format!("{}:{}:{}: {}", place.name, place.line, place.column, place.why);
        self.places.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The exit code that says it.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }

    /// What is wrong.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The next step.
    pub fn fix(&self) -> Option<&str> {
        self.fix.as_deref()
    }

    /// Prints to standard error and gives the exit code.
    pub fn print(&self) -> ExitCode {
        eprintln!("{}", printable(&self.to_string(), &['\n', '\t', '\\']));
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        for place in &self.places {
            let gutter = place.line.to_string().len();
            let Excerpt { text, caret } = &place.source;
            write!(f, "\n{:gutter$}--> {}:{}:{}", "", place.name, place.line, place.column)?;
            write!(f, "\n{} | {text}", place.line)?;
            write!(f, "\n{:gutter$} | {:>caret$} {}", "", "^", place.why)?;
            write!(f, "\n{:gutter$} = fix: {}", "", place.fix)?;
        }
        if let Some(fix) = &self.fix {
            write!(f, "\nfix: {fix}")?;
        }
        Ok(())
    }
}

impl Excerpt {
    /// The whole line, or as much of a long one as can be shown with the column in its middle.
    fn of(line: &str, column: usize) -> Excerpt {
        let first = if line.chars().nth(SHOWN_CHARS).is_some() {
            column.saturating_sub(SHOWN_CHARS / 2).max(1)
        } else {
            1
        };
        let mut rest = line.chars().skip(first - 1);
        // A tab would move the caret.
        let shown = rest.by_ref().take(SHOWN_CHARS).map(|char| if char == '\t' { ' ' } else { char });
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
    use super::Excerpt;

    fn marked(line: &str, column: usize) -> char {
        let excerpt = Excerpt::of(line, column);
        assert!(excerpt.text.chars().count() <= 122, "{}", excerpt.text);
        excerpt.text.chars().nth(excerpt.caret - 1).unwrap_or('∅')
    }

    #[test]
    fn the_caret_stands_under_its_column_in_lines_of_any_length() {
        for length in [0, 10, 119, 120, 121, 500, 5_000] {
            for column in [1, 2, 60, 61, 119, 120, 121, 300, 499, 500, 4_999, 5_000] {
                if column <= length {
                    let line: String = (1..=length).map(|at| if at == column { 'ß' } else { '.' }).collect();
                    assert_eq!(marked(&line, column), 'ß', "{length} {column}");
                }
            }
        }
    }

    #[test]
    fn a_column_after_the_end_of_the_line_has_its_caret_too() {
        assert_eq!(Excerpt::of("[", 2).caret, 2);
        assert_eq!(Excerpt::of("\t\tx", 3).text, "  x");
    }
}
