//! How hard is thought, in words and in tokens.

use super::Effort;

/// Up to so many tokens it is little.
const LOW_TOKENS: u64 = 1024;
/// Up to so many tokens it is some; more is much.
const MEDIUM_TOKENS: u64 = 8192;

impl Effort {
    const WORDS: [(Effort, &'static str); 7] = [
        (Effort::None, "none"),
        (Effort::Minimal, "minimal"),
        (Effort::Low, "low"),
        (Effort::Medium, "medium"),
        (Effort::High, "high"),
        (Effort::XHigh, "xhigh"),
        (Effort::Max, "max"),
    ];

    /// The word for it, which all dialects share.
    pub fn word(self) -> &'static str {
        Effort::WORDS.iter().find(|(effort, _)| *effort == self).map_or("medium", |(_, word)| word)
    }

    /// What a word means.
    pub fn of_word(word: &str) -> Option<Effort> {
        Effort::WORDS.iter().find(|(_, known)| *known == word).map(|(effort, _)| *effort)
    }

    /// What a budget of tokens means where only words are known.
    pub fn of_budget(tokens: u64) -> Effort {
        if tokens <= LOW_TOKENS {
            Effort::Low
        } else if tokens <= MEDIUM_TOKENS {
            Effort::Medium
        } else {
            Effort::High
        }
    }

    /// The budget of tokens where only that is known; nothing for no thought.
    pub fn budget(self) -> Option<u64> {
        match self {
            Effort::None => None,
            Effort::Minimal | Effort::Low => Some(LOW_TOKENS),
            Effort::Medium => Some(MEDIUM_TOKENS),
            Effort::High => Some(16_384),
            Effort::XHigh => Some(24_576),
            Effort::Max => Some(32_768),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_budgets_lead_back_to_the_same_effort() {
        for (effort, word) in Effort::WORDS {
            assert_eq!((effort.word(), Effort::of_word(word)), (word, Some(effort)));
        }
        for effort in [Effort::Low, Effort::Medium, Effort::High] {
            assert_eq!(effort.budget().map(Effort::of_budget), Some(effort));
        }
        assert_eq!(Effort::of_word("hard"), None);
    }
}
