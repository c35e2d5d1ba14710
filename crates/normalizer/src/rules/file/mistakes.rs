//! Mistakes in a rules file: collected with their positions, reported in the order of the file.

use toolwright_jsonrpc::raw::Node;

use super::RuleFileError;

/// The mistakes found so far.
pub(super) struct RuleMistakes<'t> {
    text: &'t str,
    found: Vec<RuleMistake>,
}

struct RuleMistake {
    /// Byte offset in the text.
    offset: usize,
    message: String,
    fix: String,
}

impl<'t> RuleMistakes<'t> {
    pub fn new(text: &'t str) -> Self {
        RuleMistakes { text, found: Vec::new() }
    }

    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// A mistake at a value.
    pub fn at(&mut self, node: &Node<'_>, message: impl Into<String>, fix: impl Into<String>) {
        let offset = node.source().map_or(0, |source| self.offset_of(source));
        self.at_offset(offset, message, fix);
    }

    /// A mistake at a key or text between quotes.
    pub fn at_quoted(&mut self, part: &str, message: impl Into<String>, fix: impl Into<String>) {
        self.at_offset(self.offset_of(part).saturating_sub(1), message, fix);
    }

    pub fn at_offset(&mut self, offset: usize, message: impl Into<String>, fix: impl Into<String>) {
        self.found.push(RuleMistake { offset, message: message.into(), fix: fix.into() });
    }

    /// Offset of a part of the file; 0 for a text that is not part of it.
    fn offset_of(&self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        if offset <= self.text.len() { offset } else { 0 }
    }

    /// All mistakes in the order of the file, with lines and columns; one pass over the text.
    pub fn into_errors(mut self) -> Vec<RuleFileError> {
        self.found.sort_by_key(|mistake| mistake.offset);
        let (mut line, mut column, mut chars) = (1, 1, self.text.char_indices().peekable());
        let mut errors = Vec::with_capacity(self.found.len());
        for mistake in self.found {
            while let Some((_, char)) = chars.next_if(|(at, _)| *at < mistake.offset) {
                (line, column) = if char == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            errors.push(RuleFileError { line, column, message: mistake.message, fix: mistake.fix });
        }
        errors
    }
}
