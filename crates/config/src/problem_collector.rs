//! Collection of problems in a file: stored with their offsets, returned in the order of the file.

use std::path::Path;

use toolwright_jsonrpc::raw::Node;

use crate::problem::LlmPart;
use crate::secret_masking::{MaskableLine, mask};
use crate::{Excerpt, Problem, Severity};

/// The most problems that are reported per file.
const MAX_PROBLEMS: usize = 200;

/// The most problems that are stored before they are sorted.
const MAX_STORED_PROBLEMS: usize = 10_000;

/// The longest message and the longest fix, in characters: they may contain keys of the file.
const MAX_MESSAGE_CHARS: usize = 400;

/// The problems found so far.
pub(crate) struct ProblemCollector<'t> {
    /// The text of the file.
    original: &'t str,
    /// The same text with blanked comments; all byte offsets are the same.
    text: &'t str,
    /// The toolbox that is being read.
    pub toolbox: Option<String>,
    /// The server that is being read.
    pub server: Option<String>,
    /// The part of the section `llm` that is being read.
    pub llm: Option<LlmPart>,
    found: Vec<CollectedProblem>,
    /// The number of problems that were not stored.
    dropped: usize,
    errors: usize,
}

struct CollectedProblem {
    severity: Severity,
    toolbox: Option<String>,
    server: Option<String>,
    llm: Option<LlmPart>,
    /// The byte offset in the text.
    offset: usize,
    message: String,
    fix: String,
}

impl<'t> ProblemCollector<'t> {
    pub fn new(original: &'t str, text: &'t str) -> Self {
        ProblemCollector {
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

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The number of problems.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// Adds an error at a value.
    pub fn error(&mut self, node: &Node<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Error, self.offset_of_node(node), message.into(), fix.into());
    }

    /// Adds a warning at a value.
    pub fn warning(&mut self, node: &Node<'_>, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Warning, self.offset_of_node(node), message.into(), fix.into());
    }

    /// Adds an error at a key.
    pub fn error_at_key(&mut self, key: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Error, self.offset_of_key(key), message.into(), fix.into());
    }

    /// Adds a warning at a key.
    pub fn warning_at_key(&mut self, key: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Warning, self.offset_of_key(key), message.into(), fix.into());
    }

    /// The byte offset of a value.
    pub fn offset_of_node(&self, node: &Node<'_>) -> usize {
        node.source().map_or(0, |source| self.offset_of(source))
    }

    /// The byte offset of a key, including its quote.
    pub fn offset_of_key(&self, raw_key: &str) -> usize {
        self.offset_of(raw_key).saturating_sub(1)
    }

    /// The byte offset of a part of the file; 0 for a text outside the file.
    fn offset_of(&self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset <= self.text.len() { offset } else { 0 }
    }

    pub fn add(&mut self, severity: Severity, offset: usize, message: String, fix: String) {
        self.errors += usize::from(severity == Severity::Error);
        if self.found.len() == MAX_STORED_PROBLEMS {
            self.dropped += 1;
            return;
        }
        let (toolbox, server, llm) = (self.toolbox.clone(), self.server.clone(), self.llm.clone());
        self.found.push(CollectedProblem { severity, toolbox, server, llm, offset, message, fix });
    }

    /// Turns all errors since there were `count` problems into warnings.
    pub fn downgrade_since(&mut self, count: usize) {
        for problem in &mut self.found[count..] {
            self.errors -= usize::from(problem.severity == Severity::Error);
            problem.severity = Severity::Warning;
        }
    }

    /// All problems in the order of the file. Lines and columns are counted in one pass.
    pub fn into_problems(mut self, file: &Path) -> Vec<Problem> {
        self.found.sort_by_key(|problem| problem.offset);
        let more = self.found.len().saturating_sub(MAX_PROBLEMS) + self.dropped;
        self.found.truncate(MAX_PROBLEMS);
        if let Some(last) = self.found.last_mut().filter(|_| more > 0) {
            last.fix = format!("{}; fix these first, {more} more are not shown", last.fix);
        }
        let (mut line, mut column, mut start) = (1, 1, 0);
        let mut chars = self.original.char_indices().peekable();
        let mut problems = Vec::with_capacity(self.found.len());
        // The line of the last problem, by its start.
        let mut seen: Option<(usize, MaskableLine<'_>)> = None;
        for problem in self.found {
            while let Some((at, char)) = chars.next_if(|(at, _)| *at < problem.offset) {
                (line, column) = if char == '\n' { (line + 1, 1) } else { (line, column + 1) };
                start = if char == '\n' { at + 1 } else { start };
            }
            let masked_line = match seen.take().filter(|(at, _)| *at == start) {
                Some((_, masked_line)) => masked_line,
                None => MaskableLine::new(self.original[start..].lines().next().unwrap_or_default()),
            };
            problems.push(Problem {
                severity: problem.severity,
                file: file.to_owned(),
                toolbox: problem.toolbox,
                server: problem.server,
                llm: problem.llm,
                line,
                column,
                excerpt: Excerpt::of(&masked_line, problem.offset.saturating_sub(start)),
                message: mask(&cut(problem.message)),
                fix: mask(&cut(problem.fix)),
            });
            seen = Some((start, masked_line));
        }
        problems
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_MESSAGE_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}
