//! Codes of repairs and refusals: one per step, the same in results, audit, dashboard and docs.

use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $written:literal => $title:literal,)+) => {
        /// A repair step or a kind of refusal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// Every code, in the order of the pipeline.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The code as written in results: `N4`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $written,)+ }
            }

            /// The code's short name for people.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)+ }
            }
        }
    };
}

codes! {
    /// The text was not JSON and was parsed leniently.
    LenientSyntax = "S1" => "syntax repaired",
    /// The text ends too early.
    TruncatedText = "S2" => "truncated text",
    /// JSON inside a JSON string was decoded.
    DoubleEncoding = "S3" => "double encoding opened",
    /// The tool's name differs in case or separators.
    ToolNameForm = "F1" => "form of the tool name",
    /// The tool's name carries or lacks a server prefix or suffix.
    ToolNameAffix = "F2" => "prefix or suffix of the tool name",
    /// An envelope around the arguments was removed.
    EnvelopeRemoved = "E1" => "envelope removed",
    /// A missing wrapper was put back.
    WrapperRestored = "E2" => "wrapper restored",
    /// A key differs in case or separators.
    KeyForm = "N1" => "case or separator of a key",
    /// A key was misspelt.
    KeyTypo = "N2" => "typo of a key",
    /// A key was renamed by a rule.
    AliasByRule = "N3" => "alias by rule",
    /// A key was renamed on the evidence of the schema.
    AliasBySchema = "N4" => "alias by schema evidence",
    /// A key inside a payload was renamed by a rule.
    NestedAliasByRule = "N5" => "nested alias by rule",
    /// A string became the declared number, boolean or null.
    StringToScalar = "T1" => "string to scalar",
    /// A string became the declared array or object.
    StringToContainer = "T2" => "string to container",
    /// An array or object became the declared JSON string.
    ContainerToString = "T3" => "container to JSON string",
    /// One item became a list of one, or the reverse.
    ItemOrList = "T4" => "one item and list",
    /// A number became the declared string.
    NumberToString = "T5" => "number to string",
    /// A value was given the form its enum declares.
    EnumForm = "V1" => "form of an enum value",
    /// An empty value of an optional parameter was left out.
    EmptyOptional = "V2" => "empty optional left out",
    /// A rule filled in a missing parameter.
    DefaultByRule = "D1" => "default by rule",
    /// A rule filled in a missing field inside a payload.
    NestedDefaultByRule = "D2" => "nested default by rule",
    /// A parameter the tool does not have was dropped.
    UnsupportedDropped = "X1" => "unsupported parameter dropped",
    /// A required parameter is missing.
    MissingRequired = "R1" => "required parameter missing",
    /// More than one reading is possible.
    AmbiguousReading = "R2" => "ambiguous",
    /// A number would lose something.
    LossyNumber = "R3" => "lossy number",
    /// A value is none of those allowed.
    UnknownEnumValue = "R4" => "unknown enum value",
    /// An expression instead of a value.
    Expression = "R5" => "expression",
    /// An unknown parameter has a meaning that would be lost.
    MeaningfulUnknown = "R6" => "meaningful unknown parameter",
    /// Two values were sent for one parameter.
    ConflictingValues = "R7" => "conflicting values",
    /// A value does not fit its schema.
    ValueMismatch = "R8" => "value does not fit",
    /// The text cannot be read as JSON.
    UnreadableText = "R9" => "unreadable text",
    /// No such tool.
    UnknownTool = "R10" => "unknown tool",
    /// The repair would need more guessing than this tool's risk allows.
    OverRiskBudget = "R11" => "over the risk budget",
    /// A limit of size, depth or time was reached.
    OverLimit = "R12" => "over a limit",
}

impl Code {
    /// Whether the code is a refusal.
    pub fn is_refusal(self) -> bool {
        self == Code::TruncatedText || self >= Code::MissingRequired
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
