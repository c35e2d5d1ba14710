//! One page: its blocks in order, at one desk.

use super::block::{self, Kind};
use super::compare::{fits, without_times};
use super::desk::Desk;
use super::json;
use super::markdown::{self, Block};
use super::root;

pub struct Page {
    /// From the top folder.
    pub name: String,
    text: String,
    blocks: Vec<Block>,
}

impl Page {
    /// Reads a page of the project.
    pub fn read(name: &str) -> Page {
        let text = std::fs::read_to_string(root().join(name)).expect("the page");
        Page::of(name, &text)
    }

    /// A page with this text.
    pub fn of(name: &str, text: &str) -> Page {
        let blocks = markdown::blocks(text);
        let blocks = blocks.unwrap_or_else(|line| panic!("{name}:{line}: a block that is never closed"));
        Page { name: name.to_owned(), text: text.to_owned(), blocks }
    }

    /// Every block with what it is.
    pub fn blocks(&self) -> impl Iterator<Item = (&Block, Result<Kind, String>)> {
        self.blocks.iter().enumerate().map(|(index, block)| {
            let before = index.checked_sub(1).map(|index| &self.blocks[index]);
            let is_behind = before.is_some_and(|before| {
                let between = self.text.lines().take(block.line - 1).skip(before.end - 1);
                before.language == "sh"
                    && before.value("no_run").is_none()
                    && between.map(str::trim).all(str::is_empty)
            });
            (block, block::kind(&self.name, block, is_behind))
        })
    }

    /// What is not true on it, block by block.
    pub fn run(&self) -> Vec<String> {
        self.run_at(&mut Desk::new(&self.name))
    }

    /// The same at a desk that stays.
    pub fn run_at(&self, desk: &mut Desk) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut printed = String::new();
        for (block, kind) in self.blocks() {
            let done = kind.and_then(|kind| run(&kind, block, desk, &mut printed));
            wrong.extend(done.err().map(|what| format!("{}:{}: {what}", self.name, block.line)));
        }
        wrong
    }
}

fn run(kind: &Kind, block: &Block, desk: &mut Desk, printed: &mut String) -> Result<(), String> {
    match kind {
        Kind::Run => {
            let done = desk.run(&format!("set -e\n{}", block.text));
            *printed = done.printed;
            let wanted = block.value("exit").map_or(Ok(0), str::parse).map_err(|_| "exit= is a number")?;
            match done.code == wanted {
                true => Ok(()),
                false => Err(format!("exit code {} instead of {wanted}, after\n{printed}", done.code)),
            }
        }
        Kind::Session => steps(&block.text).into_iter().try_for_each(|(command, expected)| {
            let done = desk.run(&command);
            same(&expected, &done.printed).map_err(|what| format!("$ {command}\n{what}"))
        }),
        Kind::Shown => same(&block.text, printed),
        Kind::Config => json::config(&block.text),
        Kind::Problems => {
            let (text, expected) =
                block.text.split_once("---\n").ok_or("what is said of it stands behind ---")?;
            same(expected, &json::problems(text))
        }
        Kind::Json(kind) => json::mistakes(*kind, &block.text),
        Kind::Elsewhere | Kind::NotRun(_) => Ok(()),
    }
}

fn same(expected: &str, printed: &str) -> Result<(), String> {
    match fits(&without_times(expected), printed) {
        true => Ok(()),
        false => Err(format!("prints something else\n--- the page\n{expected}--- the program\n{printed}---")),
    }
}

/// The commands of a session, each with what it prints. A line that ends with `\` goes on in the next.
fn steps(session: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in session.lines() {
        let goes_on =
            steps.last().is_some_and(|(command, printed)| command.ends_with('\\') && printed.is_empty());
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (None, Some((command, _))) if goes_on => command.extend(["\n", line]),
            (None, Some((_, printed))) => printed.extend([line, "\n"]),
            (command, _) => steps.push((command.unwrap_or(line).to_owned(), String::new())),
        }
    }
    steps
}
