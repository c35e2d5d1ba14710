//! By what and which way round: a sort field and a sort direction are two things.
//!
//! `sort_by` is the field and `sort_direction` the way round; a bare `sort` or `order` is either, and
//! then the value tells: `asc`, `descending` or `-1` is a direction, any other word is a field.

use super::compare::Surroundings;
use super::name::Name;
use super::shape::Shape;

/// What a name says about sorting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sorting {
    Field,
    Direction,
    Either,
}

fn sorting(name: &Name) -> Option<Sorting> {
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

/// Whether a key and its value are about the same side of sorting as the known name.
pub(super) fn sorts_alike(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let Some(wanted) = sorting(known) else { return true };
    if around.shape == Shape::Unknown || (around.is_option)() {
        return true;
    }
    let by_value = match around.shape {
        Shape::Other => return true,
        _ if is_direction(around.text) => Sorting::Direction,
        _ => Sorting::Field,
    };
    let said = sorting(sent).filter(|said| *said != Sorting::Either).unwrap_or(by_value);
    match (wanted, sorting(sent)) {
        (Sorting::Either, None) => true,
        (Sorting::Either, Some(Sorting::Direction)) => {
            by_value == Sorting::Field || is_way_round(known, around)
        }
        // `order` is the direction as often as not; a bare `sort` seldom is.
        (Sorting::Either, _) => {
            by_value == Sorting::Direction || &*known.folded != "order" || {
                !is_way_round(known, around) && is_by_what(around)
            }
        }
        _ => wanted == said && said == by_value,
    }
}

/// Whether a bare `order` is the direction: another parameter is the field, or the description says so.
fn is_way_round(known: &Name, around: Surroundings<'_>) -> bool {
    let is_field = |name: &&Name| {
        let is_other = name.text != known.text;
        is_other && (sorting(name) == Some(Sorting::Field) || &*name.folded == "sort")
    };
    let is_said =
        |word: &String| ["ascending", "descending", "asc", "desc", "direction"].contains(&word.as_str());
    around.declared.iter().any(is_field) || (around.described)().iter().any(is_said)
}

/// Whether the description says that things are sorted by something.
fn is_by_what(around: Surroundings<'_>) -> bool {
    (around.described)().iter().any(|word| ["by", "field", "column", "sort"].contains(&word.as_str()))
}
