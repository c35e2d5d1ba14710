//! What a description says a parameter is, and not what else it mentions.
//!
//! "City or region, not a country" is about cities and regions; "The team that beat the loser" is
//! about a team. Only the first clause tells, and of that only what no negation takes back.

use super::name::meaningful_words;

/// What ends the first clause.
const CLAUSE_ENDS: &[char] = &['.', ';', ',', '(', '[', ':', '\n', '\u{2014}'];
/// Words after which something is denied.
const NEGATIONS: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "except",
    "unless",
    "instead",
    "ignored",
    "ignore",
    "neither",
    "dont",
    "don't",
    "excluding",
    "rather",
];
/// Words after which something else is spoken of than the thing itself.
const RELATIONS: &[&str] = &[
    "of",
    "to",
    "in",
    "for",
    "with",
    "that",
    "which",
    "who",
    "whose",
    "from",
    "by",
    "at",
    "on",
    "when",
    "if",
    "as",
    "where",
    "used",
    "into",
    "under",
    "per",
    "about",
    "reporting",
    "containing",
    "belonging",
];

/// The words of the first clause, up to a negation.
pub(crate) fn clause_words(description: &str) -> Vec<String> {
    meaningful_words(&until(description, NEGATIONS))
}

/// The words for the thing itself: those before the first preposition.
pub(crate) fn subject_words(description: &str) -> Vec<String> {
    let subject = until(description, RELATIONS);
    meaningful_words(&until(&subject, NEGATIONS))
}

fn until(description: &str, stops: &[&str]) -> String {
    let clause = description.trim_start().split(CLAUSE_ENDS).next().unwrap_or_default();
    let is_stop = |word: &&str| stops.contains(&word.to_lowercase().as_str());
    clause.split_whitespace().take_while(|word| !is_stop(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{clause_words, subject_words};

    #[test]
    fn only_the_first_clause_tells_and_a_negation_ends_it() {
        assert_eq!(clause_words("City or region, not a country"), ["city", "or", "region"]);
        assert_eq!(clause_words("Address not used for billing"), ["address"]);
        assert_eq!(clause_words("The name of the branch"), ["name", "branch"]);
    }

    #[test]
    fn the_subject_stands_before_the_first_preposition() {
        assert_eq!(subject_words("The team that beat the loser"), ["team"]);
        assert_eq!(subject_words("Employee reporting to the manager"), ["employee"]);
        assert_eq!(subject_words("City or region"), ["city", "or", "region"]);
    }
}
