//! Refused calls that may be corrected in the same conversation.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

/// Maximum number of conversations; the oldest is evicted first.
const MAX_CONVERSATIONS: usize = 4096;
/// Maximum number of refused calls of one tool in one conversation.
const MAX_PER_TOOL: usize = 4;
/// Maximum number of tools with refused calls in one conversation.
const MAX_TOOLS: usize = 32;
/// A correction must follow within half an hour.
const MAX_AGE_US: u64 = 30 * 60 * 1_000_000;

/// One refused call.
#[derive(Clone, Debug)]
pub(super) struct RefusedCall {
    pub arguments: Map<String, Value>,
    pub ts: i64,
    pub seq: u64,
}

/// The refused calls, by conversation and tool.
#[derive(Debug, Default)]
pub(super) struct RefusedCalls {
    conversations: HashMap<String, HashMap<String, VecDeque<RefusedCall>>>,
    order: VecDeque<String>,
}

impl RefusedCalls {
    pub fn add(&mut self, session: &str, tool: &str, refused: RefusedCall) {
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

    /// Removes and returns the refused calls that an accepted call at `ts` may correct.
    pub fn take(&mut self, session: &str, tool: &str, ts: i64) -> Vec<RefusedCall> {
        let calls = self.conversations.get_mut(session).and_then(|tools| tools.remove(tool));
        calls.into_iter().flatten().filter(|call| call.ts.abs_diff(ts) <= MAX_AGE_US).collect()
    }
}
