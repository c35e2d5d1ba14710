//! The leniencies by name.

use toolwright_model::Code;

use crate::costs;

/// One leniency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A Markdown fence around the value.
    Fence,
    /// Text before or after the value.
    Prose,
    /// Chat tokens or tags that leaked from the model's template.
    ChatTokens,
    /// Control characters before or after the value.
    OuterControl,
    /// Comments.
    Comments,
    /// Strings in single quotes or backticks.
    SingleQuotes,
    /// Strings in typographic quotes, or full-width punctuation.
    Typography,
    /// `True`, `False`, `None`, `undefined`.
    PythonLiterals,
    /// A tuple for a list, or a string in parentheses.
    Tuple,
    /// A call with named arguments for an object.
    KeywordCall,
    /// An extra comma.
    ExtraComma,
    /// A missing comma.
    MissingComma,
    /// Keys without quotes.
    UnquotedKeys,
    /// A key without one of its quotes.
    MissingQuote,
    /// An extra quote.
    StrayQuote,
    /// Line breaks or other control characters inside a string.
    RawControl,
    /// Backslashes that are not JSON escapes and are literal.
    Backslashes,
    /// `\'` inside a string.
    EscapedApostrophe,
    /// Quotes inside a string that were not escaped.
    InnerQuotes,
    /// `+5` or `.5`.
    NumberForm,
    /// Closing brackets missing at the very end.
    ClosedBrackets,
    /// Extra closing brackets at the very end.
    ExtraBrackets,
    /// The same value twice.
    Repeated,
    /// Line breaks between values that were escaped as if inside a string.
    EscapedSpace,
    /// All quotes escaped as if inside a string.
    EscapedWhole,
}

impl Step {
    /// The step in words.
    pub fn describe(self) -> &'static str {
        match self {
            Step::Fence => "a fence around the value",
            Step::Prose => "words around the value",
            Step::ChatTokens => "leaked chat tokens",
            Step::OuterControl => "control characters around the value",
            Step::Comments => "comments",
            Step::SingleQuotes => "strings in single quotes",
            Step::Typography => "typographic quotes or full-width punctuation",
            Step::PythonLiterals => "literals of another language",
            Step::Tuple => "parentheses of another language",
            Step::KeywordCall => "a call with named arguments",
            Step::ExtraComma => "a comma too many",
            Step::MissingComma => "a comma missing",
            Step::UnquotedKeys => "keys without quotes",
            Step::MissingQuote => "a key lacking a quote",
            Step::StrayQuote => "a quote too many",
            Step::RawControl => "control characters inside a string",
            Step::Backslashes => "backslashes that stand for themselves",
            Step::EscapedApostrophe => "an escaped apostrophe",
            Step::InnerQuotes => "quotes inside a string that were not escaped",
            Step::NumberForm => "a number in another language's form",
            Step::ClosedBrackets => "closing brackets missing at the end",
            Step::ExtraBrackets => "closing brackets too many at the end",
            Step::Repeated => "the same value more than once",
            Step::EscapedSpace => "escaped line breaks between values",
            Step::EscapedWhole => "every quote escaped",
        }
    }

    /// The code under which the step is reported.
    pub fn code(self) -> Code {
        if self == Step::EscapedWhole { Code::DoubleEncoding } else { Code::LenientSyntax }
    }

    /// The risk of the guess.
    pub(crate) fn risk(self) -> u32 {
        match self {
            // Never for a destructive tool.
            Step::ClosedBrackets => costs::DESTRUCTIVE_BUDGET + 1,
            Step::InnerQuotes => costs::RISK_TEXT,
            Step::MissingQuote => 1,
            _ => 0,
        }
    }

    /// Whether the step concerns the text around the value and not the value.
    pub(crate) fn is_outside(self) -> bool {
        matches!(
            self,
            Step::Prose
                | Step::OuterControl
                | Step::ChatTokens
                | Step::KeywordCall
                | Step::Repeated
                | Step::ExtraBrackets
        )
    }

    /// Whether keys may have come from a string's contents by mistake.
    pub(crate) fn may_split_strings(self) -> bool {
        matches!(self, Step::InnerQuotes | Step::MissingQuote | Step::StrayQuote)
    }
}
