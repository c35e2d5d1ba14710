//! Numbers and literals of a lenient text, and expressions, which are neither.

use toolwright_jsonrpc::raw::is_json_number;
use toolwright_model::Code;

use super::lenient::{Lenient, ParseResult, is_key_char};
use super::{Step, Unreadable};

/// Maximum number of characters of an expression that are shown.
const SHOWN_OF_EXPRESSION: usize = 24;

impl Lenient<'_> {
    pub fn number(&mut self) -> ParseResult {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|char: char| !(char.is_alphanumeric() || matches!(char, '+' | '-' | '.' | '_' | '%' | '*')))
            .unwrap_or(rest.len());
        let token = &rest[..end];
        if end == rest.len() {
            return Err(self.truncated());
        }
        let plain = token.strip_prefix('+').unwrap_or(token);
        let written = if is_json_number(plain) {
            plain.to_owned()
        } else if plain.starts_with('.') && is_json_number(&format!("0{plain}")) {
            format!("0{plain}")
        } else if plain.strip_suffix('.').is_some_and(is_whole) {
            format!("{plain}0")
        } else {
            return Err(self.expression());
        };
        if written != token {
            self.note(Step::NumberForm);
        }
        self.out.push_str(&written);
        self.at += end;
        Ok(())
    }

    pub fn word(&mut self) -> ParseResult {
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !is_key_char(char)).unwrap_or(rest.len());
        let (json, foreign) = match &rest[..end] {
            "true" => ("true", false),
            "false" => ("false", false),
            "null" => ("null", false),
            "True" | "TRUE" => ("true", true),
            "False" | "FALSE" => ("false", true),
            "None" | "NULL" | "Null" | "undefined" | "nil" => ("null", true),
            word if end == rest.len() && is_literal_start(word) => return Err(self.truncated()),
            _ => return Err(self.expression()),
        };
        if foreign {
            self.note(Step::PythonLiterals);
        }
        self.out.push_str(json);
        self.at += end;
        Ok(())
    }

    pub fn expression(&self) -> Unreadable {
        let found = expression_at(&self.text[self.at..]);
        self.error(
            Code::Expression,
            &format!("{found:?} is an expression or a bare word, not a JSON value; send the value itself"),
        )
    }
}

/// The start of a text up to the end of its expression, shortened.
fn expression_at(text: &str) -> String {
    let mut quote = None;
    let mut last = None;
    let mut depth = 0;
    let mut goes_on = |char: char| {
        let before = last.replace(char);
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '\n' | ';') => return false,
            (None, ',' | ')' | ']' | '}') if depth == 0 => return false,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '"' | '\'' | '`') if !before.is_some_and(char::is_alphanumeric) => quote = Some(char),
            _ => {}
        }
        true
    };
    let found: String = text.chars().take(SHOWN_OF_EXPRESSION).take_while(|char| goes_on(*char)).collect();
    found.trim_end().to_owned()
}

/// The digits before the point in `5.`
fn is_whole(text: &str) -> bool {
    is_json_number(text) && !text.contains(['.', 'e', 'E'])
}

fn is_literal_start(word: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"].iter().any(|literal| literal.starts_with(word))
}
