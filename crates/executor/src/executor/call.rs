//! A call, and what became of it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_model::{Caller, Change, Finish};

use super::judge::{CallJudge, Judge};
use crate::observer::{CallId, Stages};
use crate::{CallError, RegisteredTool, ToolFunction, ToolOutput};

/// One call of a tool, as a model wrote it.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool's name, in any form that stands for one tool only.
    pub name: String,
    /// The arguments: JSON, or what a model took for it.
    pub arguments: String,
    /// How the model's turn ended.
    pub finish: Finish,
    /// Ends the call when it is cancelled.
    pub cancellation: Option<CancellationToken>,
    /// Runs in place of the tool's registered function, for this call only: the same function bound to the client
    /// that calls. The registry still decides which tool it is, its schema and its timeout. The response of the server
    /// is passed on at any size, since the client gets it unchanged.
    pub function: Option<Arc<dyn ToolFunction>>,
    /// Who calls, for observers.
    pub caller: Option<Arc<Caller>>,
    /// What a front has changed to find the tool: its name as it was sent, and the name it stands for.
    pub renamed: Vec<Change>,
    /// Who says whether it may be run.
    pub(super) judge: Option<Judge>,
}

/// What became of a call.
#[derive(Clone, Debug)]
pub struct CallOutcome {
    /// Which call.
    pub id: CallId,
    /// The tool, when it was found.
    pub tool: Option<Arc<RegisteredTool>>,
    /// What the tool gave, or why there is nothing.
    pub result: Result<ToolOutput, CallError>,
    /// What was changed to make the call fit: the tool's name first, then its arguments.
    pub changes: Vec<Change>,
    /// How far the call came.
    pub stages: Stages,
    /// From the call to its end.
    pub duration: Duration,
}

/// A call that is ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The tool that is meant.
    pub tool: Arc<RegisteredTool>,
    /// The arguments that it would get.
    pub arguments: String,
    /// What was changed to make the call fit: the tool's name first, then its arguments.
    pub changes: Vec<Change>,
}

impl Call {
    /// A call of the tool with these arguments.
    pub fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Call {
            name: name.into(),
            arguments: arguments.into(),
            finish: Finish::Unknown,
            cancellation: None,
            function: None,
            caller: None,
            renamed: Vec::new(),
            judge: None,
        }
    }

    /// The same, with what is known of how the model's turn ended.
    pub fn with_finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// The same, ended when the token is cancelled.
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.cancellation = Some(token);
        self
    }

    /// The same, found by a name that the front had to change.
    pub fn renamed(mut self, changes: Vec<Change>) -> Self {
        self.renamed = changes;
        self
    }

    /// The same, by this caller.
    pub fn by(mut self, caller: Arc<Caller>) -> Self {
        self.caller = Some(caller);
        self
    }

    /// The same, run only when this judge lets it.
    pub fn judged_by(mut self, judge: Arc<dyn CallJudge>) -> Self {
        self.judge = Some(Judge(judge));
        self
    }

    /// The same, run by this function in place of the registered one.
    pub fn bound_to(mut self, function: Arc<dyn ToolFunction>) -> Self {
        self.function = Some(function);
        self
    }
}

impl CallOutcome {
    /// The answer for the model as text: the result, or the message of the error.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.result {
            Ok(output) => Cow::Borrowed(&output.text),
            Err(error) => Cow::Owned(error.message()),
        }
    }
}
