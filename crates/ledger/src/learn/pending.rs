//! Calls that were refused and may be corrected in the same conversation.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

/// Conversations that are remembered at once; the oldest is forgotten first.
const MAX_CONVERSATIONS: usize = 4096;
/// Refused calls of one tool in one conversation.
const MAX_PER_TOOL: usize = 4;
/// Tools with refused calls in one conversation.
const MAX_TOOLS: usize = 32;
/// A correction comes within half an hour.
const MAX_AGE_US: u64 = 30 * 60 * 1_000_000;

/// One refused call.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub arguments: Map<String, Value>,
    pub ts: i64,
    pub seq: u64,
}

/// The refused calls, by conversation and tool.
#[derive(Debug, Default)]
pub(super) struct Pending {
    conversations: HashMap<String, HashMap<String, VecDeque<Refused>>>,
    order: VecDeque<String>,
}

impl Pending {
    pub fn add(&mut self, session: &str, tool: &str, refused: Refused) {
        if !self.conversations.contains_key(session) {
            while self.order.len() >= MAX_CONVERSATIONS {
                if let Some(oldest) = self.order.pop_front() {
                    self.conversations.remove(&oldest);
                }
            }
            self.order.push_back(session.to_owned());
        }
        let tools = self.conversations.entry(session.to_owned()).or_default();
        if tools.len() >= MAX_TOOLS && !tools.contains_key(tool) {
            return;
        }
        let calls = tools.entry(tool.to_owned()).or_default();
        if calls.len() >= MAX_PER_TOOL {
            calls.pop_front();
        }
        calls.push_back(refused);
    }

    /// Takes what a call that was taken at `ts` may correct.
    pub fn take(&mut self, session: &str, tool: &str, ts: i64) -> Vec<Refused> {
        let calls = self.conversations.get_mut(session).and_then(|tools| tools.remove(tool));
        calls.into_iter().flatten().filter(|call| call.ts.abs_diff(ts) <= MAX_AGE_US).collect()
    }
}
