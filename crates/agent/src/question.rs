//! Questions to an agent.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolwright_model::Caller;

use crate::guard::{AllowAll, Guard};
use crate::{Limits, Offer};

/// The origin of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Front {
    /// The command line.
    Ask,
    /// Voice control.
    Voice,
}

impl Front {
    /// The name in records and in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Front::Ask => "ask",
            Front::Voice => "voice",
        }
    }
}

/// A question.
#[derive(Clone)]
pub struct Question {
    /// The text of the question.
    pub text: String,
    /// The front: it selects the instructions and appears in records.
    pub front: Front,
    /// The conversation. Without one nothing is stored.
    pub conversation: Option<String>,
    /// The caller, for records; by default the name of the front.
    pub caller: Option<Arc<Caller>>,
    /// The model; by default that of the settings.
    pub model: Option<String>,
    /// The instructions; by default those of the front.
    pub system: Option<String>,
    /// The tools that the model may call.
    pub offer: Offer,
    /// A tool that must be called first, by any of its names.
    pub must_call: Option<String>,
    /// Decides about every call.
    pub guard: Arc<dyn Guard>,
    /// Limits that replace those of the settings.
    pub limits: Option<Limits>,
    /// Cancels the question: the upstream request and the calls in flight.
    pub cancellation: CancellationToken,
}

impl Question {
    /// A question that may use every tool.
    pub fn new(front: Front, text: impl Into<String>) -> Question {
        Question {
            text: text.into(),
            front,
            conversation: None,
            caller: None,
            model: None,
            system: None,
            offer: Offer::All,
            must_call: None,
            guard: Arc::new(AllowAll),
            limits: None,
            cancellation: CancellationToken::new(),
        }
    }

    /// Sets the conversation.
    pub fn in_conversation(mut self, key: impl Into<String>) -> Question {
        self.conversation = Some(key.into());
        self
    }

    /// Sets the caller.
    pub fn by(mut self, caller: Arc<Caller>) -> Question {
        self.caller = Some(caller);
        self
    }

    /// Sets the model.
    pub fn of_model(mut self, model: impl Into<String>) -> Question {
        self.model = Some(model.into());
        self
    }

    /// Limits the tools.
    pub fn offering(mut self, offer: Offer) -> Question {
        self.offer = offer;
        self
    }

    /// Sets the guard.
    pub fn guarded_by(mut self, guard: Arc<dyn Guard>) -> Question {
        self.guard = guard;
        self
    }

    /// Sets the limits.
    pub fn within(mut self, limits: Limits) -> Question {
        self.limits = Some(limits);
        self
    }

    /// Sets the cancellation token.
    pub fn cancelled_by(mut self, token: CancellationToken) -> Question {
        self.cancellation = token;
        self
    }

    /// The caller of the tools, for records.
    pub(crate) fn caller(&self) -> Arc<Caller> {
        let given = self.caller.as_deref();
        let session = given.and_then(|caller| caller.session.clone());
        Arc::new(Caller {
            client: given.map_or_else(|| self.front.word().to_owned(), |caller| caller.client.clone()),
            principal: given.and_then(|caller| caller.principal.clone()),
            session: session.or_else(|| self.conversation.clone()),
            front: self.front.word(),
            toolbox: given.and_then(|caller| caller.toolbox.clone()),
        })
    }
}
