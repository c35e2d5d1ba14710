//! Detection of repeated failures.

use std::collections::{HashMap, HashSet};

use crate::Called;

/// Counts failed calls by call and error.
#[derive(Debug, Default)]
pub(crate) struct RepeatedFailures {
    failed: HashMap<String, u32>,
}

impl RepeatedFailures {
    /// The number of times that each call of a round has failed this way; 0 if it succeeded. Identical
    /// calls in one round count once: the model had not seen the error yet.
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
