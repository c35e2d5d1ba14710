//! The same call with the same error, again and again.

use std::collections::{HashMap, HashSet};

use crate::Called;

/// Counts calls that failed, by what they were and how they failed.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    failed: HashMap<String, u32>,
}

impl Repeats {
    /// How often each call of a round has failed like this by now; 0 where it did not. The same call twice in one round
    /// counts once: the model did not know yet.
    pub fn of(&mut self, round: &[Called]) -> Vec<u32> {
        let mut seen = HashSet::new();
        let mut times = Vec::with_capacity(round.len());
        for call in round {
            let Err(error) = &call.result else {
                times.push(0);
                continue;
            };
            let tool = call.qualified_name.as_ref().unwrap_or(&call.sent_name);
            let arguments = call.arguments.as_ref().unwrap_or(&call.sent);
            let key = format!("{tool}\0{}\0{}\0{}", arguments.trim(), error.code, error.details);
            let count = self.failed.entry(key.clone()).or_default();
            if seen.insert(key) {
                *count += 1;
            }
            times.push(*count);
        }
        times
    }
}
