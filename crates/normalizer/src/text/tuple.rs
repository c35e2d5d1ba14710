//! Python's parentheses: a tuple is a list, and one string in parentheses is that string.
//!
//! # What it does
//! Parses `("x", "y")` and `("x",)` as lists, `("x")` as the string.
//!
//! # What it refuses
//! Anything else in parentheses, such as `(1 + 2)`; a call such as `path("x")` is not a value either.

use super::lenient::{Lenient, ParseResult};
use super::{Step, Unreadable};

impl Lenient<'_> {
    pub fn tuple(&mut self, depth: usize) -> ParseResult {
        self.advance('(');
        let start = self.out.len();
        self.out.push('[');
        let (mut items, mut commas) = (0, 0);
        loop {
            self.trivia()?;
            match self.peek() {
                Some(')') => break,
                Some(_) if items > commas => return Err(self.expression()),
                Some(_) => {}
                None => return Err(self.truncated()),
            }
            if items > 0 {
                self.out.push(',');
            }
            self.value(depth + 1)?;
            items += 1;
            self.trivia()?;
            if self.peek() == Some(',') {
                self.advance(',');
                commas += 1;
            }
        }
        let is_list = commas > 0 || items == 0;
        if !is_list {
            self.only_a_string(start)?;
        }
        self.advance(')');
        if is_list {
            self.out.push(']');
        }
        self.note(Step::Tuple);
        Ok(())
    }

    /// One value without a comma: not a list, and only a string is certainly not an expression.
    fn only_a_string(&mut self, start: usize) -> Result<(), Unreadable> {
        if self.out.as_bytes().get(start + 1) != Some(&b'"') {
            return Err(self.expression());
        }
        self.out.remove(start);
        Ok(())
    }
}
