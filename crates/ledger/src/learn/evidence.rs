//! What speaks for a lesson and against it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::witness::Witness;

/// So many observations of one lesson are told apart; later ones only move the time it was last seen.
const MAX_TOLD_APART: usize = 64;
/// So many records are kept as samples.
const MAX_SAMPLES: usize = 8;
/// An error that names the parameter counts as this much of a correction by the model.
const ERROR_WEIGHT: f64 = 0.5;
/// What speaks against a lesson counts this many times.
const AGAINST_WEIGHT: f64 = 3.0;
/// Errors alone lead to no higher confidence.
const MAX_CONFIDENCE_OF_WORDS: f64 = 0.5;
/// A lesson with one observation against it needs this many for it.
const FOR_PER_AGAINST: usize = 5;
/// From this weight on a lesson is suggested: two corrections, or four errors, or one and two.
const ENOUGH: f64 = 2.0;

/// Where an observation comes from, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The model corrected itself in the same conversation.
    Retry,
    /// The tool's error named the parameter.
    ToolError,
    /// The same call was refused again. It counts how often the rule would help and is no reason for it.
    Refusal,
}

/// A witness and what the observation was about. The same twice is one observation.
type Observation = (Witness, u64);

/// All that is known about one lesson.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    retries: BTreeSet<Observation>,
    /// Witnesses with a correction in which the lesson explains everything that was changed.
    clean: BTreeSet<Witness>,
    errors: BTreeSet<Observation>,
    against: BTreeSet<Observation>,
    /// How often calls were refused for it.
    pub refusals: u64,
    /// Whether in every correction only one required parameter was left for the value.
    pub is_sole: bool,
    pub first: i64,
    pub last: i64,
    pub samples: Vec<u64>,
}

/// One observation as it is noted.
pub(super) struct Seen<'s> {
    pub witness: &'s Witness,
    pub about: &'s str,
    pub ts: i64,
    pub seq: u64,
}

impl Known {
    pub fn retry(&mut self, seen: &Seen<'_>, is_clean: bool, is_sole: bool) {
        self.is_sole = is_sole && (self.is_sole || self.retries.is_empty());
        insert(&mut self.retries, seen);
        if is_clean && self.clean.len() < MAX_TOLD_APART {
            self.clean.insert(seen.witness.clone());
        }
        self.touch(seen);
    }

    pub fn error(&mut self, seen: &Seen<'_>) {
        insert(&mut self.errors, seen);
        self.touch(seen);
    }

    pub fn against(&mut self, seen: &Seen<'_>) {
        insert(&mut self.against, seen);
    }

    fn touch(&mut self, seen: &Seen<'_>) {
        if self.samples.is_empty() {
            self.first = seen.ts;
        }
        self.last = self.last.max(seen.ts);
        if self.samples.len() < MAX_SAMPLES && !self.samples.contains(&seen.seq) {
            self.samples.push(seen.seq);
        }
    }

    /// How many corrections there were.
    pub fn retries(&self) -> usize {
        self.retries.len()
    }

    /// How many witnesses that may decide corrected nothing but this.
    pub fn deciding(&self, deciders: &[String]) -> usize {
        self.clean.iter().filter(|witness| witness.may_decide(deciders)).count()
    }

    /// Whether somebody who may not decide corrected this.
    pub fn has_others(&self, deciders: &[String]) -> bool {
        self.clean.iter().any(|witness| !witness.may_decide(deciders))
    }

    /// Who the observations come from, by name.
    pub fn witnesses(&self) -> BTreeSet<String> {
        self.retries.iter().chain(&self.errors).map(|(witness, _)| witness.name()).collect()
    }

    pub fn against_count(&self) -> usize {
        self.against.len()
    }

    pub fn observations(&self) -> usize {
        self.retries.len() + self.errors.len()
    }

    pub fn sessions(&self) -> usize {
        let all = self.retries.iter().chain(&self.errors).map(|(witness, _)| witness);
        all.collect::<BTreeSet<_>>().len()
    }

    pub fn sources(&self) -> BTreeMap<Source, u64> {
        let counts = [
            (Source::Retry, self.retries.len() as u64),
            (Source::ToolError, self.errors.len() as u64),
            (Source::Refusal, self.refusals),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    fn weight(&self) -> f64 {
        self.retries.len() as f64 + ERROR_WEIGHT * self.errors.len() as f64
    }

    /// Whether there is enough for a suggestion. `rivals` is what speaks for another reading.
    pub fn is_enough(&self, rivals: usize) -> bool {
        self.weight() >= ENOUGH && self.observations() >= (self.against.len() + rivals) * FOR_PER_AGAINST
    }

    /// `w / (w + 1 + 3·against)`, where `w` is the corrections plus half of the errors: 0.67 for two corrections,
    /// 0.8 for four, at most 0.5 for errors alone.
    pub fn confidence(&self, rivals: usize) -> f64 {
        let weight = self.weight();
        let against = AGAINST_WEIGHT * (self.against.len() + rivals) as f64;
        let confidence = weight / (weight + 1.0 + against);
        if self.retries.is_empty() { confidence.min(MAX_CONFIDENCE_OF_WORDS) } else { confidence }
    }
}

fn insert(into: &mut BTreeSet<Observation>, seen: &Seen<'_>) {
    if into.len() < MAX_TOLD_APART {
        into.insert((seen.witness.clone(), fingerprint(seen.about)));
    }
}

/// A number for a value: the values themselves are not kept.
fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{Known, Seen, Witness};

    fn owner(session: &str) -> Witness {
        Witness::Owner(session.to_owned())
    }

    fn seen<'s>(witness: &'s Witness, about: &'s str) -> Seen<'s> {
        Seen { witness, about, ts: 1, seq: 1 }
    }

    #[test]
    fn the_same_value_twice_in_one_conversation_is_one_observation() {
        let mut known = Known::default();
        known.retry(&seen(&owner("a"), "x"), true, true);
        known.retry(&seen(&owner("a"), "x"), true, true);
        assert!(!known.is_enough(0));
        known.retry(&seen(&owner("a"), "y"), true, true);
        assert!(known.is_enough(0));
        assert_eq!(known.sessions(), 1);
    }

    #[test]
    fn one_observation_against_it_needs_five_for_it() {
        let mut known = Known::default();
        for session in ["a", "b", "c", "d"] {
            known.retry(&seen(&owner(session), "x"), true, true);
        }
        known.against(&seen(&owner("e"), "z"));
        assert!(!known.is_enough(0));
        known.retry(&seen(&owner("f"), "x"), true, true);
        assert!(known.is_enough(0));
        assert!(!known.is_enough(1));
    }

    #[test]
    fn errors_count_half_and_never_make_sure() {
        let mut known = Known::default();
        for session in ["a", "b", "c"] {
            known.error(&seen(&owner(session), "x"));
        }
        assert!(!known.is_enough(0));
        for session in ["d", "e", "f", "g", "h", "i"] {
            known.error(&seen(&owner(session), "x"));
        }
        assert!(known.is_enough(0));
        assert!(known.confidence(0) <= 0.5);
    }
}
