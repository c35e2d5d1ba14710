//! Errors for people: what, where with a caret, why, and the next step.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

/// Exit code: a file or stream failed.
pub const EXIT_IO: u8 = 3;
/// Exit code: the command was used wrongly, or a file it was given is wrong.
pub const EXIT_USAGE: u8 = 2;
/// Exit code: the command ran and found something.
pub const EXIT_FOUND: u8 = 1;

/// An error as it is shown.
#[derive(Debug)]
pub struct Report {
    what: String,
    /// A place in a text: name, line, column, and the line itself.
    places: Vec<Place>,
    fix: Option<String>,
    code: u8,
}

#[derive(Debug)]
struct Place {
    name: String,
    line: usize,
    column: usize,
    source: String,
    why: String,
    fix: String,
}

impl Report {
    pub fn usage(what: impl Into<String>, fix: impl Into<String>) -> Report {
        Report { what: what.into(), places: Vec::new(), fix: Some(fix.into()), code: EXIT_USAGE }
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
        }
    }

    /// Mistakes in a rules file.
    pub fn rules(path: &Path, text: &str, errors: &[toolwright_normalizer::rules::RuleFileError]) -> Report {
        let place = |error: &toolwright_normalizer::rules::RuleFileError| Place {
            name: path.display().to_string(),
            line: error.line,
            column: error.column,
            source: text.lines().nth(error.line - 1).unwrap_or_default().to_owned(),
            why: error.message.clone(),
            fix: error.fix.clone(),
        };
        let count = errors.len();
        Report {
            what: format!("{count} mistake{} in the rules file", if count == 1 { "" } else { "s" }),
            places: errors.iter().map(place).collect(),
            fix: None,
            code: EXIT_USAGE,
        }
    }

    /// Prints to standard error and gives the exit code.
    pub fn print(&self) -> ExitCode {
        eprintln!("{self}");
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.what)?;
        for place in &self.places {
            let gutter = place.line.to_string().len();
            let source: String = place.source.chars().take(160).collect();
            write!(f, "\n{:gutter$}--> {}:{}:{}", "", place.name, place.line, place.column)?;
            write!(f, "\n{} | {source}", place.line)?;
            if place.column <= 160 {
                write!(f, "\n{:gutter$} | {:>width$} {}", "", "^", place.why, width = place.column)?;
            } else {
                write!(f, "\n{:gutter$} | {}", "", place.why)?;
            }
            write!(f, "\n{:gutter$} = fix: {}", "", place.fix)?;
        }
        if let Some(fix) = &self.fix {
            write!(f, "\nfix: {fix}")?;
        }
        Ok(())
    }
}
