//! What is known of one call while it runs, and the one place where it ends.

use std::sync::Arc;

use tokio::time::Instant;
use toolwright_model::{Caller, Change};

use super::call::CallOutcome;
use super::log;
use crate::observer::{self, CallId, Finished, Normalized, Observers, Stages, Started, Waiting};
use crate::redact::Sensitive;
use crate::{CallError, RegisteredTool, ToolOutput};

/// One call that runs. Dropped before its end, it ends as cancelled: the caller went away.
pub(super) struct Record<'e> {
    id: CallId,
    name: String,
    tool: Option<Arc<RegisteredTool>>,
    changes: Vec<Change>,
    /// The arguments as the log may show them, when it will.
    shown: Option<String>,
    bytes_in: usize,
    begun: Instant,
    observers: &'e Observers,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    /// Whether it can be run is not known yet.
    Begun,
    /// The tool was asked.
    Running,
    Ended,
}

impl<'e> Record<'e> {
    pub fn begin(
        id: CallId,
        name: String,
        arguments: &str,
        caller: Option<&Caller>,
        observers: &'e Observers,
    ) -> Self {
        let started = Started { id, name: &name, arguments: Sensitive::new(arguments), caller };
        observers.tell(|observer| observer.started(&started));
        Record {
            id,
            shown: log::is_on().then(|| crate::redact::arguments(arguments)),
            bytes_in: arguments.len(),
            name,
            tool: None,
            changes: Vec::new(),
            begun: Instant::now(),
            observers,
            state: State::Begun,
        }
    }

    /// Which call.
    pub fn id(&self) -> CallId {
        self.id
    }

    /// The tool's name as it was sent.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tool is known now, and with it what of the arguments is secret.
    pub fn found(&mut self, tool: Arc<RegisteredTool>, arguments: &str) -> Arc<RegisteredTool> {
        if self.shown.is_some() && tool.takes_secrets() {
            self.shown = Some(crate::redact::arguments_of(&tool, arguments));
        }
        self.tool = Some(Arc::clone(&tool));
        tool
    }

    /// The tool was called by another name than its own. That is in the record whatever comes of the call.
    pub fn renamed(&mut self, changes: impl IntoIterator<Item = Change>) {
        self.changes.extend(changes);
    }

    /// The arguments fit, and somebody has judged the call. What may not be run is told like any other call, and nobody
    /// is asked to admit it.
    pub async fn judged(
        &mut self,
        arguments: &str,
        changes: Vec<Change>,
        judged: Result<(), CallError>,
    ) -> Result<(), CallError> {
        match judged {
            Ok(()) => self.normalized(arguments, changes).await,
            Err(error) => {
                self.tell_normalized(arguments, changes);
                Err(error)
            }
        }
    }

    fn tell_normalized(&mut self, arguments: &str, changes: Vec<Change>) {
        self.changes.extend(changes);
        let Some(tool) = self.tool.as_deref() else { return };
        let arguments = Sensitive::new(arguments);
        let normalized = Normalized { id: self.id, tool, arguments, changes: &self.changes };
        self.observers.tell(|observer| observer.normalized(&normalized));
    }

    /// The arguments fit. An error when an observer does not let the call be run.
    pub async fn normalized(&mut self, arguments: &str, changes: Vec<Change>) -> Result<(), CallError> {
        self.tell_normalized(arguments, changes);
        let Some(tool) = self.tool.as_deref() else { return Ok(()) };
        let arguments = Sensitive::new(arguments);
        let normalized = Normalized { id: self.id, tool, arguments, changes: &self.changes };
        let admitted = self.observers.admit(|observer| observer.admits(&normalized));
        waited_for(admitted).await.map_err(|reason| CallError::not_admitted(tool.name(), reason))
    }

    /// Whether a call of a tool that nobody knows may be run.
    pub async fn admitted_unknown(&self) -> Result<(), CallError> {
        let admitted = self.observers.admit(|observer| observer.admits_unknown(self.id));
        waited_for(admitted).await.map_err(|reason| CallError::not_admitted(&self.name, reason))
    }

    /// The tool is about to be run.
    pub fn runs(&mut self) {
        self.state = State::Running;
    }

    /// The call ends here. Its result is not given out when the call has to be written down and was not.
    pub async fn finish(mut self, mut result: Result<ToolOutput, CallError>) -> CallOutcome {
        let has_run = self.state == State::Running;
        let (stages, duration, waiting) = self.end(result.as_ref());
        if !waiting.is_empty()
            && let Err(reason) = observer::all(waiting).await
            && has_run
        {
            let name = self.tool.as_ref().map_or(self.name.as_str(), |tool| tool.name());
            let response = match result {
                Ok(output) => output.into_response(),
                Err(error) => error.response,
            };
            let error = CallError::unrecorded(name, reason).with_response(response);
            log::held_back(name, &error);
            result = Err(error);
        }
        CallOutcome {
            id: self.id,
            tool: self.tool.take(),
            result,
            changes: std::mem::take(&mut self.changes),
            stages,
            duration,
        }
    }

    fn end(
        &mut self,
        result: Result<&ToolOutput, &CallError>,
    ) -> (Stages, std::time::Duration, Vec<Waiting>) {
        self.state = State::Ended;
        let (stages, duration) = (Stages::of(result), self.begun.elapsed());
        let bytes_out = match result {
            Ok(output) => output.text.len() + output.structured.as_ref().map_or(0, String::len),
            Err(_) => 0,
        };
        let finished = Finished {
            id: self.id,
            name: &self.name,
            tool: self.tool.as_deref(),
            changes: &self.changes,
            result,
            stages,
            duration,
            bytes_in: self.bytes_in,
            bytes_out,
        };
        log::finished(&finished, self.shown.as_deref().unwrap_or_default(), &self.changes);
        let waiting = self.observers.end(&finished);
        (stages, duration, waiting)
    }
}

async fn waited_for(admitted: Result<Vec<Waiting>, String>) -> Result<(), String> {
    match admitted {
        Ok(waiting) if waiting.is_empty() => Ok(()),
        Ok(waiting) => observer::all(waiting).await,
        Err(reason) => Err(reason),
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        if self.state != State::Ended {
            let error =
                CallError::cancelled(self.tool.as_ref().map_or(self.name.as_str(), |tool| tool.name()));
            self.end(Err(&error));
        }
    }
}
