//! Tokenization of a sentence.

/// Limit of words: a longer sentence is not a command.
pub(crate) const MAX_WORDS: usize = 40;

/// The words in lower case without punctuation; numbers as digits. `don't` is `dont`.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in
        text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '!' | '?' | '-' | '_' | '/' | '"'))
    {
        let is_percent = word.trim_end_matches('.').ends_with('%');
        let plain: String =
            word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        if !plain.is_empty() {
            words.push(plain);
        }
        if is_percent {
            words.push("percent".to_owned());
        }
        if words.len() > MAX_WORDS {
            break;
        }
    }
    numbers(words)
}

/// Converts numbers: `twenty five` is `25`, `a hundred` is `100`, `one` is `1`.
fn numbers(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let next = words.peek().map(String::as_str);
        match (tens(&word), next.and_then(unit)) {
            (Some(tens), Some(unit)) if unit > 0 && unit < 10 => {
                out.push((tens + unit).to_string());
                words.next();
            }
            (Some(tens), _) => out.push(tens.to_string()),
            (None, _) if (word == "a" || word == "one") && next == Some("hundred") => {
                out.push("100".to_owned());
                words.next();
            }
            (None, _) if word == "hundred" => out.push("100".to_owned()),
            (None, _) => out.push(unit(&word).map_or(word, |unit| unit.to_string())),
        }
    }
    out
}

fn unit(word: &str) -> Option<u32> {
    const UNITS: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    UNITS.iter().position(|known| *known == word).map(|at| at as u32)
}

fn tens(word: &str) -> Option<u32> {
    const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    TENS.iter().position(|known| *known == word).map(|at| (at as u32 + 2) * 10)
}

/// Removes polite words at the start and the end.
pub(crate) fn without_courtesy(words: &[String]) -> &[String] {
    const BEFORE: &[&[&str]] = &[
        &["could", "you"],
        &["can", "you"],
        &["would", "you"],
        &["will", "you"],
        &["please"],
        &["hey"],
        &["ok"],
        &["okay"],
        &["kindly"],
    ];
    const BEHIND: &[&[&str]] =
        &[&["please"], &["thanks"], &["thank", "you"], &["right", "now"], &["now"], &["for", "me"]];
    let is = |part: &[String], known: &&[&str]| part.iter().map(String::as_str).eq(known.iter().copied());
    let mut words = words;
    while let Some(known) =
        BEFORE.iter().find(|known| words.len() > known.len() && is(&words[..known.len()], known))
    {
        words = &words[known.len()..];
    }
    while let Some(known) = BEHIND
        .iter()
        .find(|known| words.len() > known.len() && is(&words[words.len() - known.len()..], known))
    {
        words = &words[..words.len() - known.len()];
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        words_of(text).join(" ")
    }

    #[test]
    fn numbers_are_digits_whoever_wrote_them() {
        assert_eq!(words("Dim Lamp one to twenty-five percent."), "dim lamp 1 to 25 percent");
        assert_eq!(words("to a hundred %, or 50%"), "to 100 percent or 50 percent");
        assert_eq!(words("seventeen, thirty"), "17 30");
    }

    #[test]
    fn signs_are_no_words() {
        assert_eq!(words("Don’t turn on the \"lamp\"!"), "dont turn on the lamp");
        assert_eq!(words(" ... "), "");
    }

    #[test]
    fn politeness_says_nothing() {
        let all = words_of("Okay, could you please turn it on right now, thanks");
        assert_eq!(without_courtesy(&all).join(" "), "turn it on");
        let please = words_of("please");
        assert_eq!(without_courtesy(&please).join(" "), "please");
    }
}
