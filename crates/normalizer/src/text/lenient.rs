//! The lenient parser: one value in, strict JSON out, every leniency recorded.

use std::cell::OnceCell;

use bumpalo::Bump;
use toolwright_jsonrpc::raw::{MAX_DEPTH, parse_prefix};
use toolwright_model::{Code, Finish};

use super::strings::{self, StringPosition};
use super::{FirstValue, Step, Unreadable};

/// A longer comment is refused.
const MAX_COMMENT_BYTES: usize = 64 << 10;
/// A longer text between `<|` and `|>` is not a chat token.
const MAX_TOKEN_BYTES: usize = 256;

/// A parsed value.
pub(super) struct ParsedValue {
    pub json: String,
    /// Offset of the comma in it up to which the text was copied.
    pub strict_until: Option<usize>,
    pub steps: Vec<Step>,
    /// Offset after the value.
    pub end: usize,
}

/// A value that could not be parsed.
pub(super) struct ParseFailure {
    pub error: Unreadable,
    /// Whether a first key and colon had been parsed: then it was intended as a value.
    pub has_started: bool,
}

/// The state of the parser.
pub(super) struct Lenient<'t> {
    pub text: &'t str,
    pub at: usize,
    pub out: String,
    pub steps: Vec<Step>,
    /// The open brackets, innermost last.
    pub open: Vec<char>,
    finish: Finish,
    has_started: bool,
    /// Offset from which only closing brackets and white space are left.
    closers: OnceCell<usize>,
    /// The last quote of the text that is followed by a closing bracket or nothing.
    last_closing_quote: OnceCell<Option<usize>>,
}

pub(super) type ParseResult = Result<(), Unreadable>;

impl<'t> Lenient<'t> {
    /// Parses the value that starts at `start`.
    pub fn read(
        text: &'t str,
        start: usize,
        finish: Finish,
        first: FirstValue,
    ) -> Result<ParsedValue, ParseFailure> {
        // A value that is strict JSON by itself needs no leniency, whatever is around it.
        let arena = Bump::new();
        match first {
            FirstValue::Untried => {
                if let Ok((parsed, end)) = parse_prefix(&text[start..], &arena)
                    && let Some(source) = parsed.root.source()
                {
                    let json = source.to_owned();
                    return Ok(ParsedValue { json, strict_until: None, steps: Vec::new(), end: start + end });
                }
            }
            FirstValue::NotStrict { comma: Some(comma) } if comma < text.len() => {
                if let Ok(found) = Lenient::resume(text, start, comma, finish) {
                    return Ok(found);
                }
            }
            FirstValue::NotStrict { .. } => {}
        }
        let mut reader = Lenient::new(text, start, finish);
        match reader.value(0) {
            Ok(()) => Ok(reader.found()),
            Err(error) => Err(ParseFailure { error, has_started: reader.has_started }),
        }
    }

    /// Parses the rest of an object whose members up to a comma are strict JSON.
    fn resume(text: &'t str, start: usize, comma: usize, finish: Finish) -> Result<ParsedValue, Unreadable> {
        let mut reader = Lenient::new(text, start, finish);
        reader.out.push_str(&text[start..comma]);
        reader.at = comma;
        reader.open.push('{');
        if !reader.separator('}', true)? {
            reader.members(0, false)?;
        }
        Ok(ParsedValue { strict_until: Some(comma - start), ..reader.found() })
    }

    /// A parser at offset `start`.
    pub fn new(text: &'t str, start: usize, finish: Finish) -> Self {
        Lenient {
            text,
            at: start,
            out: String::with_capacity(text.len() - start),
            steps: Vec::new(),
            open: Vec::new(),
            finish,
            has_started: false,
            closers: OnceCell::new(),
            last_closing_quote: OnceCell::new(),
        }
    }

    /// The parsed value.
    pub fn found(self) -> ParsedValue {
        ParsedValue { json: self.out, strict_until: None, steps: self.steps, end: self.at }
    }

    pub fn value(&mut self, depth: usize) -> ParseResult {
        if depth > MAX_DEPTH {
            let message = format!("the value nests deeper than {MAX_DEPTH} levels; send a flatter one");
            return Err(self.error(Code::OverLimit, &message));
        }
        self.trivia()?;
        self.skip_prefix();
        match self.peek() {
            // Only here: at every depth it would parse the same text repeatedly.
            Some('{' | '[') if depth == 1 && self.strict_container() => Ok(()),
            Some(open @ ('{' | '[' | '(')) => {
                self.open.push(open);
                let read = match open {
                    '{' => self.object(depth),
                    '[' => self.array(depth),
                    _ => self.tuple(depth),
                };
                self.open.pop();
                read
            }
            Some('"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '«') => {
                strings::read(self, StringPosition::Value)
            }
            Some('0'..='9' | '-' | '+' | '.') => self.number(),
            Some(char) if char.is_alphabetic() || char == '_' || char == '$' => self.word(),
            Some(_) => Err(self.unexpected("a value")),
            None => Err(self.truncated()),
        }
    }

    /// Copies a list or object that is strict JSON by itself.
    fn strict_container(&mut self) -> bool {
        let arena = Bump::new();
        let parsed = parse_prefix(&self.text[self.at..], &arena);
        let source = parsed.ok().and_then(|(parsed, _)| parsed.root.source());
        if let Some(source) = source {
            self.out.push_str(source);
            self.at += source.len();
        }
        source.is_some()
    }

    fn object(&mut self, depth: usize) -> ParseResult {
        self.advance('{');
        self.out.push('{');
        self.members(depth, true)
    }

    /// The members of an object and its closing bracket.
    fn members(&mut self, depth: usize, mut first: bool) -> ParseResult {
        loop {
            self.trivia()?;
            match self.peek() {
                Some('}') => {
                    self.advance('}');
                    self.out.push('}');
                    return Ok(());
                }
                Some(',' | '，') => {
                    self.skip();
                    self.note(Step::ExtraComma);
                    continue;
                }
                Some(']') => return self.close_early('}'),
                None => {
                    return if first { Err(self.truncated()) } else { self.close_early('}') };
                }
                Some(_) => {}
            }
            if !first {
                self.out.push(',');
            }
            first = false;
            self.key()?;
            self.trivia()?;
            match self.peek() {
                Some(':') => self.advance(':'),
                Some('：') => {
                    self.advance('：');
                    self.note(Step::Typography);
                }
                None => return Err(self.truncated()),
                Some(_) => return Err(self.unexpected("a colon after the key")),
            }
            self.out.push(':');
            self.has_started = true;
            self.value(depth + 1)?;
            if self.separator('}', true)? {
                return Ok(());
            }
        }
    }

    fn array(&mut self, depth: usize) -> ParseResult {
        self.advance('[');
        self.out.push('[');
        let mut first = true;
        loop {
            self.trivia()?;
            match self.peek() {
                Some(']') => {
                    self.advance(']');
                    self.out.push(']');
                    return Ok(());
                }
                Some('}') => return self.close_early(']'),
                None => {
                    return if first { Err(self.truncated()) } else { self.close_early(']') };
                }
                Some(_) => {}
            }
            if !first {
                self.out.push(',');
            }
            first = false;
            self.value(depth + 1)?;
            if self.separator(']', false)? {
                return Ok(());
            }
        }
    }

    /// After an item: consumes a comma or the closing bracket. Returns true if the container ended.
    fn separator(&mut self, close: char, in_object: bool) -> Result<bool, Unreadable> {
        self.trivia()?;
        // `5"}`: a quote that belongs to nothing.
        if matches!(self.peek(), Some('"' | '\''))
            && self.after_skip(1).starts_with([',', '}', ']'])
            && !self.after_skip(1).is_empty()
        {
            self.skip();
            self.note(Step::StrayQuote);
            self.trivia()?;
        }
        match self.peek() {
            Some(',' | '，') => {
                if self.peek() == Some('，') {
                    self.note(Step::Typography);
                }
                self.skip();
                self.trivia()?;
                if self.peek() == Some(close) {
                    self.note(Step::ExtraComma);
                }
                if self.peek().is_none() {
                    return Err(self.truncated());
                }
                if !in_object && matches!(self.peek(), Some(',')) {
                    return Err(self.unexpected("a value between the commas"));
                }
                Ok(false)
            }
            Some(char) if char == close => Ok(false),
            None | Some('}' | ']') => {
                self.close_early(close)?;
                Ok(true)
            }
            Some(char) if in_object && self.starts_member(char) => {
                self.note(Step::MissingComma);
                Ok(false)
            }
            Some('{' | '"') if !in_object && !self.out.ends_with(|char: char| char.is_alphanumeric()) => {
                self.note(Step::MissingComma);
                Ok(false)
            }
            Some(';' | ')' | ':' | '=') => Err(self.unexpected(&format!("a comma or \"{close}\""))),
            Some(_) => Err(self.expression()),
        }
    }

    /// Whether a key and its colon start here.
    fn starts_member(&self, char: char) -> bool {
        let rest = &self.text[self.at..];
        let key_end = match char {
            '"' | '\'' => rest[1..].find(char).map(|found| found + 2),
            _ if char.is_alphabetic() || char == '_' => {
                Some(rest.find(|char: char| !is_key_char(char)).unwrap_or(rest.len()))
            }
            _ => None,
        };
        let Some(end) = key_end else { return false };
        let rest = rest[end..].trim_start_matches(['"', '\'']);
        rest.trim_start().starts_with(':')
    }

    /// Closes brackets that are missing at the very end, if the model finished by itself.
    fn close_early(&mut self, close: char) -> ParseResult {
        let rest = &self.text[self.at..];
        let is_closer = |char: char| char.is_whitespace() || matches!(char, '}' | ']');
        let only_closers =
            self.at >= *self.closers.get_or_init(|| self.text.trim_end_matches(is_closer).len());
        let open_number = self.out.ends_with(|char: char| char.is_ascii_digit())
            && self.text.ends_with(|char: char| char.is_ascii_digit());
        if self.finish == Finish::Stop && only_closers && !open_number {
            self.out.push(close);
            self.note(Step::ClosedBrackets);
            return Ok(());
        }
        if rest.trim().is_empty() {
            Err(self.truncated())
        } else {
            Err(self.unexpected(&format!("\"{close}\"")))
        }
    }

    /// `u'a'`: the prefix has no meaning.
    fn skip_prefix(&mut self) {
        let rest = &self.text[self.at..];
        let plain = strings::without_prefix(rest);
        if plain.len() < rest.len() {
            self.at += rest.len() - plain.len();
            self.note(Step::PythonLiterals);
        }
    }

    fn key(&mut self) -> ParseResult {
        self.skip_prefix();
        match self.peek() {
            Some('"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '«') => {
                strings::read(self, StringPosition::Key)
            }
            Some(char) if char.is_alphabetic() || char == '_' || char == '$' || char == '-' => {
                let rest = &self.text[self.at..];
                let end = rest.find(|char: char| !is_key_char(char)).unwrap_or(rest.len());
                let name = &rest[..end];
                self.at += end;
                self.out.push('"');
                self.out.push_str(name);
                self.out.push('"');
                // `limit": 5` lacks its first quote.
                if matches!(self.peek(), Some('"' | '\'')) && self.after_skip(1).trim_start().starts_with(':')
                {
                    self.skip();
                    self.note(Step::MissingQuote);
                } else {
                    self.note(Step::UnquotedKeys);
                }
                Ok(())
            }
            Some('.' | '…') => Err(self.error(Code::Expression, strings::LEFT_OUT)),
            Some(_) => Err(self.unexpected("a key")),
            None => Err(self.truncated()),
        }
    }

    /// Skips white space, comments and leaked tokens.
    pub fn trivia(&mut self) -> ParseResult {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(|char: char| {
                char.is_whitespace() || char == '\u{feff}' || char == '\u{200b}'
            });
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
                self.note(Step::Comments);
            } else if trimmed.starts_with("/*") {
                let near = &trimmed[..trimmed.floor_char_boundary(MAX_COMMENT_BYTES)];
                match near.find("*/") {
                    Some(end) => self.at += end + 2,
                    None if near.len() < trimmed.len() => {
                        return Err(
                            self.error(Code::OverLimit, "a comment is too long; send the value alone")
                        );
                    }
                    None => return Err(self.truncated()),
                }
                self.note(Step::Comments);
            } else if ["\\n", "\\t", "\\r"].iter().any(|escape| trimmed.starts_with(escape)) {
                self.at += 2;
                self.note(Step::EscapedSpace);
            } else if trimmed.starts_with("<|") {
                let near = &trimmed[..trimmed.floor_char_boundary(MAX_TOKEN_BYTES)];
                let Some(end) = near.find("|>") else { return Err(self.unexpected("a value")) };
                self.at += end + 2;
                self.note(Step::ChatTokens);
            } else {
                return Ok(());
            }
        }
    }

    /// The last quote that can close a string. The text is searched once.
    pub fn last_closing_quote(&self) -> Option<usize> {
        let closes = |after: &str| {
            let next = after.trim_start();
            next.is_empty() || next.starts_with(['}', ']'])
        };
        *self.last_closing_quote.get_or_init(|| {
            self.text.match_indices('"').map(|(at, _)| at).rev().find(|at| closes(&self.text[at + 1..]))
        })
    }

    pub fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The text after the next `count` characters.
    pub fn after_skip(&self, count: usize) -> &'t str {
        let mut chars = self.text[self.at..].chars();
        chars.by_ref().take(count).for_each(drop);
        chars.as_str()
    }

    pub fn skip(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    pub fn advance(&mut self, char: char) {
        self.at += char.len_utf8();
    }

    pub fn note(&mut self, step: Step) {
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }

    pub fn error(&self, code: Code, message: &str) -> Unreadable {
        Unreadable { code, offset: self.at, message: message.to_owned() }
    }

    pub fn truncated(&self) -> Unreadable {
        self.error(Code::TruncatedText, "the text ends too early; send the whole call again")
    }

    pub fn unexpected(&self, expected: &str) -> Unreadable {
        let found: String = self.text[self.at..].chars().take(20).collect();
        self.error(
            Code::UnreadableText,
            &format!("found {found:?} where {expected} should be; send strict JSON"),
        )
    }
}

pub(super) fn is_key_char(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '$')
}
