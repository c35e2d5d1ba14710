//! The meaning of words: the vocabulary of parameter names, stored as word lists in `vocabulary/`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::words::singular;

/// The word lists, parsed once.
static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

type WordSet = HashSet<&'static str>;
/// For every word the groups it is in.
type Groups = HashMap<&'static str, Vec<usize>>;

struct Lexicon {
    spellings: HashMap<&'static str, &'static str>,
    synonyms: Groups,
    whole_names: Groups,
    /// For every word its axes of opposites, and its side on each.
    sides: HashMap<&'static str, Vec<(usize, usize)>>,
    axes: Vec<Axis>,
    fillers: WordSet,
    neutral: WordSet,
    neutral_endings: WordSet,
    distinct: WordSet,
    units: WordSet,
    common: WordSet,
    short: WordSet,
    vague: WordSet,
    vague_heads: WordSet,
    contents: WordSet,
    kinds: WordSet,
    keyed: WordSet,
    envelopes: WordSet,
    destructive_flags: WordSet,
    destructive_names: WordSet,
    destructive_verbs: WordSet,
}

/// The kind of opposites on an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Plain,
    /// A side may be omitted if no other parameter has the opposite side.
    Direction,
    /// What a name is, not a side that it takes.
    Head,
}

impl Lexicon {
    fn read() -> Lexicon {
        let mut lexicon = Lexicon {
            spellings: HashMap::new(),
            synonyms: groups(include_str!("vocabulary/synonyms.txt")),
            whole_names: groups(include_str!("vocabulary/whole-names.txt")),
            sides: HashMap::new(),
            axes: Vec::new(),
            fillers: set(include_str!("vocabulary/fillers.txt")),
            neutral: set(include_str!("vocabulary/neutral.txt")),
            neutral_endings: set(include_str!("vocabulary/neutral-endings.txt")),
            distinct: set(include_str!("vocabulary/distinct.txt")),
            units: set(include_str!("vocabulary/units.txt")),
            common: set(include_str!("vocabulary/common.txt")),
            short: set(include_str!("vocabulary/short.txt")),
            vague: set(include_str!("vocabulary/vague.txt")),
            vague_heads: set(include_str!("vocabulary/vague-heads.txt")),
            contents: set(include_str!("vocabulary/contents.txt")),
            keyed: set(include_str!("vocabulary/keyed.txt")),
            kinds: set(include_str!("vocabulary/kinds.txt")),
            envelopes: set(include_str!("vocabulary/envelopes.txt")),
            destructive_flags: set(include_str!("vocabulary/destructive-flags.txt")),
            destructive_names: set(include_str!("vocabulary/destructive-names.txt")),
            destructive_verbs: set(include_str!("vocabulary/destructive-verbs.txt")),
        };
        for line in lines(include_str!("vocabulary/spellings.txt")) {
            let mut words = line.split_whitespace();
            let Some(first) = words.next() else { continue };
            for word in words.chain([first]) {
                lexicon.spellings.entry(word).or_insert(first);
            }
        }
        for line in lines(include_str!("vocabulary/opposites.txt")) {
            let (kind, sides) = match line.split_once(':') {
                Some(("direction", sides)) => (Axis::Direction, sides),
                Some(("head", sides)) => (Axis::Head, sides),
                _ => (Axis::Plain, line),
            };
            let axis = lexicon.axes.len();
            lexicon.axes.push(kind);
            for (side, words) in sides.split('|').enumerate() {
                for word in words.split_whitespace() {
                    lexicon.sides.entry(word).or_default().push((axis, side));
                }
            }
        }
        lexicon
    }

    fn sides_of(&self, word: &str) -> &[(usize, usize)] {
        self.sides.get(word).map_or(&[], Vec::as_slice)
    }
}

pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

fn set(text: &'static str) -> WordSet {
    lines(text).flat_map(str::split_whitespace).collect()
}

fn groups(text: &'static str) -> Groups {
    let mut groups = Groups::new();
    for (group, line) in lines(text).enumerate() {
        for word in line.split_whitespace() {
            groups.entry(word).or_default().push(group);
        }
    }
    groups
}

fn share_group(groups: &Groups, a: &str, b: &str) -> bool {
    match (groups.get(a), groups.get(b)) {
        (Some(a), Some(b)) => a.iter().any(|group| b.contains(group)),
        _ => false,
    }
}

/// The canonical form of a word: abbreviations and spellings become one.
pub(crate) fn canonical(word: &str) -> &str {
    let find = |word: &str| LEXICON.spellings.get(word).copied();
    find(word).or_else(|| find(singular(word))).unwrap_or_else(|| singular(word))
}

/// Whether two canonical words may replace each other.
pub(crate) fn are_synonyms(a: &str, b: &str) -> bool {
    share_group(&LEXICON.synonyms, a, b)
}

/// Whether two folded names are synonyms as wholes.
pub(crate) fn are_whole_synonyms(a: &str, b: &str) -> bool {
    share_group(&LEXICON.whole_names, a, b)
}

/// Whether a folded key is one that models put around the whole arguments.
pub(crate) fn is_envelope(folded: &str) -> bool {
    LEXICON.envelopes.contains(folded)
}

/// Whether a word does not describe the purpose of a value.
pub(crate) fn is_filler(word: &str) -> bool {
    LEXICON.fillers.contains(word)
}

/// Whether a word may be added or missing.
pub(crate) fn is_neutral(word: &str) -> bool {
    LEXICON.neutral.contains(word)
}

/// Whether the word may end a name without changing its meaning.
pub(crate) fn is_neutral_ending(word: &str) -> bool {
    LEXICON.neutral_endings.contains(word)
}

/// Whether a word must be on both sides or on neither.
pub(crate) fn is_distinct(word: &str) -> bool {
    LEXICON.distinct.contains(word) || is_unit(word)
}

/// Whether a word is a unit.
pub(crate) fn is_unit(word: &str) -> bool {
    LEXICON.units.contains(word)
}

/// Whether a word is a common one.
pub(crate) fn is_common(word: &str) -> bool {
    LEXICON.common.contains(word)
}

/// Whether a word is a usual abbreviation, or one of the words that have one.
pub(crate) fn is_abbreviation(word: &str) -> bool {
    LEXICON.short.contains(word) || LEXICON.spellings.contains_key(word)
}

/// Whether a word in a description is no evidence.
pub(crate) fn is_vague(word: &str) -> bool {
    word.len() < 3 || LEXICON.vague.contains(word)
}

/// Whether a name that ends in the word is vague without its other words.
pub(crate) fn is_vague_head(word: &str) -> bool {
    LEXICON.vague_heads.contains(word)
}

/// Whether a word names something that is written: its identifier is different from itself.
pub(crate) fn is_content(word: &str) -> bool {
    LEXICON.contents.contains(word)
}

/// Whether a word names something that has a short code.
pub(crate) fn is_keyed(word: &str) -> bool {
    LEXICON.keyed.contains(word)
}

/// Whether a word names the kind of thing that is selected.
pub(crate) fn is_kind(word: &str) -> bool {
    LEXICON.kinds.contains(word)
}

/// Whether a word has a side on some axis.
pub(crate) fn takes_side(word: &str) -> bool {
    LEXICON.sides_of(word).iter().any(|(axis, _)| LEXICON.axes[*axis] != Axis::Head)
}

/// Whether a side may be omitted if no other parameter has the opposite one: `url` for `startUrl`,
/// but never `price` for `max_price`.
pub(crate) fn may_go_unsaid(word: &str) -> bool {
    LEXICON.sides_of(word).iter().all(|(axis, _)| LEXICON.axes[*axis] == Axis::Direction)
}

/// Whether two words have the same side of an axis.
pub(crate) fn same_side(a: &str, b: &str) -> bool {
    LEXICON.sides_of(a).iter().any(|side| LEXICON.sides_of(b).contains(side))
}

/// Whether two words have different sides of an axis.
pub(crate) fn are_opposed(a: &str, b: &str) -> bool {
    a != b
        && LEXICON.sides_of(a).iter().any(|(axis, side)| {
            let others = LEXICON.sides_of(b).iter().filter(|(other, _)| other == axis);
            let mut others = others.peekable();
            others.peek().is_some() && others.all(|(_, other)| other != side)
        })
}

/// Whether a flag of that folded name can destroy something.
pub(crate) fn is_destructive_flag_name(folded: &str) -> bool {
    LEXICON.destructive_names.contains(folded)
}

/// Whether a flag with that word in its name can destroy something.
pub(crate) fn is_destructive_flag_word(word: &str) -> bool {
    LEXICON.destructive_flags.contains(word)
}

/// Whether a verb destroys something, whatever its object.
pub(crate) fn is_destructive_verb(word: &str) -> bool {
    LEXICON.destructive_verbs.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_read() {
        assert_eq!(canonical("repos"), "repository");
        assert!(are_synonyms("path", "file") && are_whole_synonyms("maxresults", "limit"));
        assert!(are_opposed("old", "new") && !are_opposed("from", "start"));
        assert!(takes_side("min") || takes_side("minimum"));
        assert!(may_go_unsaid("start") && !may_go_unsaid("maximum") && !takes_side("name"));
        assert!(
            is_envelope("arguments") && is_destructive_flag_name("dryrun") && is_destructive_verb("delete")
        );
    }
}
