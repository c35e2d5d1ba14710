//! What an agent is asked.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolwright_model::Caller;

use crate::guard::{AllowAll, Guard};
use crate::{Limits, Offer};

/// The way that a question came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Front {
    /// The command line.
    Ask,
    /// A microphone.
    Voice,
}

impl Front {
    /// Its name in records and in the configuration.
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
    /// What is asked.
    pub text: String,
    /// The way it came in: which instructions the model gets, and what records say.
    pub front: Front,
    /// The conversation that it belongs to. Without one nothing is remembered.
    pub conversation: Option<String>,
    /// Who asks, for records; the front's name when absent.
    pub caller: Option<Arc<Caller>>,
    /// The model; the one of the settings when absent.
    pub model: Option<String>,
    /// The instructions; those of the front when absent.
    pub system: Option<String>,
    /// The tools that may be called.
    pub offer: Offer,
    /// A tool that must be called first, by a name that finds it.
    pub must_call: Option<String>,
    /// Who says of every call whether it may be run.
    pub guard: Arc<dyn Guard>,
    /// Other limits than those of the settings.
    pub limits: Option<Limits>,
    /// Ends the question when it is cancelled: the upstream, and the tools that run.
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

    /// The same, in a conversation that is remembered.
    pub fn in_conversation(mut self, key: impl Into<String>) -> Question {
        self.conversation = Some(key.into());
        self
    }

    /// The same, asked by this caller.
    pub fn by(mut self, caller: Arc<Caller>) -> Question {
        self.caller = Some(caller);
        self
    }

    /// The same, of this model.
    pub fn of_model(mut self, model: impl Into<String>) -> Question {
        self.model = Some(model.into());
        self
    }

    /// The same, with these tools only.
    pub fn offering(mut self, offer: Offer) -> Question {
        self.offer = offer;
        self
    }

    /// The same, its calls judged by this guard.
    pub fn guarded_by(mut self, guard: Arc<dyn Guard>) -> Question {
        self.guard = guard;
        self
    }

    /// The same within these limits.
    pub fn within(mut self, limits: Limits) -> Question {
        self.limits = Some(limits);
        self
    }

    /// The same, ended when this token is cancelled.
    pub fn cancelled_by(mut self, token: CancellationToken) -> Question {
        self.cancellation = token;
        self
    }

    /// Who calls the tools, for records.
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
