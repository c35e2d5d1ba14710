//! What the text of a value looks like beyond its shape: a code, a prefixed identifier, a query.

use super::compare::NameContext;
use super::name::SplitName;
use super::shape::ValueShape;

/// `OPS` and `OPS-12`: a short code in capitals.
pub(super) fn is_code(text: &str) -> bool {
    let (code, number) = text.split_once('-').unwrap_or((text, "1"));
    (2..=10).contains(&code.len())
        && code.starts_with(|first: char| first.is_ascii_uppercase())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `cus_1` for a customer: the prefix of the identifier names its kind.
pub(super) fn is_identifier_of(text: &str, word: &str) -> bool {
    text.split_once('_').is_some_and(|(kind, rest)| {
        kind.len() >= 2
            && word.starts_with(kind)
            && rest.bytes().any(|byte| byte.is_ascii_digit())
            && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// `SELECT 1`, `delete from a`: a statement, not a search text.
pub(super) fn is_sql(text: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    match text.split(' ').next() {
        Some("select") => {
            says(&[" from ", "*"]) || text[6..].bytes().all(|byte| byte == b' ' || byte.is_ascii_digit())
        }
        Some("insert") => says(&[" into "]),
        Some("update") => says(&[" set "]),
        Some("delete") => says(&[" from "]),
        Some("with") => says(&[" as ("]),
        Some("create" | "alter" | "drop") => says(&[" table ", " view ", " index ", " database "]),
        _ => false,
    }
}

/// `project = OPS`: fields are compared with values.
fn is_condition(text: &str) -> bool {
    text.contains(['=', '~', '<', '>']) || text.to_ascii_lowercase().contains(" in (")
}

/// Whether a name is that of a query language, and the text is not written in it.
pub(super) fn is_other_language(known: &SplitName, around: NameContext<'_>) -> bool {
    let is_jql = known.words.iter().any(|word| word == "jql");
    is_jql && around.shape != ValueShape::Unknown && !is_condition(around.text)
}

/// `tomorrow`, `Monday`, `3 pm`: when, not where.
pub(super) fn is_time(text: &str) -> bool {
    const TIMES: &[&str] = &[
        "today",
        "tomorrow",
        "yesterday",
        "now",
        "noon",
        "midnight",
        "morning",
        "evening",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "day",
        "week",
        "month",
        "year",
        "hour",
        "am",
        "pm",
    ];
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|char: char| !char.is_alphabetic());
    text.starts_with(|first: char| first.is_ascii_digit()) || words.any(|word| TIMES.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_identifiers_differ_from_names() {
        assert!(is_code("OPS") && is_code("OPS-12") && is_code("A2"));
        assert!(!is_code("Ops") && !is_code("operations") && !is_code("OPS-") && !is_code("A"));
        assert!(is_identifier_of("cus_1", "customer") && !is_identifier_of("ord_1", "customer"));
        assert!(!is_identifier_of("Ann", "customer") && !is_identifier_of("cus_Ann", "customer"));
    }

    #[test]
    fn statements_differ_from_search_texts() {
        assert!(is_sql("SELECT 1") && is_sql("select a\nfrom b") && is_sql("UPDATE a SET b = 1"));
        assert!(!is_sql("select a restaurant") && !is_sql("cats") && !is_sql("update me"));
    }

    #[test]
    fn times_differ_from_places() {
        assert!(is_time("Monday") && is_time("next week") && is_time("3pm"));
        assert!(!is_time("Rome") && !is_time("Mayfair"));
    }
}
