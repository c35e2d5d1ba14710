//! The ids of the calls of one answer: no two calls have the same.

use std::collections::HashMap;

use super::{Block, Response};

/// The ids that calls of an answer have by now, each with the number that is tried next for another call of that id: so
/// many calls with one id do not cost more each.
#[derive(Clone, Debug, Default)]
pub struct CallIds(HashMap<String, usize>);

impl CallIds {
    /// The id of a call that begins: the one that it was given, or one of its own where another call has that.
    pub fn take(&mut self, given: String) -> String {
        let Some(&next) = self.0.get(&given) else {
            self.0.insert(given.clone(), 2);
            return given;
        };
        let mut number = next;
        let mut id = format!("{given}_{number}");
        while self.0.contains_key(&id) {
            number += 1;
            id = format!("{given}_{number}");
        }
        self.0.insert(given, number + 1);
        self.0.insert(id.clone(), 2);
        id
    }
}

impl Response {
    /// Gives calls that have the id of another one ids of their own.
    pub fn tell_calls_apart(&mut self) {
        let mut ids = CallIds::default();
        for block in &mut self.blocks {
            if let Block::Call(call) = block
                && let Some(id) = call.id.take()
            {
                call.id = Some(ids.take(id));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_has_an_id_of_its_own_and_the_first_keeps_it() {
        let mut ids = CallIds::default();
        let taken = ["a", "a", "a_2", "a", "b"].map(|id| ids.take(id.to_owned()));
        assert_eq!(taken, ["a", "a_2", "a_2_2", "a_3", "b"]);
    }
}
