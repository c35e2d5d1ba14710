//! Evidence that one name stands for another.

use toolwright_model::Code;

use super::by_words::by_words;
use super::lexicon::{
    are_opposed, are_whole_synonyms, canonical, is_distinct, is_unit, may_go_unsaid, takes_side,
};
use super::looks::is_other_language;
use super::name::SplitName;
use super::senses;
use super::shape::ValueShape;
use super::sorting::sorts_alike;
use super::typo::{edit_distance, is_plural_pair};
use crate::costs;

/// How well a sent name matches a known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Similarity {
    /// Lower is better; only names within a margin of each other compete.
    pub cost: u32,
    /// The step that the evidence belongs to.
    pub code: Code,
    /// The evidence in words.
    pub why: String,
    /// Whether the value must be valid as it is, because the names are too weak to change both.
    pub needs_exact_value: bool,
}

/// The context in which two names are compared.
#[derive(Clone, Copy)]
pub(crate) struct NameContext<'n> {
    /// Words of the tool's own name: they may be added or missing.
    pub tool_words: &'n [String],
    /// All names the schema declares.
    pub declared: &'n [&'n SplitName],
    /// The words of the schema's description of the known name; computed only if needed.
    pub described: &'n dyn Fn() -> Vec<String>,
    /// The words of the first clause of that description.
    pub clause: &'n dyn Fn() -> Vec<String>,
    /// The shape of the sent value.
    pub shape: ValueShape,
    /// The text of a string or a number that was sent.
    pub text: &'n str,
    /// Whether the value is one that the known name allows; computed only if needed.
    pub is_option: &'n dyn Fn() -> bool,
}

impl NameContext<'_> {
    /// No context but the two names.
    pub const NONE: NameContext<'static> = NameContext {
        tool_words: &[],
        declared: &[],
        described: &Vec::new,
        clause: &Vec::new,
        shape: ValueShape::Unknown,
        text: "",
        is_option: &|| false,
    };
}

/// Compares a key that was sent with a name the schema declares.
pub(crate) fn compare(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> Option<Similarity> {
    if sent.folded.is_empty() || known.folded.is_empty() {
        return None;
    }
    let similarity =
        |cost: u32, code: Code, why: String| Some(Similarity { cost, code, why, needs_exact_value: false });
    if sent.folded == known.folded {
        let why = "same name in another case or with other separators";
        return similarity(costs::KEY_FORM, Code::KeyForm, why.into());
    }
    if around.shape.is_numeric() && differ_in_number(sent, known) {
        return None;
    }
    let are_opposed = opposed(&sent.meaning, &known.meaning);
    if let Some(strokes) = edit_distance(sent, known)
        && !are_opposed
    {
        return similarity(
            costs::KEY_TYPO * strokes,
            Code::KeyTypo,
            format!("{strokes} stroke{} away", if strokes == 1 { "" } else { "s" }),
        );
    }
    if !around.shape.may_be(known)
        || names_another_kind(sent, known, around)
        || !sorts_alike(sent, known, around)
        || is_other_language(known, around)
    {
        return None;
    }
    if are_whole_synonyms(&sent.folded, &known.folded)
        && senses::agree(&sent.folded, sent, &known.folded, known, around)
    {
        return similarity(costs::KEY_SYNONYM, Code::AliasBySchema, "names used for one another".into());
    }
    if sent.meaning.is_empty() || known.meaning.is_empty() || are_opposed {
        return None;
    }
    if around.shape == ValueShape::Number && counts_the_plural(&sent.meaning, known) {
        let why = "the count of them".to_owned();
        return Some(Similarity {
            cost: costs::KEY_SYNONYM,
            code: Code::AliasBySchema,
            why,
            needs_exact_value: true,
        });
    }
    if names_the_recipient(sent, known, around) {
        let why = "the only address that the mail goes to".to_owned();
        return Some(Similarity {
            cost: costs::KEY_SYNONYM,
            code: Code::AliasBySchema,
            why,
            needs_exact_value: true,
        });
    }
    if names_the_side(sent, known, around) {
        let cost = costs::KEY_CONTAINED + costs::KEY_FOREIGN_WORD;
        let why = "the only parameter of that side".to_owned();
        return Some(Similarity { cost, code: Code::AliasBySchema, why, needs_exact_value: true });
    }
    by_words(sent, known, around)
}

/// A `folder_path` is not valid for a `folder` that is described as an identifier.
fn names_another_kind(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> bool {
    let head = sent.words.last().map_or("", String::as_str);
    ["name", "username", "path", "url", "title"].contains(&head)
        && !known.words.iter().any(|word| word == head)
        && (around.clause)().iter().any(|word| word == "identifier")
}

/// A `year` is not a number of `years`: with a number the plural counts and the singular selects.
fn differ_in_number(sent: &SplitName, known: &SplitName) -> bool {
    const CHOSEN: &[&str] = &[
        "page", "line", "row", "column", "item", "user", "result", "record", "entry", "step", "slide",
        "chapter", "episode",
    ];
    let counts = |name: &SplitName| name.meaning.iter().any(|word| word == "count");
    let is_chosen = |word: &str| is_unit(word) || CHOSEN.contains(&word);
    !counts(sent)
        && !counts(known)
        && sent
            .words
            .iter()
            .any(|a| is_chosen(canonical(a)) && known.words.iter().any(|b| is_plural_pair(a, b)))
}

/// `from` for `from_currency`, if no other parameter has this side.
fn names_the_side(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> bool {
    let ([side], [first, _]) = (&sent.meaning[..], &known.meaning[..]) else { return false };
    let takes = |name: &&&SplitName| name.meaning.contains(side);
    let is_direction = may_go_unsaid(side) || ["minimum", "maximum"].contains(&side.as_str());
    side == first && takes_side(side) && is_direction && around.declared.iter().filter(takes).count() == 1
}

/// `email` for the `to` of a mail, if it is an address and no parameter is the sender.
fn names_the_recipient(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> bool {
    let is_mail = around.tool_words.iter().any(|word| ["email", "mail"].contains(&word.as_str()));
    let says_from_whom = |name: &&SplitName| {
        name.meaning.iter().any(|word| ["from", "sender", "reply", "email"].contains(&word.as_str()))
    };
    let is_address =
        matches!(&sent.meaning[..], [only] if only == "email") && around.shape == ValueShape::Email;
    is_address
        && is_mail
        && ["to", "recipient", "recipients"].contains(&&*known.folded)
        && !around.declared.iter().any(says_from_whom)
}

/// `replica_count` and `number_of_replicas` for `replicas`.
fn counts_the_plural(sent: &[String], known: &SplitName) -> bool {
    let [a, b] = sent else { return false };
    let what = if b == "count" { a } else { b };
    (a == "count" || b == "count")
        && known.words.len() == 1
        && known.words[0].strip_suffix('s') == Some(what.as_str())
}

/// Whether two names are opposed or differ in a word that distinguishes meanings.
pub(crate) fn are_opposed_names(sent: &SplitName, known: &SplitName) -> bool {
    let (sent, known) = (&sent.meaning, &known.meaning);
    let apart = |word: &String, other: &[String]| is_distinct(word) && !other.contains(word);
    opposed(sent, known)
        || sent.iter().any(|word| apart(word, known))
        || known.iter().any(|word| apart(word, sent))
}

/// Whether the known name has a side that the sent one does not mention: a `position` may be the
/// start or the end.
pub(crate) fn takes_another_side(sent: &SplitName, known: &SplitName) -> bool {
    known.meaning.iter().any(|word| takes_side(word) && !sent.meaning.contains(word))
}

fn opposed(sent: &[String], known: &[String]) -> bool {
    sent.iter().any(|a| !known.contains(a) && known.iter().any(|b| !sent.contains(b) && are_opposed(a, b)))
}

#[cfg(test)]
mod tests {
    use super::{NameContext, SplitName, compare};
    use toolwright_model::Code;

    fn code(sent: &str, known: &str) -> Option<Code> {
        compare(&SplitName::new(sent), &SplitName::new(known), NameContext::NONE)
            .map(|similarity| similarity.code)
    }

    #[test]
    fn equivalent_names_are_found() {
        for (sent, known, expected) in [
            ("device_name", "deviceName", Code::KeyForm),
            ("include>", "include", Code::KeyForm),
            ("pth", "path", Code::KeyTypo),
            ("file_path", "path", Code::AliasBySchema),
            ("path", "file_path", Code::AliasBySchema),
            ("absolute_path", "file_path", Code::AliasBySchema),
            ("old_str", "old_text", Code::AliasBySchema),
            ("cmd", "command", Code::AliasBySchema),
            ("line_limit", "limit", Code::AliasBySchema),
            ("scores", "gradeDict", Code::AliasBySchema),
            ("max_results", "limit", Code::AliasBySchema),
            ("from_date", "start_date", Code::AliasBySchema),
        ] {
            assert_eq!(code(sent, known), Some(expected), "{sent} → {known}");
        }
    }

    #[test]
    fn synonym_is_not_reported_as_same_word() {
        let why = |sent, known| {
            compare(&SplitName::new(sent), &SplitName::new(known), NameContext::NONE)
                .map(|similarity| similarity.why)
        };
        assert_eq!(why("scores", "grades").as_deref(), Some("a word for the same thing"));
        assert_eq!(why("price_min", "min_price").as_deref(), Some("the same words"));
    }

    #[test]
    fn look_alikes_are_distinguished() {
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
