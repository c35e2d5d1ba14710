//! Similarity of names, and its evidence.
//!
//! Edit distance alone is wrong here (`radius` and `diameter` are as far apart as `scores` and
//! `grades`), so names are compared by meaning: equal after folding, a typing error that is not a word of
//! its own, the same words, synonyms, or one name's words contained in the other's. Words that
//! distinguish look-alikes (old and new, min and max, units, negations) must agree on both sides.

mod affixes;
mod by_words;
mod compare;
mod description;
mod destructive;
mod ends;
mod english;
mod fold;
mod lexicon;
mod looks;
mod name;
mod nearest;
mod places;
mod senses;
mod shape;
mod signs;
mod sorting;
mod tool_name;
mod typo;
mod words;

pub(crate) use compare::{NameContext, Similarity, are_opposed_names, compare, takes_another_side};
pub(crate) use description::{clause_words, subject_words};
pub use destructive::is_destructive_flag;
pub(crate) use destructive::{has_destructive_word, is_destructive_tool, is_running_tool, is_writing_tool};
pub(crate) use ends::{ends_of, may_be_end};
pub(crate) use fold::{Folded, fold, fold_value, folds_to};
pub(crate) use lexicon::{canonical, is_destructive_verb, is_envelope, is_kind, is_unit, is_vague, lines};
pub(crate) use name::{SplitName, meaningful_words};
pub use places::starts_with_place;
pub(crate) use shape::ValueShape;
pub use signs::has_same_words;
pub use tool_name::{NameError, NameMatch, NameMiss, NamedTool, find_tool, match_tool};
pub(crate) use words::words;
