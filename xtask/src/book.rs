//! `cargo xtask book`: every link of the project's pages leads somewhere, and every word is one.
//!
//! What the examples of the pages do is tested by the programs that they call (`crates/toolwright/tests/book`).

mod limits;
mod links;
#[path = "../../tests/book/markdown.rs"]
mod markdown;
mod pages;
mod spelling;

use crate::step::{Failure, announce, note};
use crate::workspace::Workspace;
use pages::Pages;

/// A mistake of a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mistake {
    /// From the top folder.
    page: String,
    line: usize,
    what: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.page, self.line, self.what)
    }
}

/// What is done about generated pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// A page that is out of date is a mistake.
    Check,
    /// It is written.
    Write,
}

/// Checks all pages.
pub fn run(workspace: &Workspace, writing: Writing) -> Result<(), Failure> {
    let step = "book: limits";
    announce(step);
    let failed = |error: std::io::Error| Failure::new(step, error.to_string());
    let (path, page) = (workspace.root().join(limits::PAGE), limits::page(workspace.root()).map_err(failed)?);
    if writing == Writing::Write {
        std::fs::write(&path, &page).map_err(failed)?;
    } else if std::fs::read_to_string(&path).unwrap_or_default() != page {
        let what = format!("{} is out of date: run `cargo xtask book --write`", limits::PAGE);
        return Err(Failure::new(step, what));
    }
    let step = "book: links";
    announce(step);
    let pages = Pages::read(workspace.root()).map_err(|error| Failure::new(step, error.to_string()))?;
    judge(step, links::mistakes(&pages))?;
    note(&format!("{} links of {} pages lead somewhere", links::count(&pages), pages.all().len()));
    let step = "book: words";
    announce(step);
    if !spelling::is_possible() {
        note(
            "hunspell missing: THE WORDS OF THE BOOK ARE NOT CHECKED (Debian packages hunspell, hunspell-en-gb)",
        );
        return Ok(());
    }
    judge(step, spelling::mistakes(&pages).map_err(|error| Failure::new(step, error))?)
}

fn judge(step: &str, mut mistakes: Vec<Mistake>) -> Result<(), Failure> {
    mistakes.sort();
    match mistakes.is_empty() {
        true => Ok(()),
        false => {
            let lines: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
            Err(Failure::new(step, format!("{} mistakes\n    {}", lines.len(), lines.join("\n    "))))
        }
    }
}
