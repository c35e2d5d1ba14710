//! The codes of repairs and refusals: one per step, the same in results, audit, pages and docs.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident => $title:literal,)+) => {
        /// A repair step or a kind of refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// Every code, in the order of the pipeline.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The code as written in results: `N4`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => stringify!($name),)+ }
            }

            /// The code's short name for people.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)+ }
            }
        }
    };
}

codes! {
    /// The text was not JSON and was read leniently.
    S1 => "syntax mended",
    /// The text ends too early.
    S2 => "truncated text",
    /// JSON inside a JSON string was opened.
    S3 => "double encoding opened",
    /// The tool's name differs in case or separators.
    F1 => "form of the tool name",
    /// The tool's name carries or lacks a server prefix or suffix.
    F2 => "prefix or suffix of the tool name",
    /// An envelope around the arguments was removed.
    E1 => "envelope removed",
    /// A missing wrapper was put back.
    E2 => "wrapper restored",
    /// A key differs in case or separators.
    N1 => "case or separator of a key",
    /// A key was misspelt.
    N2 => "typo of a key",
    /// A key was renamed by a rule.
    N3 => "alias by rule",
    /// A key was renamed on the evidence of the schema.
    N4 => "alias by schema evidence",
    /// A key inside a payload was renamed by a rule.
    N5 => "nested alias by rule",
    /// A string became the declared number, boolean or null.
    T1 => "string to scalar",
    /// A string became the declared array or object.
    T2 => "string to container",
    /// An array or object became the declared JSON string.
    T3 => "container to JSON string",
    /// One item became a list of one, or the reverse.
    T4 => "one item and list",
    /// A number became the declared string.
    T5 => "number to string",
    /// A value was given the form its enum declares.
    V1 => "form of an enum value",
    /// An empty value of an optional parameter was left out.
    V2 => "empty optional left out",
    /// A rule filled in a missing parameter.
    D1 => "default by rule",
    /// A rule filled in a missing field inside a payload.
    D2 => "nested default by rule",
    /// A parameter the tool does not have was dropped.
    X1 => "unsupported parameter dropped",
    /// A required parameter is missing.
    R1 => "required parameter missing",
    /// More than one reading is possible.
    R2 => "ambiguous",
    /// A number would lose something.
    R3 => "lossy number",
    /// A value is none of those allowed.
    R4 => "unknown enum value",
    /// An expression stands where a value should be.
    R5 => "expression",
    /// An unknown parameter carries a meaning that would be lost.
    R6 => "meaningful unknown parameter",
    /// Two values were sent for one parameter.
    R7 => "conflicting values",
    /// A value does not fit its schema.
    R8 => "value does not fit",
    /// The text cannot be read as JSON.
    R9 => "unreadable text",
    /// No such tool.
    R10 => "unknown tool",
    /// The repair would need more guessing than this tool's risk allows.
    R11 => "over the risk budget",
    /// A limit of size, depth or time was reached.
    R12 => "over a limit",
}

impl Code {
    /// Whether the code stands for a refusal.
    pub fn is_refusal(self) -> bool {
        self == Code::S2 || self >= Code::R1
    }

    /// Finds a code by its written form, in either case.
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn every_code_is_found_by_its_written_form() {
        for code in Code::ALL {
            assert_eq!(Code::parse(&code.as_str().to_lowercase()), Some(*code));
        }
        assert_eq!(Code::parse("Z9"), None);
    }

    #[test]
    fn refusals_are_s2_and_the_r_codes() {
        let refusals: Vec<_> = Code::ALL.iter().filter(|code| code.is_refusal()).collect();
        assert_eq!(refusals.len(), 13);
    }
}
