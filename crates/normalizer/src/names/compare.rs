//! The evidence that one name stands for another.

use toolwright_model::Code;

use super::lexicon::{
    are_opposed, are_synonyms, are_whole_synonyms, is_distinct, is_neutral, is_neutral_ending, may_go_unsaid,
    same_side, takes_side,
};
use super::name::Name;
use super::typo::slips;
use crate::costs;

/// How well a sent name fits a known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Likeness {
    /// Less is better; only names within a margin of each other compete.
    pub cost: u32,
    /// Which step the evidence belongs to.
    pub code: Code,
    /// The evidence in words.
    pub why: String,
    /// Whether the value must fit as it stands, because the names say too little to change both.
    pub needs_exact_value: bool,
}

/// What else is known where two names are compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Surroundings<'n> {
    /// Words that the tool's own name already says: they may be added or missing.
    pub tool_words: &'n [String],
    /// All names the schema declares.
    pub declared: &'n [&'n Name],
}

/// Compares a key that was sent with a name the schema declares.
pub(crate) fn compare(sent: &Name, known: &Name, around: Surroundings<'_>) -> Option<Likeness> {
    if sent.folded.is_empty() || known.folded.is_empty() {
        return None;
    }
    let likeness =
        |cost: u32, code: Code, why: String| Some(Likeness { cost, code, why, needs_exact_value: false });
    if sent.folded == known.folded {
        let why = "same name in another case or with other separators";
        return likeness(costs::KEY_FORM, Code::N1, why.into());
    }
    let are_opposed = opposed(&sent.meaning, &known.meaning);
    if let Some(strokes) = slips(sent, known)
        && !are_opposed
    {
        return likeness(costs::KEY_TYPO * strokes, Code::N2, format!("{strokes} stroke(s) away"));
    }
    if are_whole_synonyms(&sent.folded, &known.folded) {
        return likeness(costs::KEY_SYNONYM, Code::N4, "names used for one another".into());
    }
    if sent.meaning.is_empty() || known.meaning.is_empty() || are_opposed {
        return None;
    }
    if counts_the_plural(&sent.meaning, known) {
        return likeness(costs::KEY_SYNONYM, Code::N4, "the count of them".into());
    }
    by_words(&sent.meaning, &known.meaning, around)
}

/// Compares the words of two names.
fn by_words(sent: &[String], known: &[String], around: Surroundings<'_>) -> Option<Likeness> {
    let mut pairs_by_synonym = 0;
    let mut left: Vec<&String> = Vec::new();
    let mut rest: Vec<&String> = known.iter().collect();
    for word in sent {
        match rest.iter().position(|other| *other == word) {
            Some(found) => {
                rest.remove(found);
            }
            None => left.push(word),
        }
    }
    let exact_pairs = sent.len() - left.len();
    left.retain(|word| {
        match rest.iter().position(|other| are_synonyms(word, other) || same_side(word, other)) {
            Some(found) => {
                rest.remove(found);
                pairs_by_synonym += 1;
                false
            }
            None => true,
        }
    });
    if exact_pairs + pairs_by_synonym == 0 {
        return None;
    }
    // A side that the target takes may go unsaid when no other parameter takes the other side.
    let unopposed = |word: &str| {
        let mut others = around.declared.iter().flat_map(|name| &name.meaning);
        !around.declared.is_empty() && may_go_unsaid(word) && !others.any(|other| are_opposed(word, other))
    };
    let is_blocked =
        |word: &str| is_distinct(word) || takes_side(word) && !is_neutral_ending(word) && !unopposed(word);
    if rest.iter().any(|word| is_blocked(word)) {
        return None;
    }
    // `target_temperature` for `temperature`: the wish is what a call is about.
    let is_wish = |word: &str| matches!(word, "target" | "desired" | "goal" | "request") && unopposed(word);
    if left.iter().any(|word| (is_distinct(word) || takes_side(word)) && !is_wish(word)) {
        return None;
    }
    let synonyms = costs::KEY_SYNONYM * pairs_by_synonym as u32;
    if left.is_empty() && rest.is_empty() {
        let cost = costs::KEY_SPELLING + synonyms;
        return Some(Likeness {
            cost,
            code: Code::N4,
            why: "the same words".into(),
            needs_exact_value: false,
        });
    }
    // One name's words are contained in the other's: only one side may have words left over.
    if !left.is_empty() && !rest.is_empty() {
        return None;
    }
    let extra: Vec<&String> = left.into_iter().chain(rest).collect();
    if extra.len() > 2 || pairs_by_synonym > 1 {
        return None;
    }
    // The last word says what a name is: `page_size` is no page.
    let longer = if sent.len() > known.len() { sent } else { known };
    let ends_apart = longer.last().is_some_and(|last| extra.contains(&last) && !is_neutral_ending(last));
    if ends_apart {
        return None;
    }
    let neutral = |word: &&&String| is_neutral(word) || around.tool_words.contains(word);
    let foreign = extra.iter().filter(|word| !neutral(word)).count() as u32;
    let cost = costs::KEY_CONTAINED
        + synonyms
        + costs::KEY_EXTRA_WORD * (extra.len() as u32 - 1)
        + costs::KEY_FOREIGN_WORD * foreign;
    let named: Vec<&str> = extra.iter().map(|word| word.as_str()).collect();
    Some(Likeness {
        cost,
        code: Code::N4,
        why: format!("one name's words are in the other's, but for {:?}", named.join(" ")),
        needs_exact_value: foreign > 0,
    })
}

/// `replica_count` for `replicas`.
fn counts_the_plural(sent: &[String], known: &Name) -> bool {
    let [what, count] = sent else { return false };
    ["count", "number"].contains(&count.as_str())
        && known.words.len() == 1
        && known.words[0].strip_suffix('s') == Some(what)
}

/// Whether two names take opposite sides or differ in a word that sets meanings apart.
pub(crate) fn are_opposed_names(sent: &Name, known: &Name) -> bool {
    let (sent, known) = (&sent.meaning, &known.meaning);
    let apart = |word: &String, other: &[String]| is_distinct(word) && !other.contains(word);
    opposed(sent, known)
        || sent.iter().any(|word| apart(word, known))
        || known.iter().any(|word| apart(word, sent))
}

fn opposed(sent: &[String], known: &[String]) -> bool {
    sent.iter().any(|a| !known.contains(a) && known.iter().any(|b| !sent.contains(b) && are_opposed(a, b)))
}

#[cfg(test)]
mod tests {
    use super::{Name, Surroundings, compare};
    use toolwright_model::Code;

    fn code(sent: &str, known: &str) -> Option<Code> {
        compare(&Name::new(sent), &Name::new(known), Surroundings::default()).map(|likeness| likeness.code)
    }

    #[test]
    fn names_that_stand_for_each_other_are_found() {
        for (sent, known, expected) in [
            ("device_name", "deviceName", Code::N1),
            ("include>", "include", Code::N1),
            ("pth", "path", Code::N2),
            ("file_path", "path", Code::N4),
            ("path", "file_path", Code::N4),
            ("absolute_path", "file_path", Code::N4),
            ("old_str", "old_text", Code::N4),
            ("cmd", "command", Code::N4),
            ("line_limit", "limit", Code::N4),
            ("scores", "gradeDict", Code::N4),
            ("max_results", "limit", Code::N4),
            ("from_date", "start_date", Code::N4),
        ] {
            assert_eq!(code(sent, known), Some(expected), "{sent} → {known}");
        }
    }

    #[test]
    fn look_alikes_are_kept_apart() {
        for (sent, known) in [
            ("radius", "diameter"),
            ("old_text", "new_text"),
            ("text", "old_text"),
            ("min_price", "max_price"),
            ("latitude", "longitude"),
            ("timeout_ms", "timeout"),
            ("timeout_seconds", "timeout_ms"),
            ("no_cache", "cache"),
            ("parent_id", "id"),
            ("output_path", "path"),
            ("user_name", "user_id"),
            ("name", "first_name"),
            ("start_date", "end_date"),
            ("ship_date", "customer"),
        ] {
            assert_eq!(code(sent, known), None, "{sent} → {known}");
        }
    }
}
