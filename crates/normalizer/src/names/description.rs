//! The subject of a parameter's description, without what else it mentions.
//!
//! "City or region, not a country" is about cities and regions; "The team that beat the loser" is
//! about a team. Only the first clause counts, up to a negation.

use super::name::meaningful_words;

/// Characters that end the first clause.
const CLAUSE_ENDS: &[char] = &['.', ';', ',', '(', '[', ':', '\n', '\u{2014}'];
/// Words that start a negation.
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
/// Words after which something other than the subject is mentioned.
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

/// The words for the subject: those before the first preposition.
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
    fn only_first_clause_counts_up_to_negation() {
        assert_eq!(clause_words("City or region, not a country"), ["city", "or", "region"]);
        assert_eq!(clause_words("Address not used for billing"), ["address"]);
        assert_eq!(clause_words("The name of the branch"), ["name", "branch"]);
    }

    #[test]
    fn subject_precedes_first_preposition() {
        assert_eq!(subject_words("The team that beat the loser"), ["team"]);
        assert_eq!(subject_words("Employee reporting to the manager"), ["employee"]);
        assert_eq!(subject_words("City or region"), ["city", "or", "region"]);
    }
}
