//! Writes every call down: what the executor tells of calls goes into the ledger.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use toolwright_base::{IgnorePoison, unix_micros};
use toolwright_executor::observer::{CallId, Finished, Normalized, Stage, Started, Waiting};
use toolwright_executor::registry::BUILT_IN;
use toolwright_executor::registry::FILES_SERVER;
use toolwright_executor::{CallError, CallObserver, RegisteredTool};
use toolwright_ledger::journal::AppendError;
use toolwright_ledger::{
    Change, Failure, Hidden, Ledger, NotSafeYet, Reached, Record, Stages, recorded_part,
};

/// How many bytes of an error message are written down. What a server sends must not make a line so long that the
/// journal refuses it: the call would be missing there.
const MAX_MESSAGE: usize = 256 << 10;
/// How long a client without sessions may be silent before its next call begins another conversation.
const CONVERSATION: Duration = Duration::from_secs(5 * 60);
/// How many such clients are known at once.
const MAX_CONVERSATIONS: usize = 1_024;

/// An observer that writes to a ledger.
pub struct Recorder {
    ledger: Arc<Ledger>,
    /// Tells the calls of this run from those of others.
    run: u32,
    running: Mutex<HashMap<CallId, Running>>,
    conversations: Mutex<HashMap<String, Conversation>>,
}

/// What is known of a call that runs.
struct Running {
    record: Record,
    sent: Hidden,
    normalized: Hidden,
}

struct Conversation {
    id: String,
    last: Instant,
}

impl Recorder {
    /// Writes to this ledger.
    pub fn new(ledger: Arc<Ledger>) -> Recorder {
        let mut run = [0; 4];
        // Without randomness the time tells runs apart well enough.
        if aws_lc_rs::rand::fill(&mut run).is_err() {
            run = (unix_micros() as u32).to_be_bytes();
        }
        Recorder {
            ledger,
            run: u32::from_be_bytes(run),
            running: Mutex::default(),
            conversations: Mutex::default(),
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<CallId, Running>> {
        self.running.lock().ignore_poison()
    }

    /// Writes down that a call begins.
    fn begun(&self, id: CallId) -> Result<Option<Waiting>, String> {
        let (record, sent) = {
            let running = self.running();
            let Some(known) = running.get(&id) else { return Ok(None) };
            (known.record.clone(), known.sent.clone())
        };
        let begun = self.ledger.begin(record, sent).map_err(|error| unwritten(&error))?;
        Ok(begun.map(waiting))
    }

    /// The conversation of a client that has no sessions: its calls without a long pause.
    fn conversation(&self, client: &str, id: CallId) -> String {
        let mut known = self.conversations.lock().ignore_poison();
        let now = Instant::now();
        if let Some(conversation) = known.get_mut(client)
            && now.duration_since(conversation.last) < CONVERSATION
        {
            conversation.last = now;
            return conversation.id.clone();
        }
        if known.len() >= MAX_CONVERSATIONS {
            known.retain(|_, conversation| now.duration_since(conversation.last) < CONVERSATION);
        }
        let conversation = format!("{:08x}-{}", self.run, id.0);
        if known.len() < MAX_CONVERSATIONS {
            known.insert(client.to_owned(), Conversation { id: conversation.clone(), last: now });
        }
        conversation
    }
}

impl CallObserver for Recorder {
    fn started(&self, call: &Started<'_>) {
        let client = call.caller.map(|caller| caller.client.clone());
        let session = call.caller.and_then(|caller| caller.session.clone()).or_else(|| {
            // What a program calls itself may be the name of somebody's token.
            let principal = call.caller.and_then(|caller| caller.principal.as_deref()).unwrap_or_default();
            let client = client.as_deref().unwrap_or_default();
            Some(self.conversation(&format!("{principal}/{client}"), call.id))
        });
        let (server, tool) = match call.name.rsplit_once('/') {
            Some((server, tool)) => (Some(server.to_owned()), tool.to_owned()),
            None => (None, call.name.to_owned()),
        };
        let record = Record {
            ts: unix_micros(),
            call: format!("{:08x}{:08x}", self.run, call.id.0),
            client,
            principal: call.caller.and_then(|caller| caller.principal.clone()),
            session,
            front: call.caller.map_or("cli", |caller| caller.front).to_owned(),
            toolbox: call.caller.and_then(|caller| caller.toolbox.clone()),
            server,
            tool,
            ..Record::default()
        };
        let sent = self.ledger.hide(recorded_part(call.arguments.expose()));
        self.running().insert(call.id, Running { record, sent, normalized: Hidden::default() });
    }

    fn normalized(&self, call: &Normalized<'_>) {
        let normalized = match call.changes {
            [] => Hidden::default(),
            _ => self.ledger.hide(recorded_part(call.arguments.expose())),
        };
        let mut running = self.running();
        let Some(known) = running.get_mut(&call.id) else { return };
        name_tool(&mut known.record, call.tool);
        known.record.changes = call.changes.iter().map(Change::from).collect();
        known.normalized = normalized;
    }

    fn admits(&self, call: &Normalized<'_>) -> Result<Option<Waiting>, String> {
        // Ours that only read cannot be cut in a way that matters.
        let is_ours = [BUILT_IN, FILES_SERVER].contains(&call.tool.source());
        if is_ours && !call.tool.definition().annotations.destructive {
            return Ok(None);
        }
        self.begun(call.id)
    }

    fn admits_unknown(&self, id: CallId) -> Result<Option<Waiting>, String> {
        self.begun(id)
    }

    fn recorded(&self, call: &Finished<'_>) -> Option<Waiting> {
        let Running { mut record, sent, normalized } = self.running().remove(&call.id)?;
        if let Some(tool) = call.tool {
            name_tool(&mut record, tool);
        }
        record.stages = Stages {
            transport: reached(call.stages.transport),
            protocol: reached(call.stages.protocol),
            tool: reached(call.stages.tool),
        };
        // The name that was sent is in the record of a refused call too.
        if record.changes.is_empty() {
            record.changes = call.changes.iter().map(Change::from).collect();
        }
        record.error = call.result.err().map(failure);
        record.duration_us = u64::try_from(call.duration.as_micros()).unwrap_or(u64::MAX);
        record.bytes_in = call.bytes_in as u64;
        record.bytes_out = call.bytes_out as u64;
        self.ledger.end(record, sent, normalized).map(waiting)
    }
}

/// What a call waits for until its record is safe.
fn waiting(record: NotSafeYet) -> Waiting {
    Box::pin(async { record.safe().await.map_err(|error| unwritten(&error)) })
}

fn unwritten(error: &AppendError) -> String {
    format!("{error}; mend the disk or free some space, or allow calls without records")
}

fn name_tool(record: &mut Record, tool: &RegisteredTool) {
    record.server = Some(tool.source().to_owned());
    record.tool = tool.name().to_owned();
    record.schema = Some(schema_print(tool));
}

/// Tells schemas of one tool apart.
pub(crate) fn schema_print(tool: &RegisteredTool) -> String {
    format!("{:016x}", tool.schema_print())
}

fn failure(error: &CallError) -> Failure {
    Failure {
        code: error.code.as_str().to_owned(),
        message: beginning(&error.message()).to_owned(),
        parameters: error.problems.iter().map(|problem| problem.path.clone()).collect(),
        is_from_tool: error.is_from_tool(),
    }
}

/// As much of an error message as is written down. It ends between two words: half a secret is not known for one.
fn beginning(message: &str) -> &str {
    let cut = &message[..message.floor_char_boundary(MAX_MESSAGE)];
    if cut.len() == message.len() {
        return cut;
    }
    let last_word = cut.rfind(char::is_whitespace).filter(|end| *end >= MAX_MESSAGE / 2);
    &cut[..last_word.unwrap_or(cut.len())]
}

fn reached(stage: Stage) -> Reached {
    match stage {
        Stage::Passed => Reached::Passed,
        Stage::Failed => Reached::Failed,
        Stage::NotReached => Reached::NotReached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_message_is_cut_between_words() {
        assert_eq!(beginning("no such lamp"), "no such lamp");
        let words = "word ".repeat(MAX_MESSAGE);
        let cut = beginning(&words);
        assert!(cut.len() <= MAX_MESSAGE && cut.len() > MAX_MESSAGE - 10 && cut.ends_with("word"));
        assert_eq!(beginning(&"\"".repeat(3 * MAX_MESSAGE)).len(), MAX_MESSAGE);
        let late = format!("{} ghp_0123456789", "x".repeat(MAX_MESSAGE - 8));
        assert!(!beginning(&late).contains("ghp"), "half a secret");
    }
}
