//! Repeated guesses: the same rename in every item of a list is one guess.
//!
//! # What it does
//! `[{"file_path": "a"}, {"file_path": "b"}]` has the risk of `file_path` → `path` once, whatever the length
//! of the list.
//!
//! # What it does not do
//! Another rename, the same one at another position in the schema, and guesses in the text each count
//! separately.

use std::collections::HashSet;

use toolwright_model::{Change, Code};

use super::{Fit, ValuePath};

/// The guesses in the items of a list or in the entries of a map so far.
#[derive(Default)]
pub(super) struct Guesses {
    known: HashSet<Guess>,
}

/// The step, its position below the item, and the values before and after.
#[derive(PartialEq, Eq, Hash)]
struct Guess {
    code: Code,
    place: String,
    from: Option<String>,
    to: Option<String>,
}

impl Guesses {
    /// Returns the fit of one more item, without its risk if all its guesses are known.
    pub fn count<'a>(&mut self, fit: Fit<'a>, item: &ValuePath<'_>) -> Fit<'a> {
        if fit.risk == 0 {
            return fit;
        }
        let start = item.to_string().len();
        let guesses: Vec<Guess> = fit.changes.iter().filter_map(|change| Guess::of(change, start)).collect();
        let is_known = !guesses.is_empty() && guesses.iter().all(|guess| self.known.contains(guess));
        self.known.extend(guesses);
        Fit { risk: if is_known { 0 } else { fit.risk }, ..fit }
    }
}

impl Guess {
    /// The guess in a change of an item whose path has `start` bytes.
    fn of(change: &Change, start: usize) -> Option<Guess> {
        let (from, to) = match change.code {
            Code::KeyTypo | Code::AliasBySchema | Code::WrapperRestored | Code::StringToContainer => {
                (change.from.clone(), change.to.clone())
            }
            // The guess is that the string contains JSON, not which JSON.
            Code::ContainerToString => (None, None),
            _ => return None,
        };
        let is_index = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = change.path.get(start..).unwrap_or_default().split('/');
        let place: Vec<&str> = parts.map(|part| if is_index(&part) { "*" } else { part }).collect();
        Some(Guess { code: change.code, place: place.join("/"), from, to })
    }
}
