//! Whose a task is: servers make them while they answer calls, and clients ask for them later by id.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use toolwright_jsonrpc::Json;

use super::members::Member;

/// How many tasks are remembered; of more the oldest are forgotten.
const KEPT: usize = 10_000;

/// The tasks that went through an endpoint.
#[derive(Default)]
pub(super) struct Tasks {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Toolbox and server by the id of the task.
    servers: HashMap<String, (String, String)>,
    order: VecDeque<String>,
}

impl Tasks {
    /// Remembers the task that a result tells of, if it does.
    pub fn note(&self, member: &Member, result: &Json) {
        let task = result.get("task").and_then(|task| task.get_text("taskId"));
        let Some(id) = task.or_else(|| result.get_text("taskId")) else { return };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let server = (member.toolbox.clone(), member.server.clone());
        if known.servers.insert(id.clone(), server).is_none() {
            known.order.push_back(id);
        }
        if known.order.len() > KEPT
            && let Some(oldest) = known.order.pop_front()
        {
            known.servers.remove(&oldest);
        }
    }

    /// The server of a task, among these.
    pub fn find(&self, members: &[Member], id: &str) -> Option<Member> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (toolbox, server) = known.servers.get(id)?;
        members.iter().find(|member| member.toolbox == *toolbox && member.server == *server).cloned()
    }
}
