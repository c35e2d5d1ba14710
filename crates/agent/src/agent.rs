//! The agent: its dependencies, its memory, and its two entry points.

mod approval;
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
use run::QuestionRun;

/// Answers questions with a model and tools. One instance serves all fronts: questions run concurrently.
pub struct Agent {
    models: ModelSource,
    executor: Arc<ToolExecutor>,
    settings: AgentSettings,
    memory: Mutex<Memory>,
    clock: Arc<dyn Clock>,
}

/// The source of models.
enum ModelSource {
    /// Routed by model name.
    Routed(Arc<LlmFront>),
    /// Always this client.
    One(Arc<dyn ModelClient>),
}

impl Agent {
    /// An agent that uses the models of the gateway and runs calls with this executor.
    pub fn new(models: Arc<LlmFront>, executor: Arc<ToolExecutor>, settings: AgentSettings) -> Agent {
        Agent::build(ModelSource::Routed(models), executor, settings)
    }

    /// An agent that uses this client for every model.
    pub fn with_client(
        client: Arc<dyn ModelClient>,
        executor: Arc<ToolExecutor>,
        settings: AgentSettings,
    ) -> Agent {
        Agent::build(ModelSource::One(client), executor, settings)
    }

    fn build(models: ModelSource, executor: Arc<ToolExecutor>, settings: AgentSettings) -> Agent {
        let memory = Mutex::new(Memory::new(settings.memory.clone()));
        Agent { models, executor, settings, memory, clock: Arc::new(SystemClock) }
    }

    /// Replaces the clock of the memory.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Agent {
        self.clock = clock;
        self
    }

    /// The settings.
    pub fn settings(&self) -> &AgentSettings {
        &self.settings
    }

    /// Answers a question. Dropping the future cancels the upstream request and the calls in flight.
    ///
    /// # Errors
    /// When no model answers. Other endings are answers with their reason in [`Answer::stop`].
    pub async fn ask(&self, question: Question, listener: &mut dyn Listener) -> Result<Answer, AskError> {
        let messages = vec![text_message(Role::User, question.text.clone())];
        let turn = self.memory().next_turn();
        let model = question.model.clone().or_else(|| self.settings.model.clone());
        let model = model.ok_or_else(AskError::no_model)?;
        let run = QuestionRun::begin(self, question, model, turn, messages, 0, listener)?;
        // Boxed: the future is large, and callers would embed it in theirs.
        Box::pin(run.run_to_completion()).await
    }

    /// Continues with held calls after the user's decision. The calls run exactly as they were approved.
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
        let run = QuestionRun::begin(self, question, model, turn, messages, rounds, listener)?;
        Box::pin(run.with_decision(calls, decision)).await
    }

    /// Records a turn that was handled without a model, so that later questions can refer to it.
    pub fn remember(&self, conversation: &str, question: &str, answer: &str) {
        let turn = vec![text_message(Role::User, question), text_message(Role::Assistant, answer)];
        let now = self.clock.now();
        let mut memory = self.memory();
        let number = memory.next_turn();
        memory.keep(conversation, number, turn, now);
    }

    /// Deletes a conversation.
    pub fn forget(&self, conversation: &str) {
        self.memory().forget(conversation);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().ignore_poison()
    }

    fn client_for(&self, model: &str) -> Result<Arc<dyn ModelClient>, AskError> {
        match &self.models {
            ModelSource::One(client) => Ok(Arc::clone(client)),
            ModelSource::Routed(models) => {
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

/// A text message.
fn text_message(role: Role, text: impl Into<String>) -> Message {
    Message {
        role,
        blocks: vec![Block::Text(Text { text: text.into(), extra: Vec::new() })],
        extra: Vec::new(),
    }
}
