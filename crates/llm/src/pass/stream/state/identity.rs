//! By what clients know a call: its number and its id.

use toolwright_jsonrpc::raw;

use super::State;
use crate::pass::document::made_id;
use crate::pass::stream::held::Marks;
use crate::pass::walk::decoded;
use crate::pass::{CallKey, Identity, Span};

impl State {
    /// Sees to it that clients can tell this call from the others, and put its pieces together.
    pub(super) fn identify(&mut self, at: usize, key: &CallKey, identity: &Identity, marks: &mut Marks) {
        let (is_first, is_id_free) = self.calls.identify(at);
        let call = &self.calls.list[at];
        let mut members = Vec::new();
        match &identity.index {
            Some(_) if key.index == Some(call.number) => {}
            Some(span) => marks.edits.push((span.clone(), call.number.to_string())),
            None => members.push(format!("\"index\":{}", call.number)),
        }
        match &identity.id {
            // Told before, and clients add what comes to what came.
            Some(span) if !is_first && key.id.is_some() => {
                marks.edits.push((span.clone(), "null".to_owned()))
            }
            _ if !is_first || is_id_free => {}
            told => {
                let made = raw::quote(&made_id(&self.text.id_seed, at));
                match told {
                    Some(span) => marks.edits.push((span.clone(), made)),
                    None => members.push(format!("\"id\":{made}")),
                }
                // Who leaves out the one leaves out the other.
                if !identity.has_type {
                    members.push("\"type\":\"function\"".to_owned());
                }
            }
        }
        marks.edits.extend(identity.put(&members));
    }

    /// The same where the dialect always has an id: one that another call has, or that is empty, becomes another, the
    /// same wherever the call is told.
    pub(super) fn tell_apart(&mut self, at: usize, span: Span, data: &str, marks: &mut Marks) {
        let sent = decoded(data, &span);
        let told = self.calls.list[at].told_id.get_or_insert_with(|| match sent.is_empty() {
            true => made_id(&self.text.id_seed, at),
            false => self.ids.take(sent.clone().into_owned()),
        });
        if *told != sent {
            marks.edits.push((span, raw::quote(told)));
        }
    }
}
