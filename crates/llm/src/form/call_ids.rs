//! The ids of the calls of one answer: no two calls have the same.

use std::collections::HashSet;

use super::{Block, Response};

/// The ids that calls of an answer have by now.
#[derive(Clone, Debug, Default)]
pub struct CallIds(HashSet<String>);

impl CallIds {
    /// The id of a call that begins: the one that it was given, or one of its own where another call has that.
    pub fn take(&mut self, given: String) -> String {
        let mut id = given.clone();
        let mut number = 2;
        while !self.0.insert(id.clone()) {
            id = format!("{given}_{number}");
            number += 1;
        }
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
