//! The evidence that one name stands for another.

use toolwright_model::Code;

use super::by_words::by_words;
use super::lexicon::{
    are_opposed, are_whole_synonyms, canonical, is_distinct, is_unit, may_go_unsaid, takes_side,
};
use super::looks::speaks_otherwise;
use super::name::Name;
use super::senses;
use super::shape::Shape;
use super::sorting::sorts_alike;
use super::typo::{is_plural_pair, slips};
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
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'n> {
    /// Words that the tool's own name already says: they may be added or missing.
    pub tool_words: &'n [String],
    /// All names the schema declares.
    pub declared: &'n [&'n Name],
    /// The words of what the schema says about the known name; asked for only when needed.
    pub described: &'n dyn Fn() -> Vec<String>,
    /// The words of what the schema says that it is.
    pub clause: &'n dyn Fn() -> Vec<String>,
    /// What the sent value looks like.
    pub shape: Shape,
    /// The text of a string or a number that was sent.
    pub text: &'n str,
    /// Whether the value is one of those that the known name allows; asked for only when needed.
    pub is_option: &'n dyn Fn() -> bool,
}

impl Surroundings<'_> {
    /// Nothing but the two names.
    pub const NONE: Surroundings<'static> = Surroundings {
        tool_words: &[],
        declared: &[],
        described: &Vec::new,
        clause: &Vec::new,
        shape: Shape::Unknown,
        text: "",
        is_option: &|| false,
    };
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
        return likeness(costs::KEY_FORM, Code::KeyForm, why.into());
    }
    if around.shape.is_numeric() && differ_in_number(sent, known) {
        return None;
    }
    let are_opposed = opposed(&sent.meaning, &known.meaning);
    if let Some(strokes) = slips(sent, known)
        && !are_opposed
    {
        return likeness(
            costs::KEY_TYPO * strokes,
            Code::KeyTypo,
            format!("{strokes} stroke{} away", if strokes == 1 { "" } else { "s" }),
        );
    }
    if !around.shape.may_be(known)
        || names_another_kind(sent, known, around)
        || !sorts_alike(sent, known, around)
        || speaks_otherwise(known, around)
    {
        return None;
    }
    if are_whole_synonyms(&sent.folded, &known.folded)
        && senses::agree(&sent.folded, sent, &known.folded, known, around)
    {
        return likeness(costs::KEY_SYNONYM, Code::AliasBySchema, "names used for one another".into());
    }
    if sent.meaning.is_empty() || known.meaning.is_empty() || are_opposed {
        return None;
    }
    if around.shape == Shape::Number && counts_the_plural(&sent.meaning, known) {
        let why = "the count of them".to_owned();
        return Some(Likeness {
            cost: costs::KEY_SYNONYM,
            code: Code::AliasBySchema,
            why,
            needs_exact_value: true,
        });
    }
    if names_the_recipient(sent, known, around) {
        let why = "the only address that the mail goes to".to_owned();
        return Some(Likeness {
            cost: costs::KEY_SYNONYM,
            code: Code::AliasBySchema,
            why,
            needs_exact_value: true,
        });
    }
    if names_the_side(sent, known, around) {
        let cost = costs::KEY_CONTAINED + costs::KEY_FOREIGN_WORD;
        let why = "the only parameter of that side".to_owned();
        return Some(Likeness { cost, code: Code::AliasBySchema, why, needs_exact_value: true });
    }
    by_words(sent, known, around)
}

/// A `folder_path` is not what a `folder` described as an identifier takes.
fn names_another_kind(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let head = sent.words.last().map_or("", String::as_str);
    ["name", "username", "path", "url", "title"].contains(&head)
        && !known.words.iter().any(|word| word == head)
        && (around.clause)().iter().any(|word| word == "identifier")
}

/// A `year` is no number of `years`: with a number the plural counts and the singular chooses.
fn differ_in_number(sent: &Name, known: &Name) -> bool {
    const CHOSEN: &[&str] = &[
        "page", "line", "row", "column", "item", "user", "result", "record", "entry", "step", "slide",
        "chapter", "episode",
    ];
    let counts = |name: &Name| name.meaning.iter().any(|word| word == "count");
    let is_chosen = |word: &str| is_unit(word) || CHOSEN.contains(&word);
    !counts(sent)
        && !counts(known)
        && sent
            .words
            .iter()
            .any(|a| is_chosen(canonical(a)) && known.words.iter().any(|b| is_plural_pair(a, b)))
}

/// `from` for `from_currency`, when nothing else is from somewhere.
fn names_the_side(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let ([side], [first, _]) = (&sent.meaning[..], &known.meaning[..]) else { return false };
    let takes = |name: &&&Name| name.meaning.contains(side);
    let is_direction = may_go_unsaid(side) || ["minimum", "maximum"].contains(&side.as_str());
    side == first && takes_side(side) && is_direction && around.declared.iter().filter(takes).count() == 1
}

/// `email` for the `to` of a mail, when it is an address and nothing says from whom.
fn names_the_recipient(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let is_mail = around.tool_words.iter().any(|word| ["email", "mail"].contains(&word.as_str()));
    let says_from_whom = |name: &&Name| {
        name.meaning.iter().any(|word| ["from", "sender", "reply", "email"].contains(&word.as_str()))
    };
    let is_address = matches!(&sent.meaning[..], [only] if only == "email") && around.shape == Shape::Email;
    is_address
        && is_mail
        && ["to", "recipient", "recipients"].contains(&&*known.folded)
        && !around.declared.iter().any(says_from_whom)
}

/// `replica_count` and `number_of_replicas` for `replicas`.
fn counts_the_plural(sent: &[String], known: &Name) -> bool {
    let [a, b] = sent else { return false };
    let what = if b == "count" { a } else { b };
    (a == "count" || b == "count")
        && known.words.len() == 1
        && known.words[0].strip_suffix('s') == Some(what.as_str())
}

/// Whether two names take opposite sides or differ in a word that sets meanings apart.
pub(crate) fn are_opposed_names(sent: &Name, known: &Name) -> bool {
    let (sent, known) = (&sent.meaning, &known.meaning);
    let apart = |word: &String, other: &[String]| is_distinct(word) && !other.contains(word);
    opposed(sent, known)
        || sent.iter().any(|word| apart(word, known))
        || known.iter().any(|word| apart(word, sent))
}

/// Whether the known name takes a side that the sent one does not speak of: a `position` may be the
/// start or the end.
pub(crate) fn takes_another_side(sent: &Name, known: &Name) -> bool {
    known.meaning.iter().any(|word| takes_side(word) && !sent.meaning.contains(word))
}

fn opposed(sent: &[String], known: &[String]) -> bool {
    sent.iter().any(|a| !known.contains(a) && known.iter().any(|b| !sent.contains(b) && are_opposed(a, b)))
}

#[cfg(test)]
mod tests {
    use super::{Name, Surroundings, compare};
    use toolwright_model::Code;

    fn code(sent: &str, known: &str) -> Option<Code> {
        compare(&Name::new(sent), &Name::new(known), Surroundings::NONE).map(|likeness| likeness.code)
    }

    #[test]
    fn names_that_stand_for_each_other_are_found() {
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
    fn a_synonym_is_not_called_the_same_word() {
        let why = |sent, known| {
            compare(&Name::new(sent), &Name::new(known), Surroundings::NONE).map(|likeness| likeness.why)
        };
        assert_eq!(why("scores", "grades").as_deref(), Some("a word for the same thing"));
        assert_eq!(why("price_min", "min_price").as_deref(), Some("the same words"));
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
