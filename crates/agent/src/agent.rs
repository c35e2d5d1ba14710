//! The agent: what it asks with, what it remembers, and the two ways in.

mod judge;
mod round;
mod run;

use std::sync::{Arc, Mutex, MutexGuard};

use toolwright_base::IgnorePoison;
use toolwright_executor::ToolExecutor;
use toolwright_llm::form::{Block, Message, Role, Text};
use toolwright_proxy::LlmFront;

use crate::client::{ModelClient, client_for};
use crate::memory::Memory;
use crate::{
    AgentSettings, Answer, AskError, Clock, Decision, Held, Limits, Listener, Question, SystemClock,
};
use run::Run;

/// Answers questions with a model and tools. One is enough for all fronts: questions do not wait for each other.
pub struct Agent {
    models: Models,
    executor: Arc<ToolExecutor>,
    settings: AgentSettings,
    memory: Mutex<Memory>,
    clock: Arc<dyn Clock>,
}

/// Who is asked.
enum Models {
    /// By the table of models.
    Routed(Arc<LlmFront>),
    /// Always this one.
    One(Arc<dyn ModelClient>),
}

impl Agent {
    /// An agent that asks the models of the gateway, and hands calls to this executor.
    pub fn new(models: Arc<LlmFront>, executor: Arc<ToolExecutor>, settings: AgentSettings) -> Agent {
        Agent::made(Models::Routed(models), executor, settings)
    }

    /// An agent that asks by this client, whatever the model is called.
    pub fn with_client(
        client: Arc<dyn ModelClient>,
        executor: Arc<ToolExecutor>,
        settings: AgentSettings,
    ) -> Agent {
        Agent::made(Models::One(client), executor, settings)
    }

    fn made(models: Models, executor: Arc<ToolExecutor>, settings: AgentSettings) -> Agent {
        let memory = Mutex::new(Memory::new(settings.memory.clone()));
        Agent { models, executor, settings, memory, clock: Arc::new(SystemClock) }
    }

    /// The same with another clock for what is remembered.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Agent {
        self.clock = clock;
        self
    }

    /// What it is set to.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// Answers a question. When it is dropped, the upstream and the tools that run are cancelled.
    ///
    /// # Errors
    /// When no model answers. What ends for another reason is an answer that says so, see [`Answer::stop`].
    pub async fn ask(&self, question: Question, listener: &mut dyn Listener) -> Result<Answer, AskError> {
        let asked = vec![said(Role::User, question.text.clone())];
        let turn = self.memory().next_turn();
        let model = question.model.clone().or_else(|| self.settings.model.clone());
        let model = model.ok_or_else(AskError::no_model)?;
        let run = Run::begin(self, question, model, turn, asked, 0, listener)?;
        // It is large and deep, and whoever asks would carry all of it.
        Box::pin(run.answered_at_last()).await
    }

    /// Goes on with calls that were held, now that the person has spoken. What is run is what was judged, to the letter.
    ///
    /// # Errors
    /// As [`ask`](Agent::ask).
    pub async fn go_on(
        &self,
        held: Held,
        decision: Decision,
        listener: &mut dyn Listener,
    ) -> Result<Answer, AskError> {
        let Held { question, model, turn, messages, calls, rounds } = held;
        let run = Run::begin(self, question, model, turn, messages, rounds, listener)?;
        Box::pin(run.with_decision(calls, decision)).await
    }

    /// Remembers what was asked and answered in a conversation without a model, so that it can be spoken about later.
    pub fn remember(&self, conversation: &str, question: &str, answer: &str) {
        let turn = vec![said(Role::User, question), said(Role::Assistant, answer)];
        let now = self.clock.now();
        let mut memory = self.memory();
        let number = memory.next_turn();
        memory.keep(conversation, number, turn, now);
    }

    /// Forgets a conversation.
    pub fn forget(&self, conversation: &str) {
        self.memory().forget(conversation);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().ignore_poison()
    }

    fn client_for(&self, model: &str) -> Result<Arc<dyn ModelClient>, AskError> {
        match &self.models {
            Models::One(client) => Ok(Arc::clone(client)),
            Models::Routed(models) => {
                client_for(models, model).map_err(|failure| AskError::of(&failure, Vec::new()))
            }
        }
    }

    fn limits(&self, question: &Question) -> Limits {
        question.limits.clone().unwrap_or_else(|| self.settings.limits.clone())
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// A message that is a text.
fn said(role: Role, text: impl Into<String>) -> Message {
    Message {
        role,
        blocks: vec![Block::Text(Text { text: text.into(), extra: Vec::new() })],
        extra: Vec::new(),
    }
}
