//! Call observer that writes every call to the ledger.

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

/// The part of an error message that is recorded. A server must not be able to make a line so long that the journal
/// refuses it: the call would be missing there.
const MAX_MESSAGE_BYTES: usize = 256 << 10;
/// A client without sessions that is idle for this long starts a new conversation with its next call.
const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Conversations of such clients that are tracked at once.
const MAX_CONVERSATIONS: usize = 1_024;

/// An observer that writes to a ledger.
pub struct Recorder {
    ledger: Arc<Ledger>,
    /// Distinguishes the calls of this run from those of other runs.
    run: u32,
    in_flight: Mutex<HashMap<CallId, InFlightCall>>,
    conversations: Mutex<HashMap<String, ClientConversation>>,
}

/// The state of a call between its start and its end.
struct InFlightCall {
    record: Record,
    sent: Hidden,
    normalized: Hidden,
}

struct ClientConversation {
    id: String,
    last: Instant,
}

impl Recorder {
    /// Creates an observer that writes to this ledger.
    pub fn new(ledger: Arc<Ledger>) -> Recorder {
        let mut run = [0; 4];
        // Without randomness the time distinguishes runs well enough.
        if aws_lc_rs::rand::fill(&mut run).is_err() {
            run = (unix_micros() as u32).to_be_bytes();
        }
        Recorder {
            ledger,
            run: u32::from_be_bytes(run),
            in_flight: Mutex::default(),
            conversations: Mutex::default(),
        }
    }

    fn in_flight(&self) -> MutexGuard<'_, HashMap<CallId, InFlightCall>> {
        self.in_flight.lock().ignore_poison()
    }

    /// Writes the start record of a call.
    fn write_start(&self, id: CallId) -> Result<Option<Waiting>, String> {
        let (record, sent) = {
            let in_flight = self.in_flight();
            let Some(state) = in_flight.get(&id) else { return Ok(None) };
            (state.record.clone(), state.sent.clone())
        };
        let pending = self.ledger.begin(record, sent).map_err(|error| journal_failure(&error))?;
        Ok(pending.map(wait_until_durable))
    }

    /// Returns the conversation of a client that has no sessions: calls without a long pause between them.
    fn conversation(&self, client: &str, id: CallId) -> String {
        let mut known = self.conversations.lock().ignore_poison();
        let now = Instant::now();
        if let Some(conversation) = known.get_mut(client)
            && now.duration_since(conversation.last) < CONVERSATION_TIMEOUT
        {
            conversation.last = now;
            return conversation.id.clone();
        }
        if known.len() >= MAX_CONVERSATIONS {
            known.retain(|_, conversation| now.duration_since(conversation.last) < CONVERSATION_TIMEOUT);
        }
        let conversation = format!("{:08x}-{}", self.run, id.0);
        if known.len() < MAX_CONVERSATIONS {
            known.insert(client.to_owned(), ClientConversation { id: conversation.clone(), last: now });
        }
        conversation
    }
}

impl CallObserver for Recorder {
    fn started(&self, call: &Started<'_>) {
        let client = call.caller.map(|caller| caller.client.clone());
        let session = call.caller.and_then(|caller| caller.session.clone()).or_else(|| {
            // The name of a client program may equal the name of a token: the principal is part of the key.
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
        self.in_flight().insert(call.id, InFlightCall { record, sent, normalized: Hidden::default() });
    }

    fn normalized(&self, call: &Normalized<'_>) {
        let normalized = match call.changes {
            [] => Hidden::default(),
            _ => self.ledger.hide(recorded_part(call.arguments.expose())),
        };
        let mut in_flight = self.in_flight();
        let Some(state) = in_flight.get_mut(&call.id) else { return };
        name_tool(&mut state.record, call.tool);
        state.record.changes = call.changes.iter().map(Change::from).collect();
        state.normalized = normalized;
    }

    fn admits(&self, call: &Normalized<'_>) -> Result<Option<Waiting>, String> {
        // Built-in tools that only read need no start record: an interrupted one has no effect.
        let is_builtin = [BUILT_IN, FILES_SERVER].contains(&call.tool.source());
        if is_builtin && !call.tool.definition().annotations.destructive {
            return Ok(None);
        }
        self.write_start(call.id)
    }

    fn admits_unknown(&self, id: CallId) -> Result<Option<Waiting>, String> {
        self.write_start(id)
    }

    fn recorded(&self, call: &Finished<'_>) -> Option<Waiting> {
        let InFlightCall { mut record, sent, normalized } = self.in_flight().remove(&call.id)?;
        if let Some(tool) = call.tool {
            name_tool(&mut record, tool);
        }
        record.stages = Stages {
            transport: stage_result(call.stages.transport),
            protocol: stage_result(call.stages.protocol),
            tool: stage_result(call.stages.tool),
        };
        // The record of a refused call also contains the name that was sent.
        if record.changes.is_empty() {
            record.changes = call.changes.iter().map(Change::from).collect();
        }
        record.error = call.result.err().map(failure);
        record.duration_us = u64::try_from(call.duration.as_micros()).unwrap_or(u64::MAX);
        record.bytes_in = call.bytes_in as u64;
        record.bytes_out = call.bytes_out as u64;
        self.ledger.end(record, sent, normalized).map(wait_until_durable)
    }
}

/// Future that resolves when a record is durable.
fn wait_until_durable(record: NotSafeYet) -> Waiting {
    Box::pin(async { record.safe().await.map_err(|error| journal_failure(&error)) })
}

fn journal_failure(error: &AppendError) -> String {
    format!("{error}; mend the disk or free some space, or allow calls without records")
}

fn name_tool(record: &mut Record, tool: &RegisteredTool) {
    record.server = Some(tool.source().to_owned());
    record.tool = tool.name().to_owned();
    record.schema = Some(schema_fingerprint(tool));
}

/// Fingerprint of a tool's schema, as records contain it.
pub(crate) fn schema_fingerprint(tool: &RegisteredTool) -> String {
    format!("{:016x}", tool.schema_print())
}

fn failure(error: &CallError) -> Failure {
    Failure {
        code: error.code.as_str().to_owned(),
        message: truncate_message(&error.message()).to_owned(),
        parameters: error.problems.iter().map(|problem| problem.path.clone()).collect(),
        is_from_tool: error.is_from_tool(),
    }
}

/// Truncates an error message for the record. It is cut between two words: the redactor does not recognize half a
/// secret.
fn truncate_message(message: &str) -> &str {
    let cut = &message[..message.floor_char_boundary(MAX_MESSAGE_BYTES)];
    if cut.len() == message.len() {
        return cut;
    }
    let last_word = cut.rfind(char::is_whitespace).filter(|end| *end >= MAX_MESSAGE_BYTES / 2);
    &cut[..last_word.unwrap_or(cut.len())]
}

fn stage_result(stage: Stage) -> Reached {
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
    fn long_error_message_is_cut_between_words() {
        assert_eq!(truncate_message("no such lamp"), "no such lamp");
        let words = "word ".repeat(MAX_MESSAGE_BYTES);
        let cut = truncate_message(&words);
        assert!(
            cut.len() <= MAX_MESSAGE_BYTES && cut.len() > MAX_MESSAGE_BYTES - 10 && cut.ends_with("word")
        );
        assert_eq!(truncate_message(&"\"".repeat(3 * MAX_MESSAGE_BYTES)).len(), MAX_MESSAGE_BYTES);
        let late = format!("{} ghp_0123456789", "x".repeat(MAX_MESSAGE_BYTES - 8));
        assert!(!truncate_message(&late).contains("ghp"), "half a secret");
    }
}
