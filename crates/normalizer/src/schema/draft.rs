//! The drafts of JSON Schema and which keywords each knows.

/// The drafts, oldest first: each knows some keywords that the earlier ones do not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    Year2019,
    Year2020,
}

impl Draft {
    /// The draft that `$schema` names; 2020-12 when it names none that we know.
    pub fn named(uri: &str) -> Draft {
        let drafts = [
            ("draft-03", Draft::Four),
            ("draft-04", Draft::Four),
            ("draft-06", Draft::Six),
            ("draft-07", Draft::Seven),
            ("2019-09", Draft::Year2019),
        ];
        drafts.iter().find(|(name, _)| uri.contains(name)).map_or(Draft::Year2020, |(_, draft)| *draft)
    }

    /// Whether a schema of this draft knows the keyword.
    pub fn knows(self, keyword: &str) -> bool {
        match keyword {
            "const" | "contains" | "propertyNames" => self >= Draft::Six,
            "if" | "then" | "else" => self >= Draft::Seven,
            "minContains"
            | "maxContains"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedProperties"
            | "unevaluatedItems" => self >= Draft::Year2019,
            "prefixItems" | "$dynamicRef" => self >= Draft::Year2020,
            "dependencies" => self <= Draft::Seven,
            "additionalItems" => self <= Draft::Year2019,
            "$recursiveRef" => self == Draft::Year2019,
            _ => true,
        }
    }
}
