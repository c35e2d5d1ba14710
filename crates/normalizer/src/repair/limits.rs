//! How much is looked through before a call is given up.
//!
//! Everything that grows faster than the call itself is paid for from the judge's time limit, before
//! it is begun.

use toolwright_jsonrpc::raw::Member;
use toolwright_model::{Code, Problem};

use super::draft::Draft;
use super::{Fitter, Path, problem, too_much};
use crate::schema::{Goal, KEYS_PER_STEP, KeyState, MAX_NAME_BYTES, steps};

/// How many values are mended in one call.
const MAX_FITS: u32 = 500_000;
/// An object with more members is not mended.
const MAX_MEMBERS: usize = 10_000;
/// How many keys may be compared with how many names in one object.
const MAX_COMPARISONS: usize = 20_000;
/// How often a declared name may be looked at in one object while keys are compared with names.
const MAX_LOOKS: usize = 800_000;
/// What fitting a value to one goal takes of the time limit.
const FIT_STEPS: u32 = 16;
/// So many declared names are looked through in one step when two names are compared.
const NAMES_PER_STEP: usize = 2;

/// A refusal gives no more reasons than this.
pub(super) const MAX_PROBLEMS: usize = 64;

/// Whether a key is short enough to be compared with names by likeness.
pub(super) fn is_comparable(key: &str) -> bool {
    key.len() <= MAX_NAME_BYTES
}

impl<'s, 'a> Fitter<'s, 'a> {
    /// Counts one more value to mend; false when that is one too many.
    pub(super) fn begin_fit(&self) -> bool {
        let fits = self.fits.get() + 1;
        self.fits.set(fits);
        if fits > MAX_FITS {
            self.judge.exhaust();
        }
        !self.judge.is_exhausted()
    }

    /// Pays for fitting a value to one goal.
    pub(super) fn spend_on_goal(&self) -> bool {
        self.judge.spend_many(FIT_STEPS)
    }

    /// Pays for comparing so many keys with so many names, each comparison with a look at all of them.
    pub(super) fn spend_on_comparisons(&self, keys: usize, names: usize) -> bool {
        self.judge.spend_many(steps(keys.saturating_mul(names).saturating_mul(names / NAMES_PER_STEP)))
    }

    /// Why an object is too large to be mended.
    pub(super) fn too_large(&self, goal: &Goal, members: &[Member<'a>], path: &Path<'_>) -> Option<Problem> {
        if members.len() > MAX_MEMBERS {
            let message = format!(
                "an object of {} members does not fit and is too large to be mended (at most {MAX_MEMBERS})",
                members.len()
            );
            return Some(problem(Code::OverLimit, path, message));
        }
        let schema = self.judge.schema();
        let required = members.len().saturating_mul(goal.required_count(schema)) / KEYS_PER_STEP;
        let patterns = goal.pattern_count(schema);
        let paid = self.judge.spend_many(steps(required))
            && members.iter().all(|member| self.judge.spend_on_patterns(patterns, member.key));
        (!paid).then(|| too_much(path))
    }

    /// Why there are too many unknown keys to tell which is which.
    pub(super) fn too_many_unknown(
        &self,
        goal: &Goal,
        draft: &Draft<'s, 'a>,
        path: &Path<'_>,
    ) -> Option<Problem> {
        let schema = self.judge.schema();
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
            && self.judge.spend_many(patterns)
            && self.judge.spend_many(steps(members));
        (!paid).then(|| too_much(path))
    }
}
