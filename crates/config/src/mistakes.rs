//! Mistakes in a file: collected with their places, told in the order of the file.

use std::path::Path;

use toolwright_jsonrpc::raw::Node;

use crate::masked::{Line, masked};
use crate::problem::LlmPart;
use crate::{Excerpt, Problem, Severity};

/// How many problems of a file are told.
const MAX_PROBLEMS: usize = 200;

/// How many are kept until they are put in order.
const MAX_KEPT: usize = 10_000;

/// The longest message and the longest fix, in characters: they may hold keys of the file.
const MAX_SAID_CHARS: usize = 400;

/// The mistakes found so far.
pub(crate) struct Mistakes<'t> {
    /// The file as it was read.
    original: &'t str,
    /// The same without comments, every byte in its place.
    text: &'t str,
    /// What is being read.
    pub toolbox: Option<String>,
    /// What is being read in it.
    pub server: Option<String>,
    /// What of the section `llm` is being read.
    pub llm: Option<LlmPart>,
    found: Vec<Mistake>,
    /// How many more there were.
    dropped: usize,
    errors: usize,
}

struct Mistake {
    severity: Severity,
    toolbox: Option<String>,
    server: Option<String>,
    llm: Option<LlmPart>,
    /// Where in the text, in bytes.
    offset: usize,
    message: String,
    fix: String,
}

impl<'t> Mistakes<'t> {
    pub fn new(original: &'t str, text: &'t str) -> Self {
        Mistakes {
            original,
            text,
            toolbox: None,
            server: None,
            llm: None,
            found: Vec::new(),
            dropped: 0,
            errors: 0,
        }
    }

    /// How many of them leave something out.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// What leaves something out, at a value.
    pub fn error(&mut self, node: &Node<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Error, self.place_of(node), message.into(), fix.into());
    }

    /// What is told only, at a value.
    pub fn warning(&mut self, node: &Node<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Warning, self.place_of(node), message.into(), fix.into());
    }

    /// What leaves something out, at a key.
    pub fn error_at_key(&mut self, key: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Error, self.place_of_key(key), message.into(), fix.into());
    }

    /// What is told only, at a key.
    pub fn warning_at_key(&mut self, key: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Warning, self.place_of_key(key), message.into(), fix.into());
    }

    /// Where a value stands.
    pub fn place_of(&self, node: &Node<'_>) -> usize {
        node.source().map_or(0, |source| self.offset_of(source))
    }

    /// Where a key stands, its quote included.
    pub fn place_of_key(&self, raw_key: &str) -> usize {
        self.offset_of(raw_key).saturating_sub(1)
    }

    /// Where a part of the file stands in it; the beginning for a text of its own.
    fn offset_of(&self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset <= self.text.len() { offset } else { 0 }
    }

    pub fn add(&mut self, severity: Severity, offset: usize, message: String, fix: String) {
        self.errors += usize::from(severity == Severity::Error);
        if self.found.len() == MAX_KEPT {
            self.dropped += 1;
            return;
        }
        let (toolbox, server, llm) = (self.toolbox.clone(), self.server.clone(), self.llm.clone());
        self.found.push(Mistake { severity, toolbox, server, llm, offset, message, fix });
    }

    /// What was found since there were `count` is told, and leaves nothing out that would be used.
    pub fn soften_since(&mut self, count: usize) {
        for mistake in &mut self.found[count..] {
            self.errors -= usize::from(mistake.severity == Severity::Error);
            mistake.severity = Severity::Warning;
        }
    }

    /// All problems in the order of the file; one walk through the text.
    pub fn into_problems(mut self, file: &Path) -> Vec<Problem> {
        self.found.sort_by_key(|mistake| mistake.offset);
        let more = self.found.len().saturating_sub(MAX_PROBLEMS) + self.dropped;
        self.found.truncate(MAX_PROBLEMS);
        if let Some(last) = self.found.last_mut().filter(|_| more > 0) {
            last.fix = format!("{}; mend these first, {more} more are not told", last.fix);
        }
        let (mut line, mut column, mut start) = (1, 1, 0);
        let mut chars = self.original.char_indices().peekable();
        let mut problems = Vec::with_capacity(self.found.len());
        // The line of the last mistake, by its start.
        let mut seen: Option<(usize, Line<'_>)> = None;
        for mistake in self.found {
            while let Some((at, char)) = chars.next_if(|(at, _)| *at < mistake.offset) {
                (line, column) = if char == '\n' { (line + 1, 1) } else { (line, column + 1) };
                start = if char == '\n' { at + 1 } else { start };
            }
            let whole = match seen.take().filter(|(at, _)| *at == start) {
                Some((_, whole)) => whole,
                None => Line::new(self.original[start..].lines().next().unwrap_or_default()),
            };
            problems.push(Problem {
                severity: mistake.severity,
                file: file.to_owned(),
                toolbox: mistake.toolbox,
                server: mistake.server,
                llm: mistake.llm,
                line,
                column,
                excerpt: Excerpt::of(&whole, mistake.offset.saturating_sub(start)),
                message: masked(&cut(mistake.message)),
                fix: masked(&cut(mistake.fix)),
            });
            seen = Some((start, whole));
        }
        problems
    }
}

fn cut(mut said: String) -> String {
    if let Some((end, _)) = said.char_indices().nth(MAX_SAID_CHARS) {
        said.truncate(end);
        said.push('…');
    }
    said
}
