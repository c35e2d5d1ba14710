//! Both ends of a route: `start` and `end` are the `origin` and the `destination`, if both are sent.
//!
//! One end alone is too ambiguous: a `start` may be a time.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::NameContext;
use super::lexicon::lines;
use super::looks::is_time;
use super::name::SplitName;
use super::senses;
use super::shape::ValueShape;

/// For every word the routes it is an end of, and which end.
static ENDS: LazyLock<HashMap<&'static str, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut ends: HashMap<_, Vec<_>> = HashMap::new();
    for (way, line) in lines(include_str!("vocabulary/ends.txt")).enumerate() {
        for (end, words) in line.split('|').enumerate() {
            words.split_whitespace().for_each(|word| ends.entry(word).or_default().push((way, end)));
        }
    }
    ends
});

/// The routes that a one-word name is an end of, and which end.
pub(crate) fn ends_of(name: &SplitName) -> &'static [(usize, usize)] {
    match &name.meaning[..] {
        [word] => ENDS.get(word.as_str()).map(Vec::as_slice).unwrap_or_default(),
        _ => &[],
    }
}

/// Whether a sent end can be the known one: the value is a place or a thing, not a time or an
/// address, and neither name is known to mean something else here.
pub(crate) fn may_be_end(sent: &SplitName, known: &SplitName, around: NameContext<'_>) -> bool {
    let ([sent_word], [known_word]) = (&sent.meaning[..], &known.meaning[..]) else { return false };
    matches!(around.shape, ValueShape::Word | ValueShape::Prose | ValueShape::Identifier | ValueShape::Path)
        && !is_time(around.text)
        && !senses::clash(sent_word, sent, known_word, known, around)
}
