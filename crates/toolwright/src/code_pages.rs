//! The pages of the codes, as they stand in `docs/codes`.

use toolwright_model::Code;

macro_rules! pages {
    ($($code:ident = $written:literal,)+) => {
        /// The page of a code.
        pub fn page(code: Code) -> &'static str {
            match code {
                $(Code::$code => include_str!(concat!("../../../docs/codes/", $written, ".md")),)+
            }
        }
    };
}

pages!(
    LenientSyntax = "S1",
    TruncatedText = "S2",
    DoubleEncoding = "S3",
    ToolNameForm = "F1",
    ToolNameAffix = "F2",
    EnvelopeRemoved = "E1",
    WrapperRestored = "E2",
    KeyForm = "N1",
    KeyTypo = "N2",
    AliasByRule = "N3",
    AliasBySchema = "N4",
    NestedAliasByRule = "N5",
    StringToScalar = "T1",
    StringToContainer = "T2",
    ContainerToString = "T3",
    ItemOrList = "T4",
    NumberToString = "T5",
    EnumForm = "V1",
    EmptyOptional = "V2",
    DefaultByRule = "D1",
    NestedDefaultByRule = "D2",
    UnsupportedDropped = "X1",
    MissingRequired = "R1",
    AmbiguousReading = "R2",
    LossyNumber = "R3",
    UnknownEnumValue = "R4",
    Expression = "R5",
    MeaningfulUnknown = "R6",
    ConflictingValues = "R7",
    ValueMismatch = "R8",
    UnreadableText = "R9",
    UnknownTool = "R10",
    OverRiskBudget = "R11",
    OverLimit = "R12",
);
