//! Ids for calls and results that have none: results belong to calls by name and by order.

use crate::form::Call;

/// The calls of the last turn that no result was given for yet.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    open: Vec<(String, String)>,
    turn: usize,
    calls: usize,
}

impl Pairing {
    /// A message of the model begins: the one of this number. Calls that are open from before get no result any more.
    pub(super) fn begin(&mut self, message: usize) {
        *self = Pairing { open: Vec::new(), turn: message, calls: 0 };
    }

    /// Gives a call its id, if it has none, made of its place in the conversation.
    pub(super) fn call(&mut self, call: &mut Call) {
        let id = call.id.get_or_insert_with(|| format!("call_{}_{}", self.turn, self.calls));
        self.calls += 1;
        self.open.push((id.clone(), call.name.clone()));
    }

    /// The id of the call that a result belongs to, and the tool's name: by id, else the first open call of that name,
    /// else the first open call. A result that belongs to none gets an id of its own place.
    pub(super) fn result(
        &mut self,
        id: Option<String>,
        name: Option<String>,
        message: usize,
    ) -> (String, Option<String>) {
        let by_id = id.as_ref().and_then(|id| self.open.iter().position(|(open, _)| open == id));
        let at = by_id.or_else(|| match (&id, &name) {
            (Some(_), _) => None,
            (None, Some(name)) => self.open.iter().position(|(_, open)| open == name),
            (None, None) => (!self.open.is_empty()).then_some(0),
        });
        match at {
            Some(at) => {
                let (id, called) = self.open.remove(at);
                (id, name.or(Some(called)))
            }
            None => (id.unwrap_or_else(|| format!("call_{message}_0")), name),
        }
    }
}
