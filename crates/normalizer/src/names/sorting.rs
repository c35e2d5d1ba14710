//! Sort field and sort direction, which must not be mixed up.
//!
//! `sort_by` is the field and `sort_direction` the direction; a bare `sort` or `order` is either, and
//! then the value decides: `asc`, `descending` or `-1` is a direction, any other word is a field.

use super::compare::NameContext;
use super::name::SplitName;
use super::shape::ValueShape;

/// The part of sorting that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sorting {
    Field,
    Direction,
    Either,
}

fn sorting(name: &SplitName) -> Option<Sorting> {
    let is_sort = |word: &String| ["sort", "order", "ordering", "sorting"].contains(&word.as_str());
    let (first, last) = (name.words.first()?, name.words.last()?);
    match last.as_str() {
        _ if name.words.len() == 1 => is_sort(first).then_some(Sorting::Either),
        _ if !name.words[..name.words.len() - 1].iter().any(is_sort) => None,
        "by" | "field" | "fields" | "column" | "columns" | "key" | "property" => Some(Sorting::Field),
        "order" | "direction" | "dir" | "ascending" | "descending" => Some(Sorting::Direction),
        _ => None,
    }
}

/// `asc`, `Descending`, `1` and `-1`.
fn is_direction(text: &str) -> bool {
    let words = ["asc", "desc", "ascending", "descending", "1", "-1"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a key and its value refer to the same part of sorting as the known name.
pub(super) fn sorts_alike(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> bool {
    let Some(known_part) = sorting(known) else { return true };
    if around.shape == ValueShape::Unknown || (around.is_option)() {
        return true;
    }
    let by_value = match around.shape {
        ValueShape::Other => return true,
        _ if is_direction(around.text) => Sorting::Direction,
        _ => Sorting::Field,
    };
    let sent_part = sorting(sent).filter(|sent_part| *sent_part != Sorting::Either).unwrap_or(by_value);
    match (known_part, sorting(sent)) {
        (Sorting::Either, None) => true,
        (Sorting::Either, Some(Sorting::Direction)) => {
            by_value == Sorting::Field || is_bare_direction(known, around)
        }
        // `order` is often the direction; a bare `sort` seldom is.
        (Sorting::Either, _) => {
            by_value == Sorting::Direction || &*known.folded != "order" || {
                !is_bare_direction(known, around) && is_bare_field(around)
            }
        }
        _ => known_part == sent_part && sent_part == by_value,
    }
}

/// Whether a bare `order` is the direction: another parameter is the field, or the description says so.
fn is_bare_direction(known: &SplitName, around: NameContext<'_>) -> bool {
    let is_field = |name: &&SplitName| {
        let is_other = name.text != known.text;
        is_other && (sorting(name) == Some(Sorting::Field) || &*name.folded == "sort")
    };
    let is_said =
        |word: &String| ["ascending", "descending", "asc", "desc", "direction"].contains(&word.as_str());
    around.declared.iter().any(is_field) || (around.described)().iter().any(is_said)
}

/// Whether the description says that things are sorted by something.
fn is_bare_field(around: NameContext<'_>) -> bool {
    (around.described)().iter().any(|word| ["by", "field", "column", "sort"].contains(&word.as_str()))
}
