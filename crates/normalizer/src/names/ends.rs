//! Both ends of a way: `start` and `end` are the `origin` and the `destination`, when both are said.
//!
//! One end alone says too little: a `start` may be a time.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::compare::Surroundings;
use super::lexicon::lines;
use super::looks::is_time;
use super::name::Name;
use super::senses;
use super::shape::Shape;

/// For every word the ways it is an end of, and which end.
static ENDS: LazyLock<HashMap<&'static str, Vec<(usize, usize)>>> = LazyLock::new(|| {
    let mut ends: HashMap<_, Vec<_>> = HashMap::new();
    for (way, line) in lines(include_str!("vocabulary/ends.txt")).enumerate() {
        for (end, words) in line.split('|').enumerate() {
            words.split_whitespace().for_each(|word| ends.entry(word).or_default().push((way, end)));
        }
    }
    ends
});

/// The ways that a name of one word is an end of, and which end.
pub(crate) fn ends_of(name: &Name) -> &'static [(usize, usize)] {
    match &name.meaning[..] {
        [word] => ENDS.get(word.as_str()).map(Vec::as_slice).unwrap_or_default(),
        _ => &[],
    }
}

/// Whether nothing speaks against a sent end being the known one: a place or a thing was sent, no time
/// and no address, and neither name is known to mean something else here.
pub(crate) fn may_be_end(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let ([sent_word], [known_word]) = (&sent.meaning[..], &known.meaning[..]) else { return false };
    matches!(around.shape, Shape::Word | Shape::Prose | Shape::Identifier | Shape::Path)
        && !is_time(around.text)
        && !senses::clash(sent_word, sent, known_word, known, around)
}
