//! Names of parameters: their words, their spellings, their distance.

/// The spellings in which models write a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `start_time`
    Snake,
    /// `startTime`
    Camel,
    /// `start-time`
    Kebab,
    /// `StartTime`
    Pascal,
    /// `START_TIME`
    Shout,
    /// `Start Time`
    Title,
}

impl Spelling {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Snake, Self::Camel, Self::Kebab, Self::Pascal, Self::Shout, Self::Title];

    /// Writes the words of a name in this spelling.
    pub fn of(self, name: &str) -> String {
        let words = words(name);
        let capital = |word: &String| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
        };
        let capitals = || words.iter().map(capital).collect::<Vec<String>>();
        match self {
            Self::Snake => words.join("_"),
            Self::Kebab => words.join("-"),
            Self::Shout => words.join("_").to_uppercase(),
            Self::Pascal => capitals().concat(),
            Self::Title => capitals().join(" "),
            Self::Camel => {
                let mut parts = capitals();
                if let (Some(first), Some(word)) = (parts.first_mut(), words.first()) {
                    first.clone_from(word);
                }
                parts.concat()
            }
        }
    }
}

/// The words of a name in lower case, whatever its spelling.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for letter in name.chars() {
        let breaks = !letter.is_alphanumeric() || (letter.is_uppercase() && lower_before);
        if breaks {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        lower_before = letter.is_lowercase() || letter.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Letters and digits in lower case: what all spellings of one name share.
pub fn normal(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Edit distance with neighbours swapped counted as one step.
pub fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let cost = usize::from(a != b);
            let mut best = (above[j] + cost).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_spelling() {
        for name in ["start_time", "startTime", "start-time", "StartTime", "START_TIME", "Start Time"] {
            assert_eq!(words(name), ["start", "time"], "{name}");
        }
    }

    #[test]
    fn spellings_keep_the_normal_form() {
        for spelling in Spelling::ALL {
            assert_eq!(normal(&spelling.of("thread_ts")), "threadts");
        }
        assert_eq!(Spelling::Camel.of("pull_number"), "pullNumber");
    }

    #[test]
    fn a_swap_is_one_step() {
        assert_eq!(distance("query", "qurey"), 1);
        assert_eq!(distance("query", "query"), 0);
        assert_eq!(distance("mode", "node"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
