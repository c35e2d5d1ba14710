//! Evidence for and against a rule candidate.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::witness::Witness;

/// Maximum number of distinct observations of a candidate; later ones only update the time it was last seen.
const MAX_OBSERVATIONS: usize = 64;
/// Maximum number of sample records.
const MAX_SAMPLES: usize = 8;
/// Weight of an error that names the parameter, relative to a correction by the model.
const ERROR_WEIGHT: f64 = 0.5;
/// Weight of an observation against a candidate.
const AGAINST_WEIGHT: f64 = 3.0;
/// Maximum confidence from error messages alone.
const MAX_CONFIDENCE_OF_ERRORS: f64 = 0.5;
/// Observations that a candidate needs for each one against it.
const FOR_PER_AGAINST: usize = 5;
/// Weight from which a candidate is suggested: two corrections, four errors, or one and two.
const ENOUGH: f64 = 2.0;

/// Source of an observation, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The model corrected itself in the same conversation.
    Retry,
    /// The tool's error named the parameter.
    ToolError,
    /// The same call was refused again. Counts how often the rule would help, and is no evidence.
    Refusal,
}

/// Witness and subject of an observation. Equal keys are one observation.
type ObservationKey = (Witness, u64);

/// All evidence about one candidate.
#[derive(Clone, Debug, Default)]
pub(super) struct EvidenceTally {
    retries: BTreeSet<ObservationKey>,
    /// Witnesses with a correction that the candidate explains completely.
    clean: BTreeSet<Witness>,
    errors: BTreeSet<ObservationKey>,
    against: BTreeSet<ObservationKey>,
    /// Number of refused calls with this mistake.
    pub refusals: u64,
    /// Whether in every correction only one required parameter was missing for the value.
    pub is_sole: bool,
    pub first: i64,
    pub last: i64,
    pub samples: Vec<u64>,
}

/// One observation.
pub(super) struct Observation<'s> {
    pub witness: &'s Witness,
    pub about: &'s str,
    pub ts: i64,
    pub seq: u64,
}

impl EvidenceTally {
    pub fn retry(&mut self, observation: &Observation<'_>, is_clean: bool, is_sole: bool) {
        self.is_sole = is_sole && (self.is_sole || self.retries.is_empty());
        insert(&mut self.retries, observation);
        if is_clean && self.clean.len() < MAX_OBSERVATIONS {
            self.clean.insert(observation.witness.clone());
        }
        self.touch(observation);
    }

    pub fn error(&mut self, observation: &Observation<'_>) {
        insert(&mut self.errors, observation);
        self.touch(observation);
    }

    pub fn against(&mut self, observation: &Observation<'_>) {
        insert(&mut self.against, observation);
    }

    fn touch(&mut self, observation: &Observation<'_>) {
        if self.samples.is_empty() {
            self.first = observation.ts;
        }
        self.last = self.last.max(observation.ts);
        if self.samples.len() < MAX_SAMPLES && !self.samples.contains(&observation.seq) {
            self.samples.push(observation.seq);
        }
    }

    /// Number of corrections.
    pub fn retries(&self) -> usize {
        self.retries.len()
    }

    /// Number of witnesses with the right to decide that corrected nothing else.
    pub fn deciding(&self, deciders: &[String]) -> usize {
        self.clean.iter().filter(|witness| witness.may_decide(deciders)).count()
    }

    /// Whether a witness without the right to decide corrected this.
    pub fn has_others(&self, deciders: &[String]) -> bool {
        self.clean.iter().any(|witness| !witness.may_decide(deciders))
    }

    /// Names of the witnesses.
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

    /// Whether the evidence suffices for a suggestion. `rivals` is the evidence for contradicting candidates.
    pub fn is_enough(&self, rivals: usize) -> bool {
        self.weight() >= ENOUGH && self.observations() >= (self.against.len() + rivals) * FOR_PER_AGAINST
    }

    /// `w / (w + 1 + 3·against)`, where `w` is the corrections plus half of the errors: 0.67 for two corrections, 0.8
    /// for four, at most 0.5 for errors alone.
    pub fn confidence(&self, rivals: usize) -> f64 {
        let weight = self.weight();
        let against = AGAINST_WEIGHT * (self.against.len() + rivals) as f64;
        let confidence = weight / (weight + 1.0 + against);
        if self.retries.is_empty() { confidence.min(MAX_CONFIDENCE_OF_ERRORS) } else { confidence }
    }
}

fn insert(into: &mut BTreeSet<ObservationKey>, observation: &Observation<'_>) {
    if into.len() < MAX_OBSERVATIONS {
        into.insert((observation.witness.clone(), fingerprint(observation.about)));
    }
}

/// Hash of a value: the values themselves are not stored.
fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{EvidenceTally, Observation, Witness};

    fn owner(session: &str) -> Witness {
        Witness::Owner(session.to_owned())
    }

    fn observation<'s>(witness: &'s Witness, about: &'s str) -> Observation<'s> {
        Observation { witness, about, ts: 1, seq: 1 }
    }

    #[test]
    fn same_value_in_one_conversation_is_one_observation() {
        let mut tally = EvidenceTally::default();
        tally.retry(&observation(&owner("a"), "x"), true, true);
        tally.retry(&observation(&owner("a"), "x"), true, true);
        assert!(!tally.is_enough(0));
        tally.retry(&observation(&owner("a"), "y"), true, true);
        assert!(tally.is_enough(0));
        assert_eq!(tally.sessions(), 1);
    }

    #[test]
    fn one_observation_against_needs_five_for() {
        let mut tally = EvidenceTally::default();
        for session in ["a", "b", "c", "d"] {
            tally.retry(&observation(&owner(session), "x"), true, true);
        }
        tally.against(&observation(&owner("e"), "z"));
        assert!(!tally.is_enough(0));
        tally.retry(&observation(&owner("f"), "x"), true, true);
        assert!(tally.is_enough(0));
        assert!(!tally.is_enough(1));
    }

    #[test]
    fn errors_count_half_and_limit_confidence() {
        let mut tally = EvidenceTally::default();
        for session in ["a", "b", "c"] {
            tally.error(&observation(&owner(session), "x"));
        }
        assert!(!tally.is_enough(0));
        for session in ["d", "e", "f", "g", "h", "i"] {
            tally.error(&observation(&owner(session), "x"));
        }
        assert!(tally.is_enough(0));
        assert!(tally.confidence(0) <= 0.5);
    }
}
