//! The drafts of JSON Schema and their keywords.

/// The drafts, oldest first: each has some keywords that the earlier ones do not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SchemaDraft {
    Four,
    Six,
    Seven,
    Year2019,
    Year2020,
}

impl SchemaDraft {
    /// The draft that `$schema` names; 2020-12 if it names no known one.
    pub fn named(uri: &str) -> SchemaDraft {
        let drafts = [
            ("draft-03", SchemaDraft::Four),
            ("draft-04", SchemaDraft::Four),
            ("draft-06", SchemaDraft::Six),
            ("draft-07", SchemaDraft::Seven),
            ("2019-09", SchemaDraft::Year2019),
        ];
        drafts.iter().find(|(name, _)| uri.contains(name)).map_or(SchemaDraft::Year2020, |(_, draft)| *draft)
    }

    /// Whether this draft has the keyword.
    pub fn knows(self, keyword: &str) -> bool {
        match keyword {
            "const" | "contains" | "propertyNames" => self >= SchemaDraft::Six,
            "if" | "then" | "else" => self >= SchemaDraft::Seven,
            "minContains"
            | "maxContains"
            | "dependentRequired"
            | "dependentSchemas"
            | "unevaluatedProperties"
            | "unevaluatedItems" => self >= SchemaDraft::Year2019,
            "prefixItems" | "$dynamicRef" => self >= SchemaDraft::Year2020,
            "dependencies" => self <= SchemaDraft::Seven,
            "additionalItems" => self <= SchemaDraft::Year2019,
            "$recursiveRef" => self == SchemaDraft::Year2019,
            _ => true,
        }
    }
}
