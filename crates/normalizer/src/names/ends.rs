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

static ENDS: LazyLock<HashMap<&'static str, usize>> = LazyLock::new(|| {
    let ends = lines(include_str!("vocabulary/ends.txt")).flat_map(|line| line.split('|').enumerate());
    ends.flat_map(|(end, words)| words.split_whitespace().map(move |word| (word, end))).collect()
});

/// Which end a name of one word is.
pub(crate) fn end_of(name: &Name) -> Option<usize> {
    let [word] = &name.meaning[..] else { return None };
    ENDS.get(word.as_str()).copied()
}

/// Whether nothing speaks against a sent end being the known one: a place or a thing was sent, no time
/// and no address, and neither name is known to mean something else here.
pub(crate) fn may_be_end(sent: &Name, known: &Name, around: Surroundings<'_>) -> bool {
    let ([sent_word], [known_word]) = (&sent.meaning[..], &known.meaning[..]) else { return false };
    matches!(around.shape, Shape::Word | Shape::Prose | Shape::Identifier | Shape::Path)
        && !is_time(around.text)
        && !senses::clash(sent_word, sent, known_word, known, around)
}
