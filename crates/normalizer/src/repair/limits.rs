//! Limits on the work for one call.
//!
//! Everything that grows faster than the call itself is charged to the validator's step limit before it
//! starts.

use toolwright_jsonrpc::raw::Member;
use toolwright_model::{Code, Problem};

use super::draft::ObjectDraft;
use super::{Fitter, ValuePath, problem, too_many_steps};
use crate::schema::{Goal, KEYS_PER_STEP, KeyState, MAX_NAME_BYTES, steps};

/// Maximum number of values that are repaired in one call.
const MAX_FITS: u32 = 500_000;
/// An object with more members is not repaired.
const MAX_MEMBERS: usize = 10_000;
/// Maximum number of comparisons between keys and names in one object.
const MAX_COMPARISONS: usize = 20_000;
/// Maximum number of lookups of declared names in one object while keys are compared with names.
const MAX_LOOKS: usize = 800_000;
/// Steps charged for fitting a value to one goal.
const FIT_STEPS: u32 = 16;
/// Number of declared names that are scanned per step when two names are compared.
const NAMES_PER_STEP: usize = 2;

/// Maximum number of problems in a refusal.
pub(super) const MAX_PROBLEMS: usize = 64;

/// Whether a key is short enough to be compared with names.
pub(super) fn is_comparable(key: &str) -> bool {
    key.len() <= MAX_NAME_BYTES
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Counts one more value to repair; returns false if the limit is exceeded.
    pub(super) fn begin_fit(&self) -> bool {
        let fits = self.fits.get() + 1;
        self.fits.set(fits);
        if fits > MAX_FITS {
            self.validator.exhaust();
        }
        !self.validator.is_exhausted()
    }

    /// Charges for fitting a value to one goal.
    pub(super) fn spend_on_goal(&self) -> bool {
        self.validator.spend_many(FIT_STEPS)
    }

    /// Charges for comparing `keys` keys with `names` names, each comparison with a scan of all names.
    pub(super) fn spend_on_comparisons(&self, keys: usize, names: usize) -> bool {
        self.validator.spend_many(steps(keys.saturating_mul(names).saturating_mul(names / NAMES_PER_STEP)))
    }

    /// The problem if an object is too large to be repaired.
    pub(super) fn too_large(
        &self,
        goal: &Goal,
        members: &[Member<'a>],
        path: &ValuePath<'_>,
    ) -> Option<Problem> {
        if members.len() > MAX_MEMBERS {
            let message = format!(
                "an object of {} members does not fit and is too large to be repaired (at most {MAX_MEMBERS})",
                members.len()
            );
            return Some(problem(Code::OverLimit, path, message));
        }
        let schema = self.validator.schema();
        let required = members.len().saturating_mul(goal.required_count(schema)) / KEYS_PER_STEP;
        let patterns = goal.pattern_count(schema);
        let paid = self.validator.spend_many(steps(required))
            && members.iter().all(|member| self.validator.spend_on_patterns(patterns, member.key));
        (!paid).then(|| too_many_steps(path))
    }

    /// The problem if there are too many unknown keys to assign them.
    pub(super) fn too_many_unknown(
        &self,
        goal: &Goal,
        draft: &ObjectDraft<'s, 'a>,
        path: &ValuePath<'_>,
    ) -> Option<Problem> {
        let schema = self.validator.schema();
        let unknown = draft.entries.iter().filter(|entry| entry.state != KeyState::Declared).count();
        let names = goal.property_count(schema);
        if unknown.saturating_mul(names.max(1)) > MAX_COMPARISONS {
            let message = "there are too many unknown parameters to tell which is which";
            return Some(problem(Code::OverLimit, path, message));
        }
        if unknown * names > MAX_LOOKS / names.max(1) {
            let message = match unknown {
                1 => format!(
                    "one parameter is unknown, and the tool has {names}: too many to tell which is meant"
                ),
                _ => format!(
                    "{unknown} of the parameters are unknown, and the tool has {names}: too many to tell which are meant"
                ),
            };
            return Some(problem(Code::OverLimit, path, message));
        }
        let patterns = steps(unknown * names).saturating_mul(steps(goal.pattern_count(schema)) / 4);
        let members = names.saturating_mul(draft.entries.len()) / KEYS_PER_STEP;
        let paid = self.spend_on_comparisons(unknown, names)
            && self.validator.spend_many(patterns)
            && self.validator.spend_many(steps(members));
        (!paid).then(|| too_many_steps(path))
    }
}
